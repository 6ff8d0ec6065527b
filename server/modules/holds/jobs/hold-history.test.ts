import { randomUUID } from 'node:crypto'
import type { CommandId, EventId, HoldId, OrganizationId } from '@voelgoed/core/ids'
import { findHolds } from '@voelgoed/engine/tables/holds'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import { historyWritten } from '@voelgoed/testing/all-holds'
import { type AtWork, takeCursor } from '@voelgoed/testing/cursor-lock'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { sell, startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { losingCommits } from '@voelgoed/testing/lose-commits'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { HoldHistory } from '../hold-history.ts'
import { writeHistory } from '../tables/hold-history.ts'
import { followHoldHistory } from './hold-history.ts'

let server: TestServer
let ours: TestOrganization
let scope: TenantScope

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  scope = TenantScope.of(ours.id as OrganizationId)
})
afterAll(() => server.close())
afterEach(() => {
  doesFollowerRest = false
})

/** While it rests, the node's own follower finds no journal that lacks its history. */
let doesFollowerRest = false
beforeAll(() => {
  const { database } = server.node
  const { platform } = database
  Object.assign(database, {
    platform: async (...asked: Parameters<typeof platform>) => {
      const found = await platform(...asked)
      return doesFollowerRest && asked[0] === 'find journals without history' ? [] : found
    },
  })
})

const log = pino({ level: 'silent' })
const follower = () => {
  const { database } = server.node
  const history = new HoldHistory({ database, onEnded: () => {} })
  return followHoldHistory(database, history, { log, onRun: () => {} })
}
const hall = (): Promise<Hall> =>
  openHall(server.request, ours.tokens.organizer, {
    standing: 50,
    event: { seating_overrides: { ...UNLIMITED } },
  })

async function guest(): Promise<string> {
  const answer = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  return answer.body.data.token
}

