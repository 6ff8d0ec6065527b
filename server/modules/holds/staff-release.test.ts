import { historyWritten } from '@voelgoed/testing/all-holds'
import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { expectSound } from '@voelgoed/testing/invariants'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let server: TestServer
let ours: TestOrganization
let anna: Buyer
let ben: Buyer

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  ;[anna, ben] = (await createBuyers(server.database, ours.id, 2)) as [Buyer, Buyer]
  // A release in bulk stops after five seconds, which a thousand holds take on a machine that is busy enough.
  server.clock.freeze()
})
afterAll(async () => {
  await expectSound(server.database)
  await server.close()
})

const send = (method: string, url: string, token: string, body?: object) =>
  server.request(method, url, { token, ...(body && { body }) })
const support = (url: string, body: object) => send('POST', url, ours.tokens.support, body)
const hall = () =>
  openHall(server.request, ours.tokens.organizer, { standing: 50, event: { seating_overrides: UNLIMITED } })
const take = async (at: Hall, buyer: Buyer, seats: number[]) =>
  (
    await send('POST', `${at.url}/holds`, buyer.token, { seat_ids: seats.map(seat => at.seats[seat]) })
  ).body.data.holds.map((hold: { hold_id: string }) => hold.hold_id) as string[]
const seqOf = async (at: Hall) =>
  (await send('GET', `${at.url}/availability`, ours.tokens.support)).body.data.seq as number
const audits = async (at: Hall) =>
  (await send('GET', `/api/admin/audit?action=holds_released&entity_id=${at.eventId}`, ours.tokens.admin))
    .body.data as { changes: Record<string, unknown> }[]

/** The journal of this event refuses every entry after `seq`, so its lane can't commit them. */
const withFault = async <T>(
  at: Hall,
  { errcode, after = 0 }: { errcode: string; after?: number },
  work: () => Promise<T>,
) => {
  await server.database.sql(`create function refuse_entry() returns trigger language plpgsql as
    $$ begin raise exception 'out of order' using errcode = '${errcode}'; end $$`)
  await server.database.sql(`create trigger out_of_order before insert on journal for each row
    when (new.event_id = '${at.eventId}' and new.last_seq > ${after}) execute function refuse_entry()`)
  try {
    return await work()
  } finally {
    await server.database.sql('drop function refuse_entry cascade')
  }
}

const withoutAudit = async <T>(work: () => Promise<T>) => {
  await server.database.sql(`create function refuse_audit() returns trigger language plpgsql as
    $$ begin raise exception 'no audit' using errcode = 'lock_not_available'; end $$`)
  await server.database.sql(`create trigger no_audit before insert on audit_log for each row
    when (new.action = 'holds_released') execute function refuse_audit()`)
  try {
    return await work()
  } finally {
    await server.database.sql('drop function refuse_audit cascade')
  }
}

describe('holds by their ids', () => {
  it.each([
    ['is out of order', 'lock_not_available', 'busy'],
    ['has an unexpected fault', 'raise_exception', 'internal_error'],
  ])(
    'over two events of which one %s: the answer says what was done and what was not',
    async (_, errcode, code) => {
      const [good, bad] = [await hall(), await hall()]
      const [first] = await take(good, anna, [0])
      const [second] = await take(bad, anna, [0])
      const body = { hold_ids: [second, first], notes: 'phone' }
      const { status, body: answer } = await withFault(bad, { errcode }, () =>
        support('/api/admin/seats/release', body),
      )
      expect(status).toBe(200)
      expect(answer.data).toMatchObject({
        status: 'released',
        seats_released: 1,
        released: [first],
        skipped: [{ hold_id: second, code }],
      })
      expect((await audits(good))[0]!.changes).toMatchObject({ hold_ids: [first], notes: 'phone' })
      expect(await audits(bad)).toEqual([])
    },
  )

  it('without an audit entry nothing is released', async () => {
    const at = await hall()
    const [held] = await take(at, anna, [0])
    const refused = await withoutAudit(() => support('/api/admin/seats/release', { hold_ids: [held] }))
    expect(refused.status).toBe(503)
    expect((await send('GET', `/api/holds?event_id=${at.eventId}`, anna.token)).body.data).toHaveLength(1)
    expect((await support('/api/admin/seats/release', { hold_ids: [held] })).body.data.released).toEqual([
      held,
    ])
  })
})

