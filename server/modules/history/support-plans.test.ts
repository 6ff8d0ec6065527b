import type { EventId } from '@voelgoed/core/ids'
import { listHoldsOf } from '@voelgoed/engine/tables/holds'
import { type AuditFilter, listAudit } from '@voelgoed/kit/audit/audit-log'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { plansOf as plans } from '@voelgoed/testing/plans'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listSoldTickets } from '../entry/tables/entry-reports.ts'
import { listUsers } from '../people/tables/users.ts'
import { findSessions } from '../sign-in/tables/sessions.ts'
import { type JournalFilter, listJournal } from './tables/list-journal.ts'

/** Indexes find what support and gates ask for, in tables that are large enough for the planner. */

const ROWS = 20_000
const LARGE = ['audit_log', 'event_seats', 'place_holds', 'hold_history', 'journal', 'tickets', 'users']
let server: TestServer
let ours: TestOrganization
let eventId: EventId
const SEAT = '30000000-0000-7000-8000-000000000000'
const USER = '40000000-0000-7000-8000-000000000000'

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  eventId = (await eventOnSale(server, ours)).eventId as EventId
  const sql = (text: string) => server.database.sql(text, [ours.id, eventId, ROWS])
  await sql(
    `insert into audit_log (organization_id, at, action, actor, user_id, entity_type, entity_id, event_id, subjects)
     select $1, now() - make_interval(secs => n), 'seat_reserve_failed', 'user', gen_random_uuid(), 'event', $2, $2,
       array[gen_random_uuid()] from generate_series(1, $3::int) n`,
  )
  await sql(
    `insert into hold_history (organization_id, id, event_id, user_id, ordinal, zone_index, quantity, status, created_at,
       held_until, cap_until, source, ended_at, end_reason, last_seq)
     select $1, gen_random_uuid(), $2, gen_random_uuid(), n, 0, 1, 'expired', now() - interval '1 hour',
       now(), now(), 'web', now(), 'ttl_expired', n from generate_series(1, $3::int) n`,
  )
  await sql(
    `insert into event_seats (organization_id, event_id, ordinal, status, version, version_before, hold_id, user_id, created_at,
       held_until, cap_until, source, last_seq)
     select $1, gen_random_uuid(), n, 'held', 1, 0, gen_random_uuid(), gen_random_uuid(), now(), now(), now(), 'web', n
     from generate_series(1, $3::int) n where $2::uuid is not null`,
  )
  await sql(
    `insert into place_holds (organization_id, event_id, hold_id, zone_index, user_id, quantity, status, created_at,
       held_until, cap_until, source, last_seq)
     select $1, $2, gen_random_uuid(), 0, gen_random_uuid(), 1, 'held', now(), now(), now(), 'web', n
     from generate_series(1, $3::int) n`,
  )
  await server.database.sql('alter table journal disable trigger continues_the_journal')
  await sql(
    `insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff, encoding,
       packed)
     select $1, $2, n + 100, n + 100, now(), gen_random_uuid(), gen_random_uuid(), false, 0, '[]'
     from generate_series(1, $3::int) n`,
  )
  await sql(
    `insert into users (organization_id, id, email, role)
     select $1, gen_random_uuid(), n || '@' || $2::text || '.example', 'customer' from generate_series(1, $3::int) n`,
  )
  await server.database.sql('alter table tickets disable trigger tickets_have_their_places')
  await sql(
    `insert into tickets (organization_id, event_id, id, hold_id, user_id, zone_index, checkout_id, created_at)
     select $1, case when n % 10 = 0 then $2::uuid else gen_random_uuid() end, gen_random_uuid(), gen_random_uuid(),
       gen_random_uuid(), 0, gen_random_uuid(), now() - make_interval(secs => n) from generate_series(1, $3::int) n`,
  )
  for (const table of LARGE) {
    await server.database.sql(`analyze ${table}`)
  }
})
afterAll(async () => {
  await server.database.sql('delete from journal where organization_id = $1 and first_seq > 100', [ours.id])
  await server.close()
})

const plansOf = (work: (tx: TenantTx) => Promise<unknown>) => plans(server, ours.id, LARGE, work)

