import { createTestDatabase, openPool, type TestDatabase } from '@voelgoed/testing/test-database'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

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
const SOLD_PLACES = '10000000-0000-7000-8000-00000000000e'
const ENDED_HOLD = '10000000-0000-7000-8000-00000000000f'
const TICKET = '10000000-0000-7000-8000-00000000000d'

const seatId = (ordinal: number) => `'30000000-0000-7000-8000-00000000000${ordinal}'`

const insert = (table: string, row: Record<string, string>) =>
  `insert into ${table} (${Object.keys(row).join()}) values (${Object.values(row).join()})`

/** Every hold has these, in any of the tables. */
const ANY_HOLD = {
  organization_id: `'${OURS}'`,
  event_id: `'${EVENT}'`,
  user_id: `'${USER}'`,
  created_at: 'now()',
  held_until: `now() + interval '10 minutes'`,
  cap_until: `now() + interval '15 minutes'`,
  source: `'web'`,
  last_seq: '1',
}

/** A row of a seat, held like any other but for what is given. */
function insertSeat(given: Record<string, string>): string {
  return insert('event_seats', {
    ...ANY_HOLD,
    ordinal: '4',
    status: `'held'`,
    version: '1',
    version_before: '0',
    hold_id: 'gen_random_uuid()',
    ticket_id: 'null',
    ...given,
  })
}

const NO_HOLD = {
  hold_id: 'null',
  user_id: 'null',
  created_at: 'null',
  held_until: 'null',
  cap_until: 'null',
  source: 'null',
  last_seq: 'null',
}

function insertPlaces(given: Record<string, string>): string {
  return insert('place_holds', {
    ...ANY_HOLD,
    hold_id: 'gen_random_uuid()',
    zone_index: '1',
    quantity: '1',
    status: `'held'`,
    ...given,
  })
}

function insertEnded(given: Record<string, string>): string {
  return insert('hold_history', {
    ...ANY_HOLD,
    id: 'gen_random_uuid()',
    ordinal: '3',
    zone_index: '0',
    quantity: '1',
    status: `'expired'`,
    ended_at: `now() + interval '10 minutes'`,
    end_reason: `'ttl_expired'`,
    ...given,
  })
}

function insertTicket(given: Record<string, string>): string {
  const row: Record<string, string> = {
    organization_id: `'${OURS}'`,
    id: 'gen_random_uuid()',
    event_id: `'${EVENT}'`,
    hold_id: `'${SOLD_PLACES}'`,
    user_id: `'${USER}'`,
    ordinal: 'null',
    seat_id: 'null',
    zone_index: '1',
    checkout_id: 'gen_random_uuid()',
    created_at: 'now()',
    ...given,
  }
  return insert('tickets', row)
}

const insertEntry = (seq: number, { lastSeq = seq, organizationId = OURS } = {}) =>
  `insert into journal (organization_id, event_id, first_seq, last_seq, at, first_command, last_command, by_staff, encoding,
     packed) values ('${organizationId}', '${EVENT}', ${seq}, ${lastSeq}, now(), gen_random_uuid(), gen_random_uuid(), true, 0,
     '[]')`

