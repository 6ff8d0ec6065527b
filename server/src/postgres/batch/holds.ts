import type { EventId, HoldId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'
import { bigints, ints, labels, texts, timestamps, uuids } from './binary-arrays.ts'

/** What may change in a hold. */
export interface HoldFields {
  readonly id: HoldId
  userId: string
  quantity: number
  status: string
  heldUntil: number
  capUntil: number
  checkoutId: string | null
  endedAt: number | null
  endReason: string | null
  /** The seq of its last change. */
  lastSeq: number
}

/** `userId` and `quantity` are those of its making; `fields` has what became of them. */
export interface NewHold {
  readonly userId: string
  readonly ordinal: number | null
  readonly seatId: string | null
  readonly zoneIndex: number
  readonly quantity: number
  readonly createdAt: number
  readonly cartToken: string | null
  readonly source: string
  readonly ip: string | null
  readonly fields: HoldFields
}

export function writeChangedHolds(tx: TenantTx, eventId: EventId, rows: readonly HoldFields[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_changed_holds',
    `with changed as (
       insert into seat_holds as h (organization_id, event_id, id, user_id, ordinal, seat_id, zone_index, quantity,
         created_at, source, status, held_until, cap_until, checkout_id, ended_at, end_reason, taken_by, taken_quantity,
         last_seq)
       select $1, $2, c.id, c.user_id, b.ordinal, b.seat_id, b.zone_index, c.quantity,
         b.created_at, b.source, c.status, c.held_until, c.cap_until, c.checkout_id, c.ended_at, c.end_reason,
         coalesce(b.taken_by, nullif(b.user_id, c.user_id)), coalesce(b.taken_quantity, nullif(b.quantity, c.quantity)),
         c.last_seq
       from unnest($3::uuid[], $4::hold_status[], $5::timestamptz[], $6::timestamptz[], $7::uuid[], $8::timestamptz[],
         $9::hold_end_reason[], $10::uuid[], $11::int[], $12::bigint[])
         as c (id, status, held_until, cap_until, checkout_id, ended_at, end_reason, user_id, quantity, last_seq)
       cross join lateral (select * from seat_holds where organization_id = $1 and id = c.id offset 0) as b
       on conflict (organization_id, id) do update set status = excluded.status, held_until = excluded.held_until,
         cap_until = excluded.cap_until, checkout_id = excluded.checkout_id,
         ended_at = excluded.ended_at, end_reason = excluded.end_reason, user_id = excluded.user_id,
         quantity = excluded.quantity, taken_by = excluded.taken_by, taken_quantity = excluded.taken_quantity,
         last_seq = excluded.last_seq
       where h.status = 'active' and h.event_id = excluded.event_id
       returning 1)
     select 1 / (count(*) = $13::int)::int from changed`,
    [
      eventId,
      uuids(rows, hold => hold.id),
      labels(rows, hold => hold.status),
      timestamps(rows, hold => hold.heldUntil),
      timestamps(rows, hold => hold.capUntil),
      uuids(rows, hold => hold.checkoutId),
      timestamps(rows, hold => hold.endedAt),
      labels(rows, hold => hold.endReason),
      uuids(rows, hold => hold.userId),
      ints(rows, hold => hold.quantity),
      bigints(rows, hold => hold.lastSeq),
      rows.length,
    ],
  )
}

export function writeNewHolds(tx: TenantTx, eventId: EventId, rows: readonly NewHold[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_new_holds',
    `insert into seat_holds (organization_id, event_id, id, user_id, ordinal, seat_id, zone_index, quantity, status,
       created_at, held_until, cap_until, checkout_id, cart_token, source, ip, ended_at, end_reason, taken_by,
       taken_quantity, last_seq)
     select $1, $2, unnest($3::uuid[]), unnest($4::uuid[]), unnest($5::int[]), unnest($6::uuid[]), unnest($7::int[]),
       unnest($8::int[]), unnest($9::hold_status[]), unnest($10::timestamptz[]), unnest($11::timestamptz[]),
       unnest($12::timestamptz[]), unnest($13::uuid[]), unnest($14::text[]), unnest($15::text[]), unnest($16::text[]),
       unnest($17::timestamptz[]), unnest($18::hold_end_reason[]), unnest($19::uuid[]), unnest($20::int[]),
       unnest($21::bigint[])`,
    [
      eventId,
      uuids(rows, hold => hold.fields.id),
      uuids(rows, hold => hold.fields.userId),
      ints(rows, hold => hold.ordinal),
      uuids(rows, hold => hold.seatId),
      ints(rows, hold => hold.zoneIndex),
      ints(rows, hold => hold.fields.quantity),
      labels(rows, hold => hold.fields.status),
      timestamps(rows, hold => hold.createdAt),
      timestamps(rows, hold => hold.fields.heldUntil),
      timestamps(rows, hold => hold.fields.capUntil),
      uuids(rows, hold => hold.fields.checkoutId),
      texts(rows, hold => hold.cartToken),
      texts(rows, hold => hold.source),
      texts(rows, hold => hold.ip),
      timestamps(rows, hold => hold.fields.endedAt),
      labels(rows, hold => hold.fields.endReason),
      uuids(rows, hold => (hold.fields.userId === hold.userId ? null : hold.userId)),
      ints(rows, hold => (hold.fields.quantity === hold.quantity ? null : hold.quantity)),
      bigints(rows, hold => hold.fields.lastSeq),
    ],
  )
}
