import { randomUUID } from 'node:crypto'
import type { EventId, HoldId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { type BatchRows, writeRows } from '@voelgoed/engine/batch/write-batch'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { connectDatabase, type Database } from '@voelgoed/kit/postgres/database'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { afterAll, beforeAll, expect, it } from 'vitest'

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
    `insert into event_seats (organization_id, event_id, ordinal, status, version, version_before, hold_id, user_id,
       created_at, held_until, cap_until, source, last_seq)
     select $1, $2, n, 'held', 1, 0, gen_random_uuid(), gen_random_uuid(), now(), now() + interval '1 minute',
       now() + interval '1 hour', 'web', n + 1
     from generate_series(0, $3::int - 1) as n`,
    [OURS, eventId, seats],
  )
  await test.sql(
    `insert into place_holds (organization_id, event_id, hold_id, zone_index, user_id, quantity, status, created_at,
       held_until, cap_until, source, last_seq)
     select $1, $2, gen_random_uuid(), 1, gen_random_uuid(), 2, 'held', now(), now() + interval '1 minute',
       now() + interval '1 hour', 'web', $3 + n
     from generate_series(1, $3::int) as n`,
    [OURS, eventId, seats],
  )
}

interface Held {
  id: HoldId
  user_id: string
  ordinal: number
  until: number
}

/**
 * The batch changes seat holds and as many place holds: a third ends, a third is extended, a third is sold.
 */
async function changed(eventId: EventId): Promise<BatchRows> {
  const columns = `hold_id as id, user_id, floor(extract(epoch from held_until) * 1000)::float8 as until`
  const seats = await test.sql<Held>(
    `select ${columns}, ordinal from event_seats where event_id = $1 order by ordinal limit $2`,
    [eventId, CHANGED],
  )
  const places = await test.sql<Held>(
    `select ${columns} from place_holds where event_id = $1 order by last_seq limit $2`,
    [eventId, CHANGED],
  )
  const row = ({ id, user_id, until }: Held, quantity: number) => ({
    id,
    userId: user_id,
    quantity,
    heldUntil: until + 1,
    capUntil: until + 3_600_000,
    checkoutId: null,
    lastSeq: 1_000_000,
    made: null,
  })
  const third = (n: number) => (_: unknown, index: number) => index % 3 === n
  const versions = { version: 2, versionBefore: 1 }
  return {
    freeSeats: seats.filter(third(0)).map(({ ordinal }) => ({ ordinal, status: 'available', ...versions })),
    keptSeats: [1, 2].flatMap(n =>
      seats.filter(third(n)).map(seat => ({
        ordinal: seat.ordinal,
        status: n === 1 ? ('held' as const) : ('sold' as const),
        hold: row(seat, 1),
        ticketId: n === 1 ? null : (randomUUID() as TicketId),
        ...versions,
      })),
    ),
    takenSeats: [],
    endedPlaces: places.filter(third(0)).map(({ id }) => id),
    keptPlaces: [1, 2].flatMap(n =>
      places.filter(third(n)).map(hold => ({
        hold: row(hold, 2),
        zoneIndex: 1,
        status: n === 1 ? ('held' as const) : ('sold' as const),
      })),
    ),
    takenPlaces: [],
    tickets: [],
    voided: [],
    audit: [],
    riding: new Map(),
    answers: [],
  }
}

/** Counts the rows that each third has left behind. */
async function standing(eventId: EventId): Promise<unknown> {
  const [row] = await test.sql(
    `select (select count(*)::int from event_seats where event_id = $1 and status = 'available' and version = 2) as free,
       (select count(*)::int from event_seats where event_id = $1 and status = 'held' and version = 2) as extended,
       (select count(*)::int from event_seats where event_id = $1 and status = 'sold' and user_id is not null) as sold,
       (select count(*)::int from place_holds where event_id = $1) as places,
       (select count(*)::int from place_holds where event_id = $1 and status = 'sold') as sold_places`,
    [eventId],
  )
  return row
}
const THIRD = Math.ceil(CHANGED / 3)
const CHANGED_STANDING = {
  free: THIRD,
  extended: THIRD - 1,
  sold: THIRD - 1,
  places: SEATS - THIRD,
  sold_places: THIRD - 1,
}

