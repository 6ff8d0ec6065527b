import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { oneOfEverything } from '@voelgoed/testing/example'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { sweepSnapshots } from './tables/occupancy-snapshots.ts'
import { TakeSnapshots } from './take-snapshots.ts'

const { server, ours, send, organize } = useServer()

function taker() {
  return new TakeSnapshots({
    database: server.node.database,
    log: pino({ level: 'silent' }),
    onRun: () => {},
  })
}

/** It has a sold seat, a held and a blocked one, and two held places. */
const newEvent = async () => (await oneOfEverything(server, ours)).event!

const rows = (eventId: string) =>
  server.database.sql<{ at: Date; status: string; held: number; sold: number; zones: unknown[][] }>(
    'select * from occupancy_snapshots where event_id = $1 order by at',
    [eventId],
  )
/** The server of this test looks as well: while it has the lock, another look takes none. */
const lookUntil = (eventId: string, count: number) =>
  waitUntil(`the event has ${count} snapshots`, async () => {
    await taker().look()
    return (await rows(eventId)).length >= count
  })
const forget = () => server.database.sql('truncate occupancy_snapshots')
/** Begins a minute: a look that is under way falls into it, and what a test does from here on. */
async function minuteBegins(): Promise<void> {
  const [left] = await server.database.sql<{ ms: number }>(
    `select 60000 - floor(extract(epoch from now()) * 1000)::bigint % 60000 as ms`,
  )
  await server.passes(Number(left!.ms) + 15_000)
}
/** All snapshots so far were taken a minute earlier. */
const minutePasses = () => server.database.sql(`update occupancy_snapshots set at = at - interval '1 minute'`)

describe('snapshots of occupancy', () => {
  it('are taken once a minute of each event on sale, by one node', async () => {
    const eventId = await newEvent()
    await minuteBegins()
    await forget()
    await Promise.all([taker().look(), taker().look()])
    await lookUntil(eventId, 1)
    const [first, ...more] = await rows(eventId)
    expect(more).toEqual([])
    expect(first).toMatchObject({ status: 'published', available: 99, held: 3, sold: 1, blocked: 1 })
    expect(first!.at.getTime() % 60_000).toBe(0)
    expect(first!.zones.map(zone => zone.slice(1))).toEqual([
      [1, 1, 1, 1],
      [98, 2, 0, 0],
    ])
    await minutePasses()
    await lookUntil(eventId, 2)
    expect(await rows(eventId)).toHaveLength(2)
  })

  it('are taken by no node while another one has the lock', async () => {
    const eventId = await newEvent()
    await server.node.database.platform('find events without a snapshot', async tx => {
      // The server of this test takes snapshots as well: it may have the lock for a while.
      await waitUntil('the lock is free', async () => {
        const row = await tx.one<{ isOurs: boolean }>('select pg_try_advisory_xact_lock(7304981) as "isOurs"')
        return row!.isOurs
      })
      await forget()
      expect(await taker().look()).toEqual({ taken: 0, failed: 0 })
      expect(await rows(eventId)).toEqual([])
    })
  })

  it('are taken when the status changes, without waiting for the minute, and end with the sale', async () => {
    const eventId = await newEvent()
    const statuses = async () => (await rows(eventId)).map(row => row.status)
    await lookUntil(eventId, 1)
    await organize('POST', `/api/admin/events/${eventId}/go-live`)
    await waitUntil('it is live in the last one', async () => (await statuses()).at(-1) === 'live')
    await organize('POST', `/api/admin/events/${eventId}/complete`)
    await waitUntil('it is completed in the last one', async () => (await statuses()).at(-1) === 'completed')
    await minutePasses()
    const before = await statuses()
    await taker().look()
    expect(await statuses()).toEqual(before)
  })

  it('are swept after their retention', async () => {
    const eventId = await newEvent()
    await minuteBegins()
    await forget()
    await lookUntil(eventId, 1)
    const old = await server.database.sql(
      `insert into occupancy_snapshots (organization_id, event_id, at, status, available, held, sold, blocked, zones)
       select organization_id, event_id, at - interval '91 days', status, 0, 0, 0, 0, '[]' from occupancy_snapshots
       where event_id = $1 returning at`,
      [eventId],
    )
    expect(old).toHaveLength(1)
    // The server may have swept it by itself, in the moment between.
    await server.node.database.platform('sweep what has expired', tx => sweepSnapshots(tx, 90, 5_000))
    expect(await rows(eventId)).toHaveLength(1)
  })
})

