/**
 * What must be true of a database of ours, as queries that return the rows that break it. They trust nothing
 * but the tables: neither our code nor the constraints. Numbers are those of the invariants in the project's
 * list; what only shows over time or outside the database (9, 12, 14, 15, 17) can't be asked here.
 */
export interface Check {
  readonly invariant: number
  readonly name: string
  /** Whose rows it goes through, for the report. */
  readonly over: Table
  /** `$1`, where it is used: for how many seconds an expired hold may stay untidied. */
  readonly sql: string
  /** Says something of how well the reaper keeps up, not of what was granted. */
  readonly isTidiness?: true
}

export const TABLES = [
  'events',
  'event_ledgers',
  'journal',
  'seat_holds',
  'event_seats',
  'zone_counts',
  'tickets',
  'seats',
  'users',
  'idempotency_keys',
] as const
export type Table = (typeof TABLES)[number]

export const ENDS = `('seat_hold_expired', 'seat_released', 'seat_converted')`

/** Entries of the journal that are about a hold. */
export const HOLD_ENTRIES = `(
  select organization_id, event_id, seq, kind, at, body, previous, (body->>'holdId')::uuid as hold_id,
    to_timestamp((body->>'heldUntil')::float8 / 1000.0) as held_until,
    to_timestamp((body->>'capUntil')::float8 / 1000.0) as cap_until
  from journal_entries where body->'holdId' is not null)`

/** Entries of the journal that are about a seat. */
export const SEAT_ENTRIES = `(
  select organization_id, event_id, seq, kind, (body->>'ordinal')::int as ordinal, (body->>'version')::int as version
  from journal_entries where body->>'ordinal' is not null)`

/** Zones by the number that holds, tickets and counters call them by. */
export const EVENT_ZONES = `(
  select e.organization_id, e.id as event_id, z.zone_id, z.first_ordinal, z.seat_count,
    (row_number() over (partition by e.organization_id, e.id order by z.position) - 1)::int as zone_index
  from events e join zones z on z.organization_id = e.organization_id and z.layout_id = e.layout_id
    and z.version = e.layout_version)`