describe('holds of an event in bulk', () => {
  it('of a user, of a zone, or all: with a count, one audit entry a command, and the reason in the journal', async () => {
    const at = await hall()
    await take(at, anna, [0, 1])
    await take(at, ben, [2])
    await send('POST', `${at.url}/holds`, ben.token, { zone_id: at.zones[1], quantity: 4 })
    const release = (body: object) =>
      support(`/api/admin/events/${at.eventId}/release`, { notes: 'rebuilt', ...body })
    const none = { remaining: 0, in_payment: 0, done: true, stopped_by: null }
    expect((await release({ user_id: anna.userId })).body.data).toEqual({
      holds_released: 2,
      seats_released: 2,
      ...none,
    })
    expect((await release({ zone_id: at.zones[1] })).body.data).toEqual({
      holds_released: 1,
      seats_released: 4,
      ...none,
    })
    expect((await release({ all: true })).body.data).toMatchObject({ holds_released: 1, ...none })
    expect((await release({ all: true })).body.data).toMatchObject({ holds_released: 0, ...none })
    expect((await audits(at)).map(({ changes }) => changes.seats_released)).toEqual([1, 4, 2])
    const journal = await send('GET', `/api/admin/events/${at.eventId}/journal?limit=200`, ours.tokens.admin)
    const entries = journal.body.data.filter((entry: { kind: string }) => entry.kind === 'seat_released')
    expect(entries).toHaveLength(4)
    expect(entries[0]).toMatchObject({
      held_duration_seconds: expect.any(Number),
      address: '127.0.0.1',
      body: { reason: 'admin_override', notes: 'rebuilt' },
    })
    await historyWritten(server.database)
    const [times] = await server.database.sql<{ seconds: number }>(
      `select extract(epoch from ended_at - created_at)::float8 as seconds from hold_history where id = $1`,
      [entries[0].hold_id],
    )
    expect(entries[0].held_duration_seconds).toBeCloseTo(times!.seconds, 3)
  })

  it('which fails in the middle, by an unexpected fault: the answer says how many are released', async () => {
    const at = await openHall(server.request, ours.tokens.organizer, {
      seats: 1_200,
      event: { seating_overrides: UNLIMITED },
    })
    await take(at, anna, [...at.seats.keys()].slice(0, 600))
    await take(at, anna, [...at.seats.keys()].slice(600))
    const seq = await seqOf(at)
    const release = () => support(`/api/admin/events/${at.eventId}/release`, { all: true, notes: 'rebuilt' })
    const { status, body } = await withFault(at, { errcode: 'raise_exception', after: seq + 1_000 }, release)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      holds_released: 1_000,
      seats_released: 1_000,
      remaining: 200,
      in_payment: 0,
      done: false,
      stopped_by: 'internal_error',
    })
    expect((await audits(at)).map(({ changes }) => changes.seats_released)).toEqual([1_000])
    expect((await release()).body.data).toMatchObject({ holds_released: 200, done: true, stopped_by: null })
  })

  it('needs exactly one choice, and a zone of the event', async () => {
    const at = await hall()
    const url = `/api/admin/events/${at.eventId}/release`
    expect((await support(url, { notes: 'x' })).body.code).toBe('invalid_request')
    const both = { all: true, user_id: anna.userId, notes: 'x' }
    expect((await support(url, both)).body.code).toBe('invalid_request')
    expect((await support(url, { zone_id: anna.userId, notes: 'x' })).body.code).toBe('zone_not_found')
  })
})

describe('a user who is disabled, with the release of what they hold', () => {
  const disable = (buyer: Buyer) =>
    send('PATCH', `/api/admin/users/${buyer.userId}`, ours.tokens.admin, {
      disabled: true,
      release_holds: true,
    })

  it('one audit entry an event, in the transaction of the release; what was not released is named', async () => {
    const [carl] = (await createBuyers(server.database, ours.id, 1)) as [Buyer]
    const [good, bad] = [await hall(), await hall()]
    const first = await take(good, carl, [0, 1])
    const [second] = await take(bad, carl, [0])
    const { status, body } = await withFault(bad, { errcode: 'raise_exception' }, () => disable(carl))
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      disabled: true,
      places_released: 2,
      skipped: [{ hold_id: second, code: 'internal_error' }],
    })
    const [entry, ...more] = await audits(good)
    expect(more).toEqual([])
    expect(entry!.changes.seats_released).toBe(2)
    expect((entry!.changes.hold_ids as string[]).sort()).toEqual(first.sort())
    expect(await audits(bad)).toEqual([])
    const again = await disable(carl)
    expect(again.body.data).toMatchObject({ places_released: 1, skipped: [] })
    expect((await audits(bad))[0]!.changes).toMatchObject({ hold_ids: [second] })
  })

  it('without an audit entry nothing is released', async () => {
    const [carl] = (await createBuyers(server.database, ours.id, 1)) as [Buyer]
    const at = await hall()
    const [held] = await take(at, carl, [0])
    const { body } = await withoutAudit(() => disable(carl))
    expect(body.data).toMatchObject({
      disabled: true,
      places_released: 0,
      skipped: [{ hold_id: held, code: 'busy' }],
    })
    expect((await disable(carl)).body.data).toMatchObject({ places_released: 1, skipped: [] })
  })
})
