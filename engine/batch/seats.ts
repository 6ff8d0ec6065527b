import type { EventId, TicketId } from '@voelgoed/core/ids'
import { ints, labels, uuids } from '@voelgoed/kit/postgres/binary-arrays'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { type HoldRow, holdColumns, madeColumns, type NewHoldRow } from './holds.ts'

/**
 * The net effect of a batch on a seat. `versionBefore` is that of the row in the database, 0 when there is
 * none yet: a row that is not as the batch knew it is not changed, and then nothing of the batch happens.
 */
interface SeatVersions {
  readonly ordinal: number
  readonly version: number
  readonly versionBefore: number
}

/** No hold has it. */
export interface FreeSeat extends SeatVersions {
  readonly status: 'available' | 'blocked'
}

/** A hold has it, alive or sold. */
export interface ClaimedSeat<Hold extends HoldRow = HoldRow> extends SeatVersions {
  readonly status: 'held' | 'sold'
  readonly hold: Hold
  readonly ticketId: TicketId | null
}

export type SeatRow = FreeSeat | ClaimedSeat

/** Most of these are seats whose hold ran out. Four columns are sent; the rest of the row is emptied. */
export function writeFreeSeats(tx: TenantTx, eventId: EventId, rows: readonly FreeSeat[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_free_seats',
    `with freed as (
       insert into event_seats as s (organization_id, event_id, ordinal, status, version, version_before)
       select $1, $2, unnest($3::int[]), unnest($4::seat_status[]), unnest($5::int[]), unnest($6::int[])
       on conflict (organization_id, event_id, ordinal) do update set status = excluded.status,
         version = excluded.version, version_before = excluded.version_before, hold_id = null, ticket_id = null,
         user_id = null, created_at = null, held_until = null, cap_until = null, checkout_id = null,
         cart_token = null, source = null, ip = null, last_seq = null, taken_by = null
       where s.version = excluded.version_before
       returning 1)
     select 1 / (count(*) = $7::int)::int from freed`,
    [eventId, ...seatColumns(rows), rows.length],
  )
}

/** Seats whose hold began in this batch. */
export function writeTakenSeats(
  tx: TenantTx,
  eventId: EventId,
  rows: readonly ClaimedSeat<NewHoldRow>[],
): void {
  if (rows.length === 0) return
  tx.send(
    'batch_taken_seats',
    `with taken as (
       insert into event_seats as s (organization_id, event_id, ordinal, status, version, version_before, ticket_id,
         hold_id, user_id, held_until, cap_until, checkout_id, last_seq, created_at, cart_token, source, ip, taken_by)
       select $1, $2, unnest($3::int[]), unnest($4::seat_status[]), unnest($5::int[]), unnest($6::int[]),
         unnest($7::uuid[]), unnest($8::uuid[]), unnest($9::uuid[]), unnest($10::timestamptz[]),
         unnest($11::timestamptz[]), unnest($12::uuid[]), unnest($13::bigint[]), unnest($14::timestamptz[]),
         unnest($15::text[]), unnest($16::text[]), unnest($17::text[]), unnest($18::uuid[])
       on conflict (organization_id, event_id, ordinal) do update set status = excluded.status,
         version = excluded.version, version_before = excluded.version_before, hold_id = excluded.hold_id,
         ticket_id = excluded.ticket_id, user_id = excluded.user_id, created_at = excluded.created_at,
         held_until = excluded.held_until, cap_until = excluded.cap_until, checkout_id = excluded.checkout_id,
         cart_token = excluded.cart_token, source = excluded.source, ip = excluded.ip, last_seq = excluded.last_seq,
         taken_by = excluded.taken_by
       where s.version = excluded.version_before
       returning 1)
     select 1 / (count(*) = $19::int)::int from taken`,
    [eventId, ...seatColumns(rows), ...ticketAndHold(rows), ...madeColumns(rows), rows.length],
  )
}

/** Seats that stay with the hold that they have, or are sold to it. The row knows how the hold was made. */
export function writeKeptSeats(tx: TenantTx, eventId: EventId, rows: readonly ClaimedSeat[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_kept_seats',
    `with kept as (
       insert into event_seats as s (organization_id, event_id, ordinal, status, version, version_before, ticket_id,
         hold_id, user_id, held_until, cap_until, checkout_id, last_seq, created_at, cart_token, source, ip, taken_by)
       select $1, $2, c.ordinal, c.status, c.version, c.version_before, c.ticket_id, c.hold_id, c.user_id,
         c.held_until, c.cap_until, c.checkout_id, c.last_seq, b.created_at, b.cart_token, b.source, b.ip,
         coalesce(b.taken_by, nullif(b.user_id, c.user_id))
       from unnest($3::int[], $4::seat_status[], $5::int[], $6::int[], $7::uuid[], $8::uuid[], $9::uuid[],
         $10::timestamptz[], $11::timestamptz[], $12::uuid[], $13::bigint[])
         as c (ordinal, status, version, version_before, ticket_id, hold_id, user_id, held_until, cap_until,
           checkout_id, last_seq)
       cross join lateral (select hold_id, user_id, created_at, cart_token, source, ip, taken_by from event_seats
         where organization_id = $1 and event_id = $2 and ordinal = c.ordinal offset 0) as b
       where b.hold_id = c.hold_id
       on conflict (organization_id, event_id, ordinal) do update set status = excluded.status,
         version = excluded.version, version_before = excluded.version_before, ticket_id = excluded.ticket_id,
         user_id = excluded.user_id, held_until = excluded.held_until, cap_until = excluded.cap_until,
         checkout_id = excluded.checkout_id, last_seq = excluded.last_seq, taken_by = excluded.taken_by
       where s.version = excluded.version_before
       returning 1)
     select 1 / (count(*) = $14::int)::int from kept`,
    [eventId, ...seatColumns(rows), ...ticketAndHold(rows), rows.length],
  )
}

/** ordinal, status, version, version_before. */
function seatColumns(rows: readonly SeatRow[]): (Buffer | string)[] {
  return [
    ints(rows, seat => seat.ordinal),
    labels(rows, seat => seat.status),
    ints(rows, seat => seat.version),
    ints(rows, seat => seat.versionBefore),
  ]
}

/** ticket_id, and the columns of the hold. */
function ticketAndHold(rows: readonly ClaimedSeat[]): Buffer[] {
  return [uuids(rows, seat => seat.ticketId), ...holdColumns(rows)]
}