describe('the history of occupancy', () => {
  const url = (eventId: string, query: Record<string, string>) =>
    `/api/admin/events/${eventId}/occupancy/history?${new URLSearchParams(query)}`
  const read = (eventId: string, query: Record<string, string>) =>
    send('GET', url(eventId, query), ours.tokens.support)

  /**
   * One a minute for three hours, each with its number as `held`, in a year in which the server's own job
   * takes none.
   */
  async function history() {
    const eventId = await newEvent()
    const tenant = TenantScope.of(ours.id as OrganizationId)
    await server.node.database.tenant(tenant, tx =>
      tx.query(
        `insert into occupancy_snapshots (organization_id, event_id, at, status, available, held, sold, blocked, zones)
         select $1, $2, timestamptz '2127-01-10 07:00Z' + minute * interval '1 minute', 'live', 5, minute, 3, 4,
           '[["0197a000-0000-7000-8000-000000000003", 5, 6, 7, 8]]' from generate_series(0, 179) as minute`,
        [eventId as EventId],
      ),
    )
    return eventId
  }
  const hours = { from: '2127-01-10T07:00:00Z', to: '2127-01-10T10:00:00Z' }

  it('has the last snapshot of each step', async () => {
    const eventId = await history()
    const each = (await read(eventId, { ...hours, step: '60' })).body.data
    expect(each).toMatchObject({ step: 60, from: '2127-01-10T07:00:00.000Z', to: '2127-01-10T10:00:00.000Z' })
    expect(each.points).toHaveLength(180)
    expect(each.points[7]).toEqual({
      ...{ at: '2127-01-10T07:07:00.000Z', status: 'live', available: 5, held: 7, sold: 3, blocked: 4 },
    })
    const hourly = (await read(eventId, { ...hours, step: '3600' })).body.data.points
    expect(hourly.map((point: { held: number }) => point.held)).toEqual([59, 119, 179])
    const part = { from: '2127-01-10T07:10:00Z', to: '2127-01-10T07:12:00Z', zones: 'true' }
    const points = (await read(eventId, part)).body.data.points
    expect(points.map((point: { held: number }) => point.held)).toEqual([10, 11])
    expect(points[0].zones).toEqual([
      { zone_id: '0197a000-0000-7000-8000-000000000003', available: 5, held: 6, sold: 7, blocked: 8 },
    ])
  })

  it('is of the last day when nothing else is asked for, in at most 500 points', async () => {
    const eventId = await history()
    expect((await read(eventId, {})).body.data).toMatchObject({ step: 180 })
    const year = { from: '2126-02-01T00:00:00Z', to: '2127-02-01T00:00:00Z' }
    const { step, points } = (await read(eventId, year)).body.data
    expect(step).toBe(Math.ceil((365 * 1440) / 500) * 60)
    expect(points.map((point: { held: number }) => point.held)).toEqual([179])
  })

  it.each([
    [{ from: hours.to, to: hours.from }, '/query/from', 'must be before `to`'],
    [{ from: '2025-01-01T00:00:00Z', to: hours.to }, '/query/from', 'must be at most 366 days before `to`'],
    [{ ...hours, step: '90' }, '/query/step', 'must be a multiple of 60, from 60 to 86400'],
    [{ ...hours, step: '0' }, '/query/step', 'must be a multiple of 60, from 60 to 86400'],
    [
      { from: '2127-01-01T00:00:00Z', to: '2127-02-01T00:00:00Z', step: '60' },
      '/query/step',
      'must be at least 1380 for this range: an answer has at most 2000 points',
    ],
  ])('refuses what it can not answer: %o', async (query, path, message) => {
    const eventId = await history()
    const answer = await read(eventId, query)
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
    expect(answer.body.errors).toEqual([{ path, message }])
  })

  it('is for staff of the organization alone', async () => {
    const eventId = await history()
    expect((await send('GET', url(eventId, hours), ours.tokens.customer)).status).toBe(403)
    const stranger = await server.organization()
    const theirs = await send('GET', url(eventId, hours), stranger.tokens.admin)
    expect([theirs.status, theirs.body.code]).toEqual([404, 'event_not_found'])
  })
})
