import type { EventId, HoldId, TicketId } from '@voelgoed/core/ids'
import { ints, timestamps, uuids } from '@voelgoed/kit/postgres/binary-arrays'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

export interface TicketRow {
  readonly id: TicketId
  readonly holdId: HoldId
  readonly userId: string
  readonly ordinal: number | null
  readonly seatId: string | null
  readonly zoneIndex: number
  readonly checkoutId: string
  readonly createdAt: number
}

export function writeTickets(tx: TenantTx, eventId: EventId, rows: readonly TicketRow[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_tickets',
    `insert into tickets (organization_id, event_id, id, hold_id, user_id, ordinal, seat_id, zone_index, checkout_id, created_at)
     select $1, $2, t.id, t.hold_id, t.user_id, t.ordinal, t.seat_id, t.zone_index, t.checkout_id,
       t.created_at
     from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::int[], $7::uuid[], $8::int[], $9::uuid[], $10::timestamptz[])
       as t (id, hold_id, user_id, ordinal, seat_id, zone_index, checkout_id, created_at)`,
    [
      eventId,
      uuids(rows, ticket => ticket.id),
      uuids(rows, ticket => ticket.holdId),
      uuids(rows, ticket => ticket.userId),
      ints(rows, ticket => ticket.ordinal),
      uuids(rows, ticket => ticket.seatId),
      ints(rows, ticket => ticket.zoneIndex),
      uuids(rows, ticket => ticket.checkoutId),
      timestamps(rows, ticket => ticket.createdAt),
    ],
  )
}

/** A ticket that was sold before this batch, and opens nothing any more. */
export interface VoidRow {
  readonly id: TicketId
  readonly voidedAt: number
}

export function writeVoidedTickets(tx: TenantTx, eventId: EventId, rows: readonly VoidRow[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_voided_tickets',
    `with voided as (
       update tickets t set voided_at = v.voided_at from unnest($3::uuid[], $4::timestamptz[]) as v (id, voided_at)
       where t.organization_id = $1 and t.id = v.id and t.event_id = $2 and t.voided_at is null
       returning 1)
     select 1 / (count(*) = $5::int)::int from voided`,
    [eventId, uuids(rows, ticket => ticket.id), timestamps(rows, ticket => ticket.voidedAt), rows.length],
  )
}