const nothing: AuditFilter = { subjects: [], limit: 50 }
const from = '2026-01-01T00:00:00Z'
const to = '2026-01-01T00:01:00Z'

it.each([
  ['audit_subjects_pkey', { subjects: [SEAT] }],
  ['audit_log_time', { from, to }],
  ['audit_log_user', { userId: USER }],
  ['audit_log_entity', { entityId: USER }],
  ['audit_log_event', { eventId: USER }],
  ['audit_log_action', { action: 'venue_created' }],
] as const)('the audit log is read by %s', async (index, filter) => {
  const plan = await plansOf(tx => listAudit(tx, { ...nothing, ...filter }))
  expect(plan.indexes).toContain(index)
  expect(plan.scanned).toEqual([])
})

const anything: JournalFilter = {
  seatId: undefined,
  holdId: undefined,
  userId: undefined,
  from: undefined,
  to: undefined,
  afterSeq: 0,
  limit: 100,
}

it.each([
  [['event_seats_pkey', 'hold_history_seat', 'journal_staff'], { seatId: SEAT }],
  [['event_seats_user', 'place_holds_user', 'hold_history_user', 'journal_staff'], { userId: USER }],
  [['event_seats_hold_id', 'place_holds_pkey', 'hold_history_pkey'], { holdId: USER }],
  [['journal_pkey'], { afterSeq: 0 }],
  [['journal_pkey'], { from, to }],
] as const)('the journal is read by %s', async (indexes, filter) => {
  const plan = await plansOf(tx => listJournal(tx, eventId, { ...anything, ...filter }))
  for (const index of indexes) expect(plan.indexes).toContain(index)
  expect(plan.scanned).toEqual([])
})

it("a gate's list of tickets is read by tickets_event, from the start and from where it ended", async () => {
  for (const cursor of [null, { toldAt: `${server.clock.now() * 1000 - 60_000_000}`, id: USER }]) {
    const plan = await plansOf(tx => listSoldTickets(tx, eventId, cursor, 500))
    expect(plan.indexes).toContain('tickets_event')
    expect(plan.scanned).toEqual([])
  }
})

it("a person's holds and people themselves are found by indexes", async () => {
  const page = { after: undefined, limit: 50 }
  for (const person of [{ userId: USER }, { email: `77@${eventId}.example` }]) {
    const plan = await plansOf(tx => listHoldsOf(tx, person, page))
    for (const index of ['event_seats_user', 'place_holds_user', 'hold_history_user']) {
      expect(plan.indexes).toContain(index)
    }
    expect(plan.scanned).toEqual([])
  }
  const byEmail = await plansOf(tx => listUsers(tx, { emailBegins: '777', limit: 50 }))
  expect(byEmail.indexes).toEqual(expect.arrayContaining(['users_by_email', 'credentials_user']))
  expect(byEmail.scanned).toEqual([])
  const staff = await plansOf(tx => listUsers(tx, { role: 'admin', limit: 50 }))
  expect(staff.indexes).toEqual(expect.arrayContaining(['users_staff', 'credentials_user']))
  expect(staff.scanned).toEqual([])
})

it('who asks is found token by token, also while Postgres has no statistics of a young table', async () => {
  await server.database.sql('alter table sessions set (autovacuum_enabled = false)')
  await server.database.sql(
    `insert into sessions (organization_id, token_hash, user_id, expires_at)
     select organization_id, sha256(id::text::bytea), id, now() + interval '1 day' from users
     where organization_id = $1 and email like '%' || $2 || '.example' limit 2000`,
    [ours.id, eventId],
  )
  const tokens = await server.database.sql<{ token_hash: Buffer }>(
    'select token_hash from sessions where organization_id = $1 limit 100',
    [ours.id],
  )
  const hashes = tokens.map(({ token_hash }) => token_hash.toString('latin1'))
  const plan = await plansOf(async tx => expect((await findSessions(tx, hashes)).size).toBe(100))
  expect(plan.indexes).toEqual(expect.arrayContaining(['sessions_pkey', 'users_pkey']))
  expect(plan.indexes).not.toContain('sessions_user')
  expect(plan.scanned).toEqual([])
})