/**
 * One event: seat 0 held, 1 sold, 2 blocked, 3 available again; two of four places held in the pit, and one
 * sold, whose ticket is still to come.
 */
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
  ${insertSeat({ ordinal: '0', hold_id: `'${LIVE_HOLD}'` })};
  ${insertSeat({ ordinal: '1', status: `'sold'`, hold_id: `'${SPENT_HOLD}'`, ticket_id: `'${TICKET}'`, version: '2' })};
  ${insertSeat({ ordinal: '2', status: `'blocked'`, ...NO_HOLD })};
  ${insertSeat({ ordinal: '3', status: `'available'`, version: '2', ...NO_HOLD })};
  ${insertSeat({ organization_id: `'${THEIRS}'`, event_id: `'${THEIR_EVENT}'`, hold_id: `'${THEIR_HOLD}'` })};
  ${insertPlaces({ hold_id: `'${PLACES_HOLD}'`, quantity: '2' })};
  ${insertPlaces({ hold_id: `'${SOLD_PLACES}'`, status: `'sold'` })};
  ${insertEnded({ id: `'${ENDED_HOLD}'` })};
  insert into history_cursors values ('${OURS}', '${EVENT}', 1);
  ${insertTicket({ id: `'${TICKET}'`, hold_id: `'${SPENT_HOLD}'`, ordinal: '1', seat_id: seatId(1), zone_index: '0' })};
  insert into zone_counts (organization_id, event_id, zone_index, zone_id, capacity, held, sold, blocked) values
    ('${OURS}', '${EVENT}', 0, '${OURS}', 4, 1, 1, 1), ('${OURS}', '${EVENT}', 1, '${USER}', 4, 2, 1, 0)`

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

/** The next version of a seat, but for what is given. */
const setSeat = (ordinal: number, set: string, version = 'version = version + 1, version_before = version') =>
  `update event_seats set ${[set, version].filter(part => part !== '').join()}
   where organization_id = '${OURS}' and ordinal = ${ordinal}`
const setPlaces = (id: string, set: string) => `update place_holds set ${set} where hold_id = '${id}'`
const CLEARED = Object.entries(NO_HOLD)
  .map(([column, value]) => `${column} = ${value}`)
  .join()
const NEW_HOLD = `hold_id = gen_random_uuid(), user_id = '${USER}', created_at = now(), held_until = now() + interval '1 minute',
  cap_until = now() + interval '1 minute', source = 'web', last_seq = 9`
const setZone = (zone: number, set: string) =>
  `update zone_counts set ${set} where organization_id = '${OURS}' and zone_index = ${zone}`

describe('what our own code does is let through, so that a refusal below means something', () => {
  it.each([
    ['a hold of a seat that was never touched', insertSeat({})],
    ['a hold of places', insertPlaces({})],
    ['a hold of a seat that was free again', setSeat(3, `status = 'held', ${NEW_HOLD}`)],
    ['more time for a hold', setSeat(0, `held_until = cap_until, last_seq = 2`)],
    ['another owner of a hold', setSeat(0, 'user_id = gen_random_uuid(), last_seq = 2')],
    ['the end of a hold', setSeat(0, `status = 'available', ${CLEARED}`)],
    [
      'the end of a hold, and the next one of the same seat',
      setSeat(0, `status = 'held', ${NEW_HOLD}`, 'version = version + 2, version_before = version'),
    ],
    ['the sale of a seat', setSeat(0, `status = 'sold', ticket_id = gen_random_uuid(), last_seq = 2`)],
    ['fewer places', setPlaces(PLACES_HOLD, 'quantity = 1, last_seq = 2')],
    ['the sale of places', setPlaces(PLACES_HOLD, `status = 'sold', last_seq = 2`)],
    ['the end of a hold of places', `delete from place_holds where hold_id = '${PLACES_HOLD}'`],
    ['a hold that has ended', insertEnded({})],
    ['the history goes on', `update history_cursors set seq = 2 where event_id = '${EVENT}'`],
    ['a ticket', insertTicket({})],
    ['one more place held', setZone(1, 'held = held + 1')],
    ['the next entry of the journal', insertEntry(2)],
  ])('%s', async (_what, statement) => {
    expect(await refusalOf('voelgoed_app', statement)).toBe(null)
  })
})

const impossible: [what: string, statement: string, refusedBy: RegExp][] = [
  [
    'a hold cut short',
    setSeat(0, `held_until = held_until - interval '1 second', last_seq = 2`),
    /would go back/,
  ],
  ['a hold whose story stands still', setSeat(0, 'user_id = gen_random_uuid()'), /would go back/],
  ['a hold made younger', setSeat(0, `created_at = now() + interval '1 s', last_seq = 2`), /would go back/],
  ['a hold of another source', setSeat(0, `source = 'admin', last_seq = 2`), /would go back/],
  ['a hold of another address', setSeat(0, `ip = '10.0.0.1', last_seq = 2`), /would go back/],
  ['a hold of another cart', setSeat(0, `cart_token = 'another', last_seq = 2`), /would go back/],
  ['a held seat given to another hold in one step', setSeat(0, NEW_HOLD), /would go back/],
  [
    'a free seat sold in one step',
    setSeat(3, `status = 'sold', ticket_id = gen_random_uuid(), ${NEW_HOLD}`),
    /would go back/,
  ],
  ['a version that stands still', setSeat(3, `status = 'blocked'`, ''), /would go back/],
  [
    'a version that does not follow the one that is there',
    setSeat(3, `status = 'blocked'`, 'version = 4, version_before = 3'),
    /would go back/,
  ],
  ['a seat moved to another place', setSeat(3, 'ordinal = 9'), /would go back/],
  [
    'a first version that follows another',
    insertSeat({ version: '2', version_before: '1' }),
    /would go back/,
  ],
  [
    'a version that follows itself',
    setSeat(3, `status = 'blocked'`, 'version = 3, version_before = 3'),
    /version_before < version/,
  ],
  ['places cut short', setPlaces(PLACES_HOLD, `held_until = now(), last_seq = 2`), /would go back/],
  ['a hold that gets more places', setPlaces(PLACES_HOLD, 'quantity = 3, last_seq = 2'), /would go back/],
  [
    'fewer places sold than were held',
    setPlaces(PLACES_HOLD, `quantity = 1, status = 'sold', last_seq = 2`),
    /would go back/,
  ],
  ['places whose story stands still', setPlaces(PLACES_HOLD, 'quantity = 1'), /would go back/],
  ['sold places held again', setPlaces(SOLD_PLACES, `status = 'held', last_seq = 2`), /are sold/],
  ['sold places given to another person', setPlaces(SOLD_PLACES, 'user_id = gen_random_uuid()'), /are sold/],
  ['sold places gone', `delete from place_holds where hold_id = '${SOLD_PLACES}'`, /are sold/],
  ['places that are blocked', insertPlaces({ status: `'blocked'` }), /status = ANY.*held.*sold/],
  [
    'a history that goes back',
    `update history_cursors set seq = 0 where event_id = '${EVENT}'`,
    /would go back/,
  ],
  [
    'a history that stands still',
    `update history_cursors set seq = 1 where event_id = '${EVENT}'`,
    /would go back/,
  ],
  [
    'a history before the beginning',
    `update history_cursors set seq = -1 where event_id = '${EVENT}'`,
    /seq >= 0/,
  ],
  [
    'a second cursor of an event',
    `insert into history_cursors values ('${OURS}', '${EVENT}', 1)`,
    /PRIMARY KEY.*event_id/,
  ],
  [
    'a cursor of an event of another organization',
    `insert into history_cursors values ('${OURS}', '${THEIR_EVENT}', 1)`,
    /FOREIGN KEY.*event_id/,
  ],
  ['a hold that ends twice', insertEnded({ id: `'${ENDED_HOLD}'` }), /PRIMARY KEY \(organization_id, id\)/],
  [
    'a hold in the history that lives',
    insertEnded({ status: `'active'`, end_reason: `'admin_override'` }),
    /status <> 'active'/,
  ],
  ['a seq that goes back', `update event_ledgers set seq = 0 where event_id = '${EVENT}'`, /would go back/],
  [
    'a ticket with a seat but no place in the hall',
    insertTicket({ seat_id: seatId(3) }),
    /ordinal IS NULL\) = \(seat_id IS NULL/,
  ],
  ['a second owner of a seat', insertSeat({ ordinal: '0' }), /PRIMARY KEY.*ordinal/],
  ['a second seat of a hold', insertSeat({ hold_id: `'${LIVE_HOLD}'` }), /UNIQUE.*hold_id/],
  ['the same hold of places twice', insertPlaces({ hold_id: `'${PLACES_HOLD}'` }), /PRIMARY KEY.*hold_id/],
  [
    'a second valid ticket for a seat',
    insertTicket({ hold_id: `'${SPENT_HOLD}'`, ordinal: '1', seat_id: seatId(1), zone_index: '0' }),
    /UNIQUE.*ordinal.*voided_at IS NULL/,
  ],
  [
    'a second valid ticket for a chair, under another place in the hall',
    insertTicket({ hold_id: `'${SPENT_HOLD}'`, ordinal: '3', seat_id: seatId(1), zone_index: '0' }),
    /UNIQUE.*seat_id.*voided_at IS NULL/,
  ],
  ['a ticket without a hold', insertTicket({ hold_id: 'gen_random_uuid()' }), /no hold that was sold/],
  [
    'a ticket from a hold that lives',
    insertTicket({ hold_id: `'${LIVE_HOLD}'`, ordinal: '0', seat_id: seatId(0), zone_index: '0' }),
    /no hold that was sold/,
  ],
  [
    'a ticket from places that are held',
    insertTicket({ hold_id: `'${PLACES_HOLD}'` }),
    /no hold that was sold/,
  ],
  ['a ticket for another person', insertTicket({ user_id: 'gen_random_uuid()' }), /no hold that was sold/],
  ['a ticket for another zone', insertTicket({ zone_index: '0' }), /no hold that was sold/],
  ['more tickets than places', `${insertTicket({})}; ${insertTicket({})}`, /no hold that was sold/],
  [
    'a ticket from the hold of another organization',
    insertTicket({ hold_id: `'${THEIR_HOLD}'` }),
    /no hold that was sold/,
  ],

  ['an overfull zone: held', setZone(1, 'held = 5'), /\(\(held \+ sold\) \+ blocked\) <= capacity/],
  ['an overfull zone: sold', setZone(1, 'sold = 3'), /\(\(held \+ sold\) \+ blocked\) <= capacity/],
  ['an overfull zone: blocked', setZone(0, 'blocked = 3'), /\(\(held \+ sold\) \+ blocked\) <= capacity/],
  [
    'a zone shrunk below what is in it',
    setZone(1, 'capacity = 1'),
    /\(\(held \+ sold\) \+ blocked\) <= capacity/,
  ],
  ['a negative counter: held', setZone(0, 'held = -1'), /held >= 0/],
  ['a negative counter: sold', setZone(0, 'sold = -1'), /sold >= 0/],
  ['a negative counter: blocked', setZone(0, 'blocked = -1'), /blocked >= 0/],
  ['a zone without places', setZone(1, 'held = 0, sold = 0, capacity = 0'), /capacity > 0/],

  ['a sold seat made available', setSeat(1, `status = 'available', ticket_id = null, ${CLEARED}`), /is sold/],
  ['a sold seat held again', setSeat(1, `status = 'held', ticket_id = null`), /is sold/],
  ['a sold seat blocked', setSeat(1, `status = 'blocked', ticket_id = null, ${CLEARED}`), /is sold/],
  ['a sold seat given to another ticket', setSeat(1, 'ticket_id = gen_random_uuid()'), /is sold/],

  ...['hold_id', 'user_id', 'created_at', 'held_until', 'cap_until', 'source', 'last_seq'].map(
    (column): [string, string, RegExp] => [
      `a held seat without its ${column}`,
      setSeat(0, `${column} = null`),
      /CASE.*held.*sold.*hold_id IS NOT NULL/s,
    ],
  ),
  ['a sold seat without its owner', insertSeat({ status: `'sold'`, user_id: 'null' }), /CASE.*held.*sold/s],
  ...Object.entries({
    hold_id: 'gen_random_uuid()',
    user_id: 'gen_random_uuid()',
    created_at: 'now()',
    held_until: 'now()',
    cap_until: 'now()',
    checkout_id: 'gen_random_uuid()',
    cart_token: `'cart'`,
    source: `'web'`,
    ip: `'10.0.0.1'`,
    last_seq: '1',
    taken_by: 'gen_random_uuid()',
  }).flatMap(([column, value]): [string, string, RegExp][] => [
    [`a free seat with ${column}`, setSeat(3, `${column} = ${value}`), /CASE.*held.*sold.*hold_id IS NULL/s],
    [
      `a blocked seat with ${column}`,
      setSeat(2, `${column} = ${value}`),
      /CASE.*held.*sold.*hold_id IS NULL/s,
    ],
  ]),
  ['a sold seat without a ticket', setSeat(0, `status = 'sold', last_seq = 2`), /ticket_id IS NOT NULL/],
  [
    'a held seat with a ticket',
    setSeat(0, 'ticket_id = gen_random_uuid(), last_seq = 2'),
    /ticket_id IS NOT NULL/,
  ],
  [
    'a version below one',
    setSeat(0, '', 'version = 0, version_before = -1'),
    /version > 0|version_before >= 0/,
  ],
  ['a version before the first', insertSeat({ version_before: '-1' }), /version_before >= 0/],

  [
    'a hold beyond its cap',
    setSeat(0, `held_until = cap_until + interval '1 ms', last_seq = 2`),
    /held_until <= cap_until/,
  ],
  [
    'a hold beyond its cap, from the beginning',
    insertSeat({ cap_until: 'now()' }),
    /held_until <= cap_until/,
  ],
  ['places beyond their cap', insertPlaces({ cap_until: 'now()' }), /held_until <= cap_until/],
  ['an ended hold beyond its cap', insertEnded({ cap_until: 'now()' }), /held_until <= cap_until/],
  ['a hold of nothing', insertPlaces({ quantity: '0' }), /quantity > 0/],
  ['an ended hold of nothing', insertEnded({ ordinal: 'null', quantity: '0' }), /quantity > 0/],
  ['two places on a seat', insertEnded({ quantity: '2' }), /ordinal IS NULL.*quantity = 1/],
  [
    'a hold whose reason is of another end',
    insertEnded({ end_reason: `'user_cancelled'` }),
    /expired.*ttl_expired/,
  ],
  ['a sale whose reason is of another end', insertEnded({ status: `'converted'` }), /converted.*converted/],
  [
    'a release whose reason is of another end',
    insertEnded({ status: `'cancelled'` }),
    /user_cancelled.*event_cancelled/,
  ],

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
  const tables = [
    'journal',
    'event_seats',
    'hold_history',
    'history_cursors',
    'zone_counts',
    'tickets',
    'event_ledgers',
  ]

  it.each(tables)('to delete from %s, or to empty it', async table => {
    expect(await refusalOf(role, `delete from ${table}`)).toMatch(/permission denied/)
    expect(await refusalOf(role, `truncate ${table} cascade`)).toMatch(/permission denied/)
  })

  it.each([
    ['to rewrite the journal', `update journal set packed = '[]'`],
    ['to give a ticket to another user', 'update tickets set user_id = gen_random_uuid()'],
    ['to move a ticket to another seat', 'update tickets set seat_id = gen_random_uuid()'],
    ['to move places to another zone', 'update place_holds set zone_index = 2'],
    ['to move places to another event', `update place_holds set event_id = '${THEIR_EVENT}'`],
    ['to make a hold of places younger', 'update place_holds set created_at = now()'],
    ['to rewrite the history', 'update hold_history set user_id = gen_random_uuid()'],
    ['to change the seats of a layout', 'update seats set seat_id = gen_random_uuid()'],
  ])('%s', async (_what, statement) => {
    expect(await refusalOf(role, statement)).toMatch(/permission denied/)
  })

  it.each([
    ['to switch the guard of sold seats off', 'alter table event_seats disable trigger sold_stays_sold'],
    ['to drop a constraint', 'alter table zone_counts drop constraint zone_counts_check'],
    ['to drop the index that allows one seat a hold', 'drop index event_seats_hold_id'],
    ['to switch row-level security off', 'alter table place_holds disable row level security'],
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
    ['a hold', insertSeat({ organization_id: `'${THEIRS}'` })],
    ['a hold of places', insertPlaces({ organization_id: `'${THEIRS}'` })],
    ['an ended hold', insertEnded({ organization_id: `'${THEIRS}'` })],
    ['a cursor', `insert into history_cursors values ('${THEIRS}', '${THEIR_EVENT}', 1)`],
    ['a ticket', insertTicket({ organization_id: `'${THEIRS}'`, hold_id: `'${THEIR_HOLD}'` })],
    ['an entry of the journal', insertEntry(9, { organizationId: THEIRS })],
    ['a seat', insertSeat({ organization_id: `'${THEIRS}'`, status: `'blocked'`, ...NO_HOLD })],
    ['a counter', `insert into zone_counts values ('${THEIRS}', '${THEIR_EVENT}', 0, '${USER}', 1)`],
    ['a move of our seats to them', `update event_seats set organization_id = '${THEIRS}'`],
  ])('gets nothing from us: %s', async (_what, statement) => {
    expect(await refusalOf('voelgoed_app', statement)).toMatch(/row-level security/)
  })

  it('shows nothing to us, so nothing of it can be changed', async () => {
    const client = await pool.connect()
    try {
      await client.query(`begin; set local role voelgoed_app; set local app.organization_id = '${OURS}'`)
      const end = (id: string) =>
        `update event_seats set status = 'available', version = version + 1, version_before = version, ${CLEARED}
         where hold_id = '${id}'`
      expect(await client.query(end(THEIR_HOLD))).toMatchObject({ rowCount: 0 })
      expect(await client.query(end(LIVE_HOLD))).toMatchObject({ rowCount: 1 })
    } finally {
      await client.query('rollback')
      client.release()
    }
  })
})