/** Rows that Postgres looked at in this transaction. */
async function rowsRead(eventId: EventId): Promise<Record<string, number>> {
  const rows = await changed(eventId)
  return database.lanes.tenant(TenantScope.of(OURS), async tx => {
    writeRows(tx, eventId, rows)
    const read = await tx.query<{ relname: string; read: number }>(
      `select relname, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
       from pg_stat_xact_user_tables where relname in ('event_seats', 'place_holds') and $1::uuid is not null`,
    )
    return Object.fromEntries(read.map(({ relname, read }) => [relname, read]))
  })
}

it.each([
  ['that Postgres has no statistics of', false],
  ['that is new among events Postgres has statistics of', true],
])('a batch looks at the rows it changes and at no others, in an event %s', async (_, hasElder) => {
  await test.sql('truncate event_seats, place_holds')
  if (hasElder) {
    await fill(ELDER)
    await test.sql('analyze event_seats, place_holds')
  }
  await fill(EVENT)
  const read = await rowsRead(EVENT)
  expect(read.event_seats).toBeLessThanOrEqual(5 * CHANGED)
  expect(read.place_holds).toBeLessThanOrEqual(5 * CHANGED)
  expect(await standing(EVENT)).toEqual(CHANGED_STANDING)
})

it('a batch looks at no others, either, when its statements were planned for a small table', async () => {
  await test.sql('truncate event_seats, place_holds')
  // Lanes of this database have one connection, and a statement keeps its plan after the fifth time.
  for (let rehearsal = 0; rehearsal < 8; rehearsal += 1) {
    const eventId = randomUUID() as EventId
    await fill(eventId, 4)
    await test.sql('analyze event_seats, place_holds')
    await rowsRead(eventId)
  }
  await fill(EVENT)
  const read = await rowsRead(EVENT)
  // Old versions of rows are met as well.
  expect(read.event_seats).toBeLessThanOrEqual(10 * CHANGED)
  expect(read.place_holds).toBeLessThanOrEqual(10 * CHANGED)
})

const seat = (ordinal: number, set: string) =>
  `update event_seats set ${set} where event_id = $1 and ordinal = ${ordinal}`
const noSeat = (ordinal: number) => `delete from event_seats where event_id = $1 and ordinal = ${ordinal}`
/** The first hold of places ends, the second is extended, the third is sold; n chooses one of them. */
const places = (n: number, then: string) =>
  `${then} where event_id = $1 and last_seq = (select min(last_seq) + ${n} from place_holds where event_id = $1)`

it.each([
  ['a seat to be freed has another version', seat(0, 'version = 7'), /division by zero/],
  ['a seat to be freed has no row', noSeat(0), /would go back/],
  ['a seat to be extended has another version', seat(1, 'version = 7'), /division by zero/],
  ['a seat to be extended has another hold', seat(1, 'hold_id = gen_random_uuid()'), /division by zero/],
  ['a seat to be extended has no row', noSeat(1), /division by zero/],
  ['a seat to be sold has another version', seat(2, 'version = 7'), /division by zero/],
  ['places that end have ended', places(0, 'delete from place_holds'), /division by zero/],
  ['places that end are sold', places(0, `update place_holds set status = 'sold'`), /are sold/],
  ['places to be extended have ended', places(1, 'delete from place_holds'), /division by zero/],
  ['places to be sold are sold', places(2, `update place_holds set status = 'sold'`), /division by zero/],
])('nothing of a batch happens when %s', async (_, damage, refusedBy) => {
  await test.sql('truncate event_seats, place_holds')
  await fill(EVENT, 30)
  const rows = await changed(EVENT)
  for (const table of ['event_seats', 'place_holds']) {
    await test.sql(`alter table ${table} disable trigger user`)
  }
  await test.sql(damage, [EVENT])
  for (const table of ['event_seats', 'place_holds']) {
    await test.sql(`alter table ${table} enable trigger user`)
  }
  const before = await standing(EVENT)
  const write = database.lanes.tenant(TenantScope.of(OURS), async tx => {
    writeRows(tx, EVENT, rows)
  })
  await expect(write).rejects.toThrow(refusedBy)
  expect(await standing(EVENT)).toEqual(before)
})
