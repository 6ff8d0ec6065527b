import type { EventId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'

/**
 * The rows of one batch, column by column, as arrays in Postgres's binary format: bulk statements, and no
 * work for the driver but to pass bytes on. Made by batch-rows.ts,
 * which gives each row its net effect.
 */
export interface BatchRows {
  readonly journal: Columns
  readonly newHolds: Columns
  readonly changedHolds: Columns
  /** Seats that were never touched before, and those that were. */
  readonly newSeats: Columns
  readonly changedSeats: Columns
  readonly tickets: Columns
  /** Audit entries about wheelchair and companion seats. */
  readonly audit: Columns
  readonly answers: Columns
}

export interface LedgerRows {
  readonly seqBefore: number
  readonly seqAfter: number
  readonly nextExpiry: number | null
  readonly zones: Columns
  readonly capacities: Columns
}

export interface Columns {
  readonly rows: number
  readonly columns: readonly (Buffer | string)[]
}

/**
 * Sends all writes of a batch at once, to be followed by the commit in the same round trip. Each statement
 * divides by zero when it did not touch exactly the rows it should have: then nothing of the batch happens.
 *
 * Rows that are there already are looked up one by one through the primary key (`lateral … offset 0`) and
 * changed by way of ON CONFLICT, which looks nowhere else. A plain UPDATE … FROM leaves the order to the
 * planner, and that knows nothing of an event whose sale began this minute: it expects one seat, and compares
 * all of them with all changes.
 */
export function writeRows(tx: TenantTx, eventId: EventId, rows: BatchRows): void {
  const { journal, newHolds, changedHolds, newSeats, changedSeats, tickets, audit, answers } = rows
  if (journal.rows > 0) {
    tx.send(
      'batch_journal',
      `insert into journal (organization_id, event_id, seq, kind, command_id, actor_id, source, at, body, hold_id,
         blocked_ordinal)
       select $1, $2, unnest($3::bigint[]), unnest($4::text[]), unnest($5::uuid[]), unnest($6::uuid[]), unnest($7::text[]),
         unnest($8::timestamptz[]), unnest($9::json[]), unnest($10::uuid[]), unnest($11::int[])`,
      [eventId, ...journal.columns],
    )
  }
  // Ends before it begins: a seat's old hold must leave the unique index before its new one enters.
  if (changedHolds.rows > 0) {
    tx.send(
      'batch_changed_holds',
      `with changed as (
         insert into seat_holds as h (organization_id, event_id, id, user_id, ordinal, seat_id, zone_index, quantity,
           created_at, source, status, held_until, cap_until, checkout_id, ended_at, end_reason, taken_by, taken_quantity)
         select $1, $2, c.id, c.user_id, b.ordinal, b.seat_id, b.zone_index, c.quantity,
           b.created_at, b.source, c.status, c.held_until, c.cap_until, c.checkout_id, c.ended_at, c.end_reason,
           coalesce(b.taken_by, nullif(b.user_id, c.user_id)), coalesce(b.taken_quantity, nullif(b.quantity, c.quantity))
         from unnest($3::uuid[], $4::hold_status[], $5::timestamptz[], $6::timestamptz[], $7::uuid[], $8::timestamptz[],
           $9::hold_end_reason[], $10::uuid[], $11::int[])
           as c (id, status, held_until, cap_until, checkout_id, ended_at, end_reason, user_id, quantity)
         cross join lateral (select * from seat_holds where organization_id = $1 and id = c.id offset 0) as b
         on conflict (organization_id, id) do update set status = excluded.status, held_until = excluded.held_until,
           cap_until = excluded.cap_until, checkout_id = excluded.checkout_id,
           ended_at = excluded.ended_at, end_reason = excluded.end_reason, user_id = excluded.user_id,
           quantity = excluded.quantity, taken_by = excluded.taken_by, taken_quantity = excluded.taken_quantity
         where h.status = 'active' and h.event_id = excluded.event_id
         returning 1)
       select 1 / (count(*) = $12::int)::int from changed`,
      [eventId, ...changedHolds.columns, changedHolds.rows],
    )
  }
  if (newHolds.rows > 0) {
    tx.send(
      'batch_new_holds',
      `insert into seat_holds (organization_id, event_id, id, user_id, ordinal, seat_id, zone_index, quantity, status,
         created_at, held_until, cap_until, checkout_id, cart_token, source, ip, ended_at, end_reason, taken_by,
         taken_quantity)
       select $1, $2, unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::int[]), unnest($6::uuid[]), unnest($7::int[]),
         unnest($8::int[]), unnest($9::hold_status[]), unnest($10::timestamptz[]), unnest($11::timestamptz[]),
         unnest($12::timestamptz[]), unnest($13::uuid[]), unnest($14::text[]), unnest($15::text[]), unnest($16::text[]),
         unnest($17::timestamptz[]), unnest($18::hold_end_reason[]), unnest($19::uuid[]), unnest($20::int[])`,
      [eventId, ...newHolds.columns],
    )
  }
  if (newSeats.rows > 0) {
    tx.send(
      'batch_new_seats',
      `insert into event_seats (organization_id, event_id, ordinal, status, hold_id, ticket_id, held_until, version)
       select $1, $2, unnest($3::int[]), unnest($4::seat_status[]), unnest($5::uuid[]), unnest($6::uuid[]),
         unnest($7::timestamptz[]), unnest($8::int[])`,
      [eventId, ...newSeats.columns],
    )
  }
  if (changedSeats.rows > 0) {
    tx.send(
      'batch_changed_seats',
      `with changed as (
         insert into event_seats as s (organization_id, event_id, ordinal, status, hold_id, ticket_id, held_until, version)
         select $1, $2, c.ordinal, c.status, c.hold_id, c.ticket_id, c.held_until, c.version
         from unnest($3::int[], $4::seat_status[], $5::uuid[], $6::uuid[], $7::timestamptz[], $8::int[], $9::int[])
           as c (ordinal, status, hold_id, ticket_id, held_until, version, version_before)
         cross join lateral (select version from event_seats
           where organization_id = $1 and event_id = $2 and ordinal = c.ordinal offset 0) as b
         where b.version = c.version_before
         on conflict (organization_id, event_id, ordinal) do update set status = excluded.status,
           hold_id = excluded.hold_id, ticket_id = excluded.ticket_id, held_until = excluded.held_until,
           version = excluded.version
         returning 1)
       select 1 / (count(*) = $10::int)::int from changed`,
      [eventId, ...changedSeats.columns, changedSeats.rows],
    )
  }
  if (tickets.rows > 0) {
    tx.send(
      'batch_tickets',
      `insert into tickets (organization_id, event_id, id, hold_id, user_id, ordinal, seat_id, zone_index, checkout_id, created_at)
       select $1, $2, t.id, t.hold_id, t.user_id, t.ordinal, t.seat_id, t.zone_index, t.checkout_id,
         t.created_at
       from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::int[], $7::uuid[], $8::int[], $9::uuid[], $10::timestamptz[])
         as t (id, hold_id, user_id, ordinal, seat_id, zone_index, checkout_id, created_at)`,
      [eventId, ...tickets.columns],
    )
  }
  if (audit.rows > 0) {
    tx.send(
      'batch_audit',
      `insert into audit_log (organization_id, event_id, action, actor, user_id, ip, user_agent, entity_type, entity_id,
         subjects, changes, at)
       select $1, $2, a.action, a.actor, a.user_id, a.ip::inet, a.user_agent, 'hold', a.hold_id,
         array[a.seat_id, a.hold_id],
         jsonb_build_object('seat_id', a.seat_id), a.at
       from unnest($3::text[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::uuid[], $9::uuid[], $10::timestamptz[])
         as a (action, actor, user_id, ip, user_agent, hold_id, seat_id, at)`,
      [eventId, ...audit.columns],
    )
  }
  if (answers.rows > 0) {
    tx.send(
      'batch_answers',
      `insert into idempotency_keys (organization_id, key_hash, fingerprint, status, is_sealed, answer)
       select $1, a.key_hash, a.fingerprint, a.status, false, a.answer
       from unnest($2::bytea[], $3::bytea[], $4::int[], $5::bytea[]) as a (key_hash, fingerprint, status, answer)
       on conflict (organization_id, key_hash) do update set fingerprint = excluded.fingerprint,
         status = excluded.status, is_sealed = excluded.is_sealed, answer = excluded.answer, created_at = now()`,
      answers.columns,
    )
  }
}

/** The end of a batch, after all of its rows. */
export function writeLedger(tx: TenantTx, eventId: EventId, batch: LedgerRows): void {
  const { zones, capacities } = batch
  if (capacities.rows > 0) {
    tx.send(
      'batch_capacities',
      `with changed as (
         update zone_counts z set capacity = c.capacity from unnest($3::int[], $4::int[]) as c (zone_index, capacity)
         where z.organization_id = $1 and z.event_id = $2 and z.zone_index = c.zone_index returning 1)
       select 1 / (count(*) = $5::int)::int from changed`,
      [eventId, ...capacities.columns, capacities.rows],
    )
  }
  if (zones.rows > 0) {
    tx.send(
      'batch_zones',
      `with changed as (
         update zone_counts z set held = z.held + c.held, sold = z.sold + c.sold, blocked = z.blocked + c.blocked
         from unnest($3::int[], $4::int[], $5::int[], $6::int[]) as c (zone_index, held, sold, blocked)
         where z.organization_id = $1 and z.event_id = $2 and z.zone_index = c.zone_index returning 1)
       select 1 / (count(*) = $7::int)::int from changed`,
      [eventId, ...zones.columns, zones.rows],
    )
  }
  tx.send(
    'batch_ledger',
    `with moved as (
       update event_ledgers set seq = $4, next_expiry = to_timestamp($5::float8 / 1000.0)
       where organization_id = $1 and event_id = $2 and seq = $3 returning 1)
     select 1 / count(*) from moved`,
    [eventId, batch.seqBefore, batch.seqAfter, batch.nextExpiry],
  )
}
