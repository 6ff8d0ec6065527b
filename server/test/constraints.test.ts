import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, openPool, type TestDatabase } from './kit/test-database.ts'

/**
 * Database constraints would refuse a double hold or a second ticket even if all our code were wrong:
 * everything here goes around the code, with SQL of its own, as the role that requests run as and, where a
 * constraint and not a missing permission is to refuse, as the owner of the tables too.
 */

const OURS = '10000000-0000-7000-8000-000000000000'
const THEIRS = '20000000-0000-7000-8000-000000000000'
const USER = '10000000-0000-7000-8000-000000000001'
const EVENT = '10000000-0000-7000-8000-000000000002'
const THEIR_EVENT = '20000000-0000-7000-8000-000000000002'
const LIVE_HOLD = '10000000-0000-7000-8000-00000000000a'
const SPENT_HOLD = '10000000-0000-7000-8000-00000000000b'
const PLACES_HOLD = '10000000-0000-7000-8000-00000000000c'
const THEIR_HOLD = '20000000-0000-7000-8000-00000000000a'
const TICKET = '10000000-0000-7000-8000-00000000000d'

const HOLD_COLUMNS = `organization_id, id, event_id, user_id, ordinal, seat_id, zone_index, quantity, status, created_at,
  held_until, cap_until, ended_at, end_reason, source`
const seatId = (ordinal: number) => `'30000000-0000-7000-8000-00000000000${ordinal}'`

/** A hold that is like any other but for what is given. */
function insertHold(given: Record<string, string>): string {
  const row: Record<string, string> = {
    organization_id: `'${OURS}'`,
    id: 'gen_random_uuid()',
    event_id: `'${EVENT}'`,
    user_id: `'${USER}'`,
    ordinal: '3',
    seat_id: seatId(3),
    zone_index: '0',
    quantity: '1',
    status: `'active'`,
    created_at: 'now()',
    held_until: `now() + interval '10 minutes'`,
    cap_until: `now() + interval '15 minutes'`,
    ended_at: 'null',
    end_reason: 'null',
    source: `'web'`,
    ...given,
  }
  return `insert into seat_holds (${HOLD_COLUMNS}) values (${Object.values(row).join()})`
}

function insertTicket(given: Record<string, string>): string {
  const row: Record<string, string> = {
    organization_id: `'${OURS}'`,
    id: 'gen_random_uuid()',
    event_id: `'${EVENT}'`,
    hold_id: `'${SPENT_HOLD}'`,
    user_id: `'${USER}'`,
    ordinal: '3',
    seat_id: seatId(3),
    zone_index: '0',
    checkout_id: 'gen_random_uuid()',
    created_at: 'now()',
    ...given,
  }
  return `insert into tickets (${Object.keys(row).join()}) values (${Object.values(row).join()})`
}

const insertEntry = (seq: number, { lastSeq = seq, organizationId = OURS } = {}) =>
  `insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff, encoding,
     packed) values ('${organizationId}', '${EVENT}', ${seq}, ${lastSeq}, now(), gen_random_uuid(), gen_random_uuid(), true, 0,
     '[]')`

/** One event: seat 0 held, 1 sold, 2 blocked, 3 available again; two of three places held in the pit. */
const SCENE = `
  insert into organizations (id, slug, name) values ('${OURS}', 'ours', 'Ours'), ('${THEIRS}', 'theirs', 'Theirs');
  insert into venues (organization_id, id, name) select id, id, name from organizations;
  insert into layouts (organization_id, id, venue_id, name, latest_version) select id, id, id, name, 1 from organizations;
  insert into layout_versions (organization_id, layout_id, version, total_capacity, seat_count, drawing)
    select id, id, 1, 7, 4, '{}' from organizations;
  insert into events (organization_id, id, name, status, venue_id, layout_id, layout_version, overlay)
    values ('${OURS}', '${EVENT}', 'E', 'published', '${OURS}', '${OURS}', 1, '{}'),
      ('${THEIRS}', '${THEIR_EVENT}', 'E', 'published', '${THEIRS}', '${THEIRS}', 1, '{}');
  insert into event_ledgers (organization_id, event_id, seq)
    values ('${OURS}', '${EVENT}', 0), ('${THEIRS}', '${THEIR_EVENT}', 0);
  ${insertEntry(1)};
  update event_ledgers set seq = 1 where event_id = '${EVENT}';
  ${insertHold({ id: `'${LIVE_HOLD}'`, ordinal: '0', seat_id: seatId(0) })};
  ${insertHold({
    id: `'${SPENT_HOLD}'`,
    ordinal: '1',
    seat_id: seatId(1),
    status: `'converted'`,
    ended_at: 'now()',
    end_reason: `'converted'`,
  })};
  ${insertHold({ id: `'${PLACES_HOLD}'`, ordinal: 'null', seat_id: 'null', zone_index: '1', quantity: '2' })};
  ${insertHold({ organization_id: `'${THEIRS}'`, id: `'${THEIR_HOLD}'`, event_id: `'${THEIR_EVENT}'` })};
  ${insertTicket({ id: `'${TICKET}'`, ordinal: '1', seat_id: seatId(1) })};
  insert into event_seats (organization_id, event_id, ordinal, status, hold_id, ticket_id, held_until, version) values
    ('${OURS}', '${EVENT}', 0, 'held', '${LIVE_HOLD}', null, now() + interval '10 minutes', 1),
    ('${OURS}', '${EVENT}', 1, 'sold', '${SPENT_HOLD}', '${TICKET}', null, 2),
    ('${OURS}', '${EVENT}', 2, 'blocked', null, null, null, 1),
    ('${OURS}', '${EVENT}', 3, 'available', null, null, null, 2);
  insert into zone_counts (organization_id, event_id, zone_index, zone_id, capacity, held, sold, blocked) values
    ('${OURS}', '${EVENT}', 0, '${OURS}', 4, 1, 1, 1), ('${OURS}', '${EVENT}', 1, '${USER}', 3, 2, 0, 0)`

