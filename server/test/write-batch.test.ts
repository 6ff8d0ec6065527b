import { randomUUID } from 'node:crypto'
import type { EventId, HoldId, OrganizationId } from '@voelgoed/core/ids'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FREE } from '../src/postgres/batch/seats.ts'
import { type BatchRows, writeRows } from '../src/postgres/batch/write-batch.ts'
import { connectDatabase, type Database } from '../src/postgres/database.ts'
import { TenantScope } from '../src/tenant.ts'
import { createTestDatabase, type TestDatabase } from './kit/test-database.ts'

const OURS = '10000000-0000-7000-8000-000000000000' as OrganizationId
const EVENT = '10000000-0000-7000-8000-000000000002' as EventId
const ELDER = '10000000-0000-7000-8000-000000000003' as EventId
const SEATS = 3_000
const CHANGED = 100

let test: TestDatabase
let database: Database

beforeAll(async () => {
  test = await createTestDatabase()
  database = connectDatabase(test.url, { maxConnections: 2 })
})
afterAll(async () => {
  await database.close()
  await test.drop()
})

async function fill(eventId: EventId, seats = SEATS): Promise<void> {
  await test.sql(
    `with made as (
       insert into seat_holds (organization_id, id, event_id, user_id, ordinal, seat_id, zone_index, quantity,
         created_at, held_until, cap_until, source)
       select $1, gen_random_uuid(), $2, gen_random_uuid(), n, gen_random_uuid(), 0, 1,
         now(), now() + interval '1 minute', now() + interval '1 hour', 'web'
       from generate_series(0, $3::int - 1) as n returning *)
     insert into event_seats (organization_id, event_id, ordinal, status, hold_id, held_until, version)
     select organization_id, event_id, ordinal, 'held', id, held_until, 1 from made`,
    [OURS, eventId, seats],
  )
}

/** The first hundred holds are given back. */
async function givenBack(eventId: EventId): Promise<BatchRows> {
  const holds = await test.sql<{ id: HoldId; user_id: string; ordinal: number; until: number }>(
    `select id, user_id, ordinal, floor(extract(epoch from held_until) * 1000)::float8 + 1 as until from seat_holds
     where event_id = $1 and ordinal < $2 order by ordinal`,
    [eventId, CHANGED],
  )
  return {
    newHolds: [],
    newSeats: [],
    tickets: [],
    audit: [],
    answers: [],
    changedHolds: holds.map(({ id, user_id, until }) => ({
      id,
      userId: user_id,
      quantity: 1,
      status: 'cancelled',
      heldUntil: until,
      capUntil: until + 3_600_000,
      checkoutId: null,
      endedAt: until,
      endReason: 'user_cancelled',
      lastSeq: 2,
    })),
    changedSeats: holds.map(({ ordinal }) => ({ ...FREE, ordinal, version: 2, versionBefore: 1 })),
  }
}

/** Rows that Postgres looked at in this transaction. */
async function rowsRead(eventId: EventId): Promise<Record<string, number>> {
  const rows = await givenBack(eventId)
  return database.lanes.tenant(TenantScope.of(OURS), async tx => {
    writeRows(tx, eventId, rows)
    const read = await tx.query<{ relname: string; read: number }>(
      `select relname, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
       from pg_stat_xact_user_tables where relname in ('seat_holds', 'event_seats') and $1::uuid is not null`,
    )
    return Object.fromEntries(read.map(({ relname, read }) => [relname, read]))
  })
}

it.each([
  ['that Postgres has no statistics of', false],
  ['that is new among events Postgres has statistics of', true],
])('a batch looks at the rows it changes and at no others, in an event %s', async (_, hasElder) => {
  await test.sql('truncate seat_holds, event_seats cascade')
  if (hasElder) {
    await fill(ELDER)
    await test.sql('analyze seat_holds, event_seats')
  }
  await fill(EVENT)
  const read = await rowsRead(EVENT)
  expect(read.event_seats).toBeLessThanOrEqual(5 * CHANGED)
  expect(read.seat_holds).toBeLessThanOrEqual(5 * CHANGED)
  const [row] = await test.sql<{ ended: number; free: number }>(
    `select (select count(*)::int from seat_holds where event_id = $1 and status = 'cancelled') as ended,
       (select count(*)::int from event_seats where event_id = $1 and status = 'available' and version = 2) as free`,
    [EVENT],
  )
  expect(row).toEqual({ ended: CHANGED, free: CHANGED })
})

it('a batch looks at no others, either, when its statements were planned for a small table', async () => {
  await test.sql('truncate seat_holds, event_seats cascade')
  // Lanes of this database have one connection, and a statement keeps its plan after the fifth time.
  for (let rehearsal = 0; rehearsal < 8; rehearsal += 1) {
    const eventId = randomUUID() as EventId
    await fill(eventId, 4)
    await test.sql('analyze seat_holds, event_seats')
    await rowsRead(eventId)
  }
  await fill(EVENT)
  const read = await rowsRead(EVENT)
  // Old versions of rows are met as well.
  expect(read.event_seats).toBeLessThanOrEqual(10 * CHANGED)
  expect(read.seat_holds).toBeLessThanOrEqual(10 * CHANGED)
})

it('a row that is not as the batch knew it undoes the batch', async () => {
  await test.sql('truncate seat_holds, event_seats cascade')
  await fill(EVENT)
  const rows = await givenBack(EVENT)
  const write = () =>
    database.lanes.tenant(TenantScope.of(OURS), async tx => {
      writeRows(tx, EVENT, rows)
    })
  await test.sql('update event_seats set version = 7 where ordinal = 50')
  await expect(write()).rejects.toThrow('division by zero')
  await test.sql('delete from event_seats where ordinal = 50')
  await expect(write()).rejects.toThrow('division by zero')
  const [row] = await test.sql<{ untouched: number }>(
    `select count(*)::int as untouched from seat_holds where status = 'active'`,
  )
  expect(row!.untouched).toBe(SEATS)
})
