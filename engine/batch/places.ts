import type { EventId, HoldId } from '@voelgoed/core/ids'
import { ints, labels, uuids } from '@voelgoed/kit/postgres/binary-arrays'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { type HoldRow, holdColumns, madeColumns, type NewHoldRow } from './holds.ts'

/** A hold of a zone without seats, alive or sold. */
export interface PlacesRow<Hold extends HoldRow = HoldRow> {
  readonly hold: Hold
  readonly zoneIndex: number
  readonly status: 'held' | 'sold'
}

/** Holds that began in this batch. */
export function writeTakenPlaces(
  tx: TenantTx,
  eventId: EventId,
  rows: readonly PlacesRow<NewHoldRow>[],
): void {
  if (rows.length === 0) return
  tx.send(
    'batch_taken_places',
    `insert into place_holds (organization_id, event_id, zone_index, quantity, status, hold_id, user_id, held_until,
       cap_until, checkout_id, last_seq, created_at, cart_token, source, ip, taken_by)
     select $1, $2, unnest($3::int[]), unnest($4::int[]), unnest($5::seat_status[]), unnest($6::uuid[]), unnest($7::uuid[]),
       unnest($8::timestamptz[]), unnest($9::timestamptz[]), unnest($10::uuid[]), unnest($11::bigint[]),
       unnest($12::timestamptz[]), unnest($13::text[]), unnest($14::text[]), unnest($15::text[]), unnest($16::uuid[])`,
    [
      eventId,
      ints(rows, row => row.zoneIndex),
      ...placesColumns(rows),
      ...holdColumns(rows),
      ...madeColumns(rows),
    ],
  )
}

/** Holds that began before this batch and live on, or are sold in it. The row knows how the hold was made. */
export function writeKeptPlaces(tx: TenantTx, eventId: EventId, rows: readonly PlacesRow[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_kept_places',
    `with kept as (
       insert into place_holds as p (organization_id, event_id, hold_id, zone_index, user_id, quantity, status,
         created_at, held_until, cap_until, checkout_id, source, last_seq, taken_by)
       select $1, $2, c.hold_id, b.zone_index, c.user_id, c.quantity, c.status, b.created_at, c.held_until, c.cap_until,
         c.checkout_id, b.source, c.last_seq, coalesce(b.taken_by, nullif(b.user_id, c.user_id))
       from unnest($3::int[], $4::seat_status[], $5::uuid[], $6::uuid[], $7::timestamptz[], $8::timestamptz[], $9::uuid[],
         $10::bigint[]) as c (quantity, status, hold_id, user_id, held_until, cap_until, checkout_id, last_seq)
       cross join lateral (select * from place_holds where organization_id = $1 and hold_id = c.hold_id offset 0) as b
       on conflict (organization_id, hold_id) do update set user_id = excluded.user_id, quantity = excluded.quantity,
         status = excluded.status, held_until = excluded.held_until, cap_until = excluded.cap_until,
         checkout_id = excluded.checkout_id, last_seq = excluded.last_seq, taken_by = excluded.taken_by
       where p.status = 'held' and p.event_id = excluded.event_id
       returning 1)
     select 1 / (count(*) = $11::int)::int from kept`,
    [eventId, ...placesColumns(rows), ...holdColumns(rows), rows.length],
  )
}

/**
 * Holds that have expired or were released: the journal has them, and their rows go. Looked up by the primary
 * key alone: any other condition might make Postgres go through all holds of the event.
 */
export function writeEndedPlaces(tx: TenantTx, eventId: EventId, holdIds: readonly HoldId[]): void {
  if (holdIds.length === 0) return
  tx.send(
    'batch_ended_places',
    `with ended as (
       delete from place_holds where organization_id = $1 and hold_id = any ($3::uuid[]) returning event_id)
     select 1 / (count(*) filter (where event_id = $2) = $4::int)::int from ended`,
    [eventId, uuids(holdIds, id => id), holdIds.length],
  )
}

/** quantity, status. */
function placesColumns(rows: readonly PlacesRow[]): (Buffer | string)[] {
  return [ints(rows, row => row.hold.quantity), labels(rows, row => row.status)]
}