let database: TestDatabase
let pool: pg.Pool

beforeAll(async () => {
  database = await createTestDatabase()
  await database.sql(SCENE)
  pool = openPool({ connectionString: database.url, max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

type Role = 'voelgoed_app' | 'voelgoed_platform' | 'owner'

/** Tries it and takes it back. `null` when Postgres let it happen; else what refused it. */
async function refusalOf(role: Role, statement: string): Promise<string | null> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    if (role !== 'owner') await client.query(`set local role ${role}`)
    await client.query(`select set_config('app.organization_id', '${OURS}', true)`)
    await client.query(statement)
    return null
  } catch (error) {
    await client.query('rollback')
    if (!(error instanceof pg.DatabaseError)) throw error
    const { constraint, message } = error
    const { rows } = await client.query<{ definition: string }>(
      `select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1
       union all select pg_get_indexdef(indexrelid) from pg_index where indexrelid::regclass::text = $1`,
      [constraint],
    )
    return rows[0]?.definition ?? message
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const setSeat = (ordinal: number, set: string) =>
  `update event_seats set ${set} where organization_id = '${OURS}' and ordinal = ${ordinal}`
const setHold = (id: string, set: string) => `update seat_holds set ${set} where id = '${id}'`
const setZone = (zone: number, set: string) =>
  `update zone_counts set ${set} where organization_id = '${OURS}' and zone_index = ${zone}`

describe('what our own code does is let through, so that a refusal below means something', () => {
  it.each([
    ['a hold of a free seat', insertHold({})],
    ['a hold of places', insertHold({ ordinal: 'null', seat_id: 'null', zone_index: '1', quantity: '1' })],
    [
      'the seat of that hold',
      setSeat(3, `status = 'held', hold_id = gen_random_uuid(), held_until = now(), version = 3`),
    ],
    [
      'the end of a hold',
      setHold(LIVE_HOLD, `status = 'expired', ended_at = now(), end_reason = 'ttl_expired'`),
    ],
    ['a ticket', insertTicket({})],
    ['one more place held', setZone(1, 'held = held + 1')],
    ['the next entry of the journal', insertEntry(2)],
  ])('%s', async (_what, statement) => {
    expect(await refusalOf('voelgoed_app', statement)).toBe(null)
  })
})

const impossible: [what: string, statement: string, refusedBy: RegExp][] = [
  [
    'a hold that has ended, alive again',
    setHold(SPENT_HOLD, `status = 'active', ended_at = null, end_reason = null`),
    /would go back/,
  ],
  ['a hold cut short', setHold(LIVE_HOLD, `held_until = held_until - interval '1 second'`), /would go back/],
  ['a hold that gets more places', setHold(PLACES_HOLD, 'quantity = quantity + 1'), /would go back/],
  [
    'a hold that has ended, given to another person',
    setHold(SPENT_HOLD, 'user_id = gen_random_uuid()'),
    /would go back/,
  ],
  ['a version that stands still', setSeat(3, `status = 'blocked'`), /would go back/],
  ['a seq that goes back', `update event_ledgers set seq = 0 where event_id = '${EVENT}'`, /would go back/],
  [
    'a ticket with a seat but no place in the hall',
    insertTicket({ ordinal: 'null' }),
    /ordinal IS NULL\) = \(seat_id IS NULL/,
  ],
  [
    'a second live hold of a seat',
    insertHold({ ordinal: '0', seat_id: seatId(0) }),
    /UNIQUE.*ordinal.*active/,
  ],
  ['the same hold twice', insertHold({ id: `'${LIVE_HOLD}'` }), /PRIMARY KEY \(organization_id, id\)/],
  ['a second valid ticket for a seat', insertTicket({ ordinal: '1' }), /UNIQUE.*ordinal.*voided_at IS NULL/],
  ['a ticket without a hold', insertTicket({ hold_id: 'gen_random_uuid()' }), /FOREIGN KEY.*hold_id/],
  [
    'a ticket from the hold of another organization',
    insertTicket({ hold_id: `'${THEIR_HOLD}'` }),
    /FOREIGN KEY.*hold_id/,
  ],
  [
    'a second row of a seat',
    `insert into event_seats values ('${OURS}', '${EVENT}', 0, 'available', null, null, null, 1)`,
    /PRIMARY KEY.*ordinal/,
  ],

  ['an overfull zone: held', setZone(1, 'held = 4'), /\(\(held \+ sold\) \+ blocked\) <= capacity/],
  ['an overfull zone: sold', setZone(1, 'sold = 2'), /\(\(held \+ sold\) \+ blocked\) <= capacity/],
  ['an overfull zone: blocked', setZone(0, 'blocked = 3'), /\(\(held \+ sold\) \+ blocked\) <= capacity/],
  [
    'a zone shrunk below what is in it',
    setZone(1, 'capacity = 1'),
    /\(\(held \+ sold\) \+ blocked\) <= capacity/,
  ],
  ['a negative counter: held', setZone(0, 'held = -1'), /held >= 0/],
  ['a negative counter: sold', setZone(0, 'sold = -1'), /sold >= 0/],
  ['a negative counter: blocked', setZone(0, 'blocked = -1'), /blocked >= 0/],
  ['a zone without places', setZone(1, 'held = 0, capacity = 0'), /capacity > 0/],

  [
    'a sold seat made available',
    setSeat(1, `status = 'available', hold_id = null, ticket_id = null`),
    /is sold/,
  ],
  ['a sold seat held again', setSeat(1, `status = 'held', ticket_id = null, held_until = now()`), /is sold/],
  ['a sold seat blocked', setSeat(1, `status = 'blocked', hold_id = null, ticket_id = null`), /is sold/],
  ['a sold seat given to another ticket', setSeat(1, 'ticket_id = gen_random_uuid()'), /is sold/],

  ['a held seat without a hold', setSeat(0, 'hold_id = null'), /held.*sold.*hold_id IS NOT NULL/],
  ['a held seat without an end', setSeat(0, 'held_until = null'), /held_until IS NOT NULL/],
  [
    'an available seat with a hold',
    setSeat(3, 'hold_id = gen_random_uuid()'),
    /held.*sold.*hold_id IS NOT NULL/,
  ],
  ['a blocked seat with an end', setSeat(2, 'held_until = now()'), /held_until IS NOT NULL/],
  ['a sold seat without a ticket', setSeat(0, `status = 'sold', held_until = null`), /ticket_id IS NOT NULL/],
  ['a held seat with a ticket', setSeat(0, 'ticket_id = gen_random_uuid()'), /ticket_id IS NOT NULL/],
  ['a version below one', setSeat(0, 'version = 0'), /version > 0/],

  [
    'a hold beyond its cap',
    setHold(LIVE_HOLD, `held_until = cap_until + interval '1 ms'`),
    /held_until <= cap_until/,
  ],
  [
    'a hold beyond its cap, from the beginning',
    insertHold({ cap_until: 'now()' }),
    /held_until <= cap_until/,
  ],
  [
    'a hold that ended without a reason',
    setHold(LIVE_HOLD, `status = 'expired', ended_at = now()`),
    /end_reason IS NULL/,
  ],
  [
    'a hold that ended at no time',
    setHold(LIVE_HOLD, `status = 'expired', end_reason = 'ttl_expired'`),
    /ended_at IS NULL/,
  ],
  [
    'a live hold that has ended',
    setHold(LIVE_HOLD, `ended_at = now(), end_reason = 'ttl_expired'`),
    /ended_at IS NULL/,
  ],
  [
    'a hold whose reason is of another end',
    setHold(LIVE_HOLD, `status = 'expired', ended_at = now(), end_reason = 'user_cancelled'`),
    /expired.*ttl_expired/,
  ],
  ['two places on a seat', insertHold({ quantity: '2' }), /ordinal IS NULL.*quantity = 1/],
  ['a hold of nothing', insertHold({ ordinal: 'null', seat_id: 'null', quantity: '0' }), /quantity > 0/],
  ['an ordinal without its seat', insertHold({ seat_id: 'null' }), /ordinal IS NULL.*seat_id IS NULL/],

  ['a number of the journal twice', insertEntry(1), /PRIMARY KEY.*first_seq/],
  ['a number of the journal left out', insertEntry(3), /entry 3 does not continue the journal/],
  [
    'a row of the journal that ends before it begins',
    insertEntry(2, { lastSeq: 1 }),
    /last_seq >= first_seq/,
  ],
  [
    'a second ledger of an event',
    `insert into event_ledgers values ('${OURS}', '${EVENT}', 0)`,
    /PRIMARY KEY/,
  ],
  [
    'a ledger of an event of another organization',
    `insert into event_ledgers values ('${OURS}', '${THEIR_EVENT}', 0)`,
    /FOREIGN KEY.*event_id/,
  ],
  [
    'a ledger before the beginning',
    `update event_ledgers set seq = -1 where organization_id = '${OURS}'`,
    /seq >= 0/,
  ],
]

describe.each(['voelgoed_app', 'owner'] as const)('refused by a constraint, also to %s', role => {
  it.each(impossible)('%s', async (_what, statement, refusedBy) => {
    expect(await refusalOf(role, statement)).toMatch(refusedBy)
  })
})

describe.each(['voelgoed_app', 'voelgoed_platform'] as const)('not permitted to %s', role => {
  const tables = ['journal', 'seat_holds', 'event_seats', 'zone_counts', 'tickets', 'event_ledgers']

  it.each(tables)('to delete from %s, or to empty it', async table => {
    expect(await refusalOf(role, `delete from ${table}`)).toMatch(/permission denied/)
    expect(await refusalOf(role, `truncate ${table} cascade`)).toMatch(/permission denied/)
  })

  it.each([
    ['to rewrite the journal', `update journal set packed = '[]'`],
    ['to void or move a ticket', 'update tickets set voided_at = now()'],
    ['to move a hold to another seat', 'update seat_holds set ordinal = 2'],
    ['to move a hold to another event', `update seat_holds set event_id = '${THEIR_EVENT}'`],
    ['to make a hold younger', 'update seat_holds set created_at = now()'],
    ['to change the seats of a layout', 'update seats set seat_id = gen_random_uuid()'],
  ])('%s', async (_what, statement) => {
    expect(await refusalOf(role, statement)).toMatch(/permission denied/)
  })

  it.each([
    ['to switch the guard of sold seats off', 'alter table event_seats disable trigger sold_stays_sold'],
    ['to drop a constraint', 'alter table zone_counts drop constraint zone_counts_check'],
    ['to drop the index that allows one live hold a seat', 'drop index seat_holds_active_seat'],
    ['to switch row-level security off', 'alter table seat_holds disable row level security'],
    [
      'to replace the guard of sold seats',
      `create or replace function refuse_unselling() returns trigger
        language plpgsql as 'begin return new; end'`,
    ],
    ['to work as a replica, without triggers', `set session_replication_role = 'replica'`],
  ])('%s', async (_what, statement) => {
    expect(await refusalOf(role, statement)).toMatch(/must be owner|permission denied/)
  })
})

describe('another organization', () => {
  it.each([
    ['a hold', insertHold({ organization_id: `'${THEIRS}'` })],
    ['a ticket', insertTicket({ organization_id: `'${THEIRS}'`, hold_id: `'${THEIR_HOLD}'` })],
    ['an entry of the journal', insertEntry(9, { organizationId: THEIRS })],
    [
      'a seat',
      `insert into event_seats values ('${THEIRS}', '${THEIR_EVENT}', 0, 'blocked', null, null, null, 1)`,
    ],
    ['a counter', `insert into zone_counts values ('${THEIRS}', '${THEIR_EVENT}', 0, '${USER}', 1)`],
    ['a move of our seats to them', `update event_seats set organization_id = '${THEIRS}'`],
  ])('gets nothing from us: %s', async (_what, statement) => {
    expect(await refusalOf('voelgoed_app', statement)).toMatch(/row-level security/)
  })

  it('shows nothing to us, so nothing of it can be changed', async () => {
    const client = await pool.connect()
    try {
      await client.query(`begin; set local role voelgoed_app; set local app.organization_id = '${OURS}'`)
      const ended = `status = 'cancelled', ended_at = now(), end_reason = 'admin_override'`
      expect(await client.query(setHold(THEIR_HOLD, ended))).toMatchObject({ rowCount: 0 })
      expect(await client.query(setHold(LIVE_HOLD, ended))).toMatchObject({ rowCount: 1 })
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})
