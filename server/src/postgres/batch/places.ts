import type { EventId, HoldId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'
import { bigints, ints, labels, texts, timestamps, uuids } from './binary-arrays.ts'
import { type HoldRow, type NewHoldRow, takenBy } from './holds.ts'

/** A hold of a zone without seats, alive or sold. */
export interface PlacesRow<Hold extends HoldRow = HoldRow> {
  readonly hold: Hold
  readonly zoneIndex: number
  readonly status: 'held' | 'sold'
}

export function writeTakenPlaces(
  tx: TenantTx,
  eventId: EventId,
  rows: readonly PlacesRow<NewHoldRow>[],
): void {
  if (rows.length === 0) return
  tx.send(
    'batch_taken_places',
    `insert into place_holds (organization_id, event_id, hold_id, zone_index, user_id, quantity, status, created_at,
       held_until, cap_until, checkout_id, cart_token, source, ip, last_seq, taken_by)
     select $1, $2, unnest($3::uuid[]), unnest($4::int[]), unnest($5::uuid[]), unnest($6::int[]),
       unnest($7::seat_status[]), unnest($8::timestamptz[]), unnest($9::timestamptz[]), unnest($10::timestamptz[]),
       unnest($11::uuid[]), unnest($12::text[]), unnest($13::text[]), unnest($14::text[]), unnest($15::bigint[]), unnest($16::uuid[])`,
    [
      eventId,
      uuids(rows, row => row.hold.id),
      ints(rows, row => row.zoneIndex),
      uuids(rows, row => row.hold.userId),
      ints(rows, row => row.hold.quantity),
      labels(rows, row => row.status),
      timestamps(rows, row => row.hold.made.createdAt),
      timestamps(rows, row => row.hold.heldUntil),
      timestamps(rows, row => row.hold.capUntil),
      uuids(rows, row => row.hold.checkoutId),
      texts(rows, row => row.hold.made.cartToken),
      texts(rows, row => row.hold.made.source),
      texts(rows, row => row.hold.made.ip),
      bigints(rows, row => row.hold.lastSeq),
      uuids(rows, row => takenBy(row.hold)),
    ],
  )
}

/** Holds that began before this batch, and have not ended or are sold. */
export function writeKeptPlaces(tx: TenantTx, eventId: EventId, rows: readonly PlacesRow[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_kept_places',
    `with kept as (
       insert into place_holds as p (organization_id, event_id, hold_id, zone_index, user_id, quantity, status,
         created_at, held_until, cap_until, checkout_id, source, last_seq, taken_by)
       select $1, $2, c.hold_id, b.zone_index, c.user_id, c.quantity, c.status, b.created_at, c.held_until, c.cap_until,
         c.checkout_id, b.source, c.last_seq, coalesce(b.taken_by, nullif(b.user_id, c.user_id))
       from unnest($3::uuid[], $4::uuid[], $5::int[], $6::seat_status[], $7::timestamptz[], $8::timestamptz[], $9::uuid[],
         $10::bigint[]) as c (hold_id, user_id, quantity, status, held_until, cap_until, checkout_id, last_seq)
       cross join lateral (select * from place_holds where organization_id = $1 and hold_id = c.hold_id offset 0) as b
       on conflict (organization_id, hold_id) do update set user_id = excluded.user_id, quantity = excluded.quantity,
         status = excluded.status, held_until = excluded.held_until, cap_until = excluded.cap_until,
         checkout_id = excluded.checkout_id, last_seq = excluded.last_seq, taken_by = excluded.taken_by
       where p.status = 'held' and p.event_id = excluded.event_id
       returning 1)
     select 1 / (count(*) = $11::int)::int from kept`,
    [
      eventId,
      uuids(rows, row => row.hold.id),
      uuids(rows, row => row.hold.userId),
      ints(rows, row => row.hold.quantity),
      labels(rows, row => row.status),
      timestamps(rows, row => row.hold.heldUntil),
      timestamps(rows, row => row.hold.capUntil),
      uuids(rows, row => row.hold.checkoutId),
      bigints(rows, row => row.hold.lastSeq),
      rows.length,
    ],
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