async function hold(at: Hall, seat: number, token: string): Promise<string> {
  const answer = await server.request('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, { token })
  expect(answer.status).toBe(201)
  return answer.body.data.hold_id
}

const release = (id: string, token: string) => server.request('DELETE', `/api/holds/${id}`, { token })

const historyOf = (at: Hall) =>
  server.database.sql<{ id: string; status: string; quantity: number }>(
    'select id, status, quantity from hold_history where event_id = $1 order by last_seq',
    [at.eventId],
  )

const cursorOf = async (at: Hall) => {
  const [row] = await server.database.sql<{ seq: number }>(
    'select coalesce((select seq::int from history_cursors where event_id = $1), 0) as seq',
    [at.eventId],
  )
  return row!.seq
}

/** As if no follower had ever come by. */
async function forget(at: Hall): Promise<void> {
  await server.database.sql('delete from hold_history where event_id = $1', [at.eventId])
  await server.database.sql('delete from history_cursors where event_id = $1', [at.eventId])
}

it('has each hold that has ended once, as the journal tells of it, whichever way it ended', async () => {
  const at = await hall()
  const [anna, ben] = [await guest(), await guest()]
  const given = await hold(at, 0, anna)
  await server.request('POST', `/api/holds/${given}/extend`, { token: anna })
  await release(given, anna)
  const sold = await hold(at, 1, ben)
  await sell(server, ours, at.eventId, sold)
  const body = { zone_id: at.zones[1], quantity: 5 }
  const places = await server.request('POST', `${at.url}/holds`, { token: anna, body })
  const placesId = places.body.data.holds[0].hold_id
  await server.request('PATCH', `/api/holds/${placesId}`, { token: anna, body: { quantity: 2 } })
  await release(placesId, anna)
  await hold(at, 2, ben)
  await historyWritten(server.database)
  expect(await historyOf(at)).toEqual([
    { id: given, status: 'cancelled', quantity: 1 },
    { id: sold, status: 'converted', quantity: 1 },
    { id: placesId, status: 'cancelled', quantity: 2 },
  ])
  await expectSound(server.database)
})

it('is written once, however many followers are at it, in chunks of any size', async () => {
  const at = await hall()
  const token = await guest()
  for (let seat = 0; seat < 6; seat += 1) await release(await hold(at, seat, token), token)
  await historyWritten(server.database)
  const whole = await historyOf(at)
  expect(whole).toHaveLength(6)
  await forget(at)
  const write = (limit: number) =>
    server.node.database.tenant(scope, tx => writeHistory(tx, at.eventId as EventId, limit))
  await Promise.all([follower().run(), write(1), write(2), follower().run(), write(3)])
  // Each of them may have left a part because another was at it.
  await follower().run()
  await historyWritten(server.database)
  expect(await historyOf(at)).toEqual(whole)
  await expectSound(server.database)
})

it('has a hold whose story is longer than a page, whole and once, and those that ended with it', async () => {
  const PLACES = 1_200
  const at = await openHall(server.request, ours.tokens.organizer, {
    standing: PLACES + 50,
    event: { seating_overrides: { ...UNLIMITED } },
  })
  const [anna, ben] = [await guest(), await guest()]
  const lane = server.node.lanes.lane(scope, at.eventId as EventId)
  const body = { zone_id: at.zones[1], quantity: PLACES }
  const places = await server.request('POST', `${at.url}/holds`, { token: anna, body })
  const placesId = places.body.data.holds[0].hold_id as HoldId
  const short = await hold(at, 0, ben)
  const { user } = (await lane.ready())!.state.holds.get(placesId)!
  const person = { userId: user.key, role: 'customer', membershipTier: null, membershipStatus: null } as const
  // One after the other: each is a row of the journal.
  for (let quantity = PLACES - 1; quantity > 0; quantity -= 1) {
    const commandId = randomUUID() as CommandId
    const actor = { person, ip: null, source: 'web' } as const
    await lane.submit({ kind: 'reduce', commandId, actor, holdId: placesId, quantity })
  }
  await release(short, ben)
  await release(placesId, anna)
  await follower().run()
  await historyWritten(server.database)
  expect(await historyOf(at)).toEqual([
    { id: short, status: 'cancelled', quantity: 1 },
    { id: placesId, status: 'cancelled', quantity: 1 },
  ])
  // Staff read it page by page.
  const journal = `/api/admin/events/${at.eventId}/journal?hold_id=${placesId}&limit=500`
  const seqs: number[] = []
  for (let page = 0; page < 3; page += 1) {
    const path = `${journal}&after_seq=${seqs.at(-1) ?? 0}`
    const answer = await server.request('GET', path, { token: ours.tokens.support })
    expect(answer.status, answer.text).toBe(200)
    seqs.push(...answer.body.data.map((entry: { seq: number }) => entry.seq))
  }
  // Made, made smaller again and again, released.
  expect(seqs).toHaveLength(1 + (PLACES - 1) + 1)
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
  await expectSound(server.database)
})

it('is neither written nor said to be when its transaction is undone', async () => {
  const at = await hall()
  const token = await guest()
  await release(await hold(at, 0, token), token)
  await historyWritten(server.database)
  const whole = await historyOf(at)
  // The node's own follower would write what was forgotten, between the crash and the look at the table.
  doesFollowerRest = true
  await forget(at)
  const crashed = server.node.database.tenant(scope, async tx => {
    await writeHistory(tx, at.eventId as EventId, 100)
    throw new Error('the node has died')
  })
  await expect(crashed).rejects.toThrow('the node has died')
  expect(await historyOf(at)).toEqual([])
  doesFollowerRest = false
  await follower().run()
  await historyWritten(server.database)
  expect(await historyOf(at)).toEqual(whole)
})

it('goes back together with its cursor when Postgres loses commits, and is written again', async () => {
  const at = await hall()
  const token = await guest()
  const first = await hold(at, 0, token)
  await release(first, token)
  await historyWritten(server.database)
  const before = await cursorOf(at)
  const commits = losingCommits(server.database)
  await commits.save()
  await release(await hold(at, 1, token), token)
  await historyWritten(server.database)
  expect(await cursorOf(at)).toBeGreaterThan(before)
  await commits.lose()
  await server.database.sql('drop schema saved cascade')
  expect(await cursorOf(at)).toBe(before)
  expect((await historyOf(at)).map(row => row.id)).toEqual([first])
  const again = await hold(at, 1, token)
  await release(again, token)
  await historyWritten(server.database)
  expect((await historyOf(at)).map(row => row.id)).toEqual([first, again])
  await expectSound(server.database)
})

it('is exact for those who read it, and says so when it can not be', async () => {
  const at = await hall()
  const token = await guest()
  const id = await hold(at, 0, token)
  await release(id, token)
  await historyWritten(server.database)
  await forget(at)
  const journal = `/api/admin/events/${at.eventId}/journal?seat_id=${at.seats[0]}`
  const read = () => server.request('GET', journal, { token: ours.tokens.support })
  expect((await read()).body.data.map((entry: { kind: string }) => entry.kind)).toEqual([
    'seat_reserved',
    'seat_released',
  ])
  await forget(at)
  expect((await release(id, token)).body.data).toMatchObject({ status: 'cancelled', released_count: 0 })
  await server.database.sql('update event_ledgers set seq = seq + 60000 where event_id = $1', [at.eventId])
  const late = await read()
  expect(late.status).toBe(503)
  expect(late.headers['retry-after']).toBe('5')
  expect(late.body.detail).toContain('The history of ended holds is being written')
  await server.database.sql('alter table event_ledgers disable trigger user')
  await server.database.sql('update event_ledgers set seq = seq - 60000 where event_id = $1', [at.eventId])
  await server.database.sql('alter table event_ledgers enable trigger user')
  expect((await read()).status).toBe(200)
})

it('however many ask for holds that are not there, the history is caught up twice', async () => {
  const { database } = server.node
  let transactions = 0
  const counting: typeof database.tenant = (...given) => {
    transactions += 1
    return database.tenant(...given)
  }
  const history = new HoldHistory({ database: { ...database, tenant: counting }, onEnded: () => {} })
  const looks = Array.from({ length: 40 }, () => history.lookUp(scope, [randomUUID()]))
  for (const found of await Promise.all(looks)) expect(found).toEqual({ ok: true, value: [] })
  // Each looks twice; between that they share one look at what is behind, or two.
  expect(transactions).toBeLessThan(2 * 40 + 10)
})

describe('while another node writes the history', () => {
  interface Meanwhile {
    readonly at: Hall
    readonly id: string
    readonly free: () => Promise<void>
  }
  const begun: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const free of begun.splice(0)) await free()
  })
  const begin = async (at: Hall, atWork: AtWork) => {
    const free = await takeCursor(server.database.url, at.eventId, atWork)
    begun.push(free)
    return free
  }

  /** A hold that has ended, and a node that has begun to write so: until it commits, or dies. */
  async function endedMeanwhile(atWork: AtWork): Promise<Meanwhile> {
    const at = await hall()
    const free = await begin(at, atWork)
    const token = await guest()
    const id = await hold(at, 0, token)
    expect((await release(id, token)).status).toBe(200)
    return { at, id, free }
  }
  /** Each wait is told of, and lasts no time. */
  function history(
    onWait: (waits: number) => Promise<void>,
    tenant: TenantDoor['tenant'] = server.node.database.tenant,
  ) {
    let [now, waits] = [0, 0]
    const time = {
      now: () => now,
      after(ms: number, run: () => void) {
        now += ms
        waits += 1
        void onWait(waits).then(run)
        return () => {}
      },
    }
    const database = { ...server.node.database, tenant }
    return { waits: () => waits, it: new HoldHistory({ database, onEnded: () => {}, time }) }
  }

  it.each(['has the lock', 'has moved the cursor'] as const)(
    'which %s, a caller looks again and again, and goes on when that node is done',
    async atWork => {
      const { id, free } = await endedMeanwhile(atWork)
      const looking = history(async waits => {
        if (waits === 3) await free()
      })
      expect(await looking.it.lookUp(scope, [id])).toMatchObject({ ok: true, value: [{ id }] })
      expect(looking.waits()).toBeGreaterThanOrEqual(3)
    },
  )

  it('a caller waits for four seconds and is told to come again', async () => {
    const { id } = await endedMeanwhile('has the lock')
    const looking = history(async () => {})
    expect(await looking.it.lookUp(scope, [id])).toMatchObject({ ok: false, problem: { kind: 'busy' } })
    expect(looking.waits()).toBe(160)
  })

  it('keeps no other event waiting: its holds are found', async () => {
    // The node's own follower may be at the second event when it is looked at: then nothing is written yet.
    doesFollowerRest = true
    const stuck = await endedMeanwhile('has the lock')
    const other = await endedMeanwhile('has the lock')
    await other.free()
    let written: unknown[] | null = null
    const looking = history(async waits => {
      if (waits === 1) written = await historyOf(other.at)
    })
    expect(await looking.it.lookUp(scope, [other.id])).toMatchObject({ ok: true, value: [{ id: other.id }] })
    // Before the first wait for the node that has the first event.
    expect(written).toHaveLength(1)
    await stuck.free()
  })

  it('nothing is read that is not exact: a snapshot that lacks something is taken again', async () => {
    const { at, id, free } = await endedMeanwhile('has the lock')
    let snapshots = 0
    const { tenant } = server.node.database
    const looking = history(free, async (asking, script, options) => {
      if (options?.isolation !== 'snapshot') return tenant(asking, script, options)
      snapshots += 1
      // After the history was caught up another hold ends, and another node begins to write so.
      const done = snapshots === 1 ? await beginsAgain(at) : async () => {}
      return tenant(asking, script, options).finally(done)
    })
    const found = await looking.it.readExactly(scope, at.eventId as EventId, tx => findHolds(tx, [id]))
    expect(found).toMatchObject({ ok: true, value: [{ id, status: 'cancelled' }] })
    expect(snapshots).toBe(2)
  })

  async function beginsAgain(at: Hall): Promise<() => Promise<void>> {
    const free = await begin(at, 'has the lock')
    const token = await guest()
    await release(await hold(at, 1, token), token)
    return free
  }
})
