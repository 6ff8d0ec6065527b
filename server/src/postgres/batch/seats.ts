import type { EventId, HoldId, TicketId } from '@voelgoed/core/ids'
import type { TenantTx } from '../database.ts'
import { ints, labels, timestamps, uuids } from './binary-arrays.ts'

export interface SeatRow extends SeatStanding {
  readonly ordinal: number
  readonly version: number
  /** Of the row in the database; 0 when there is none yet. */
  readonly versionBefore: number
}

export interface SeatStanding {
  readonly status: string
  readonly holdId: HoldId | null
  readonly ticketId: TicketId | null
  readonly heldUntil: number | null
}

export const FREE: SeatStanding = { status: 'available', holdId: null, ticketId: null, heldUntil: null }

export function heldBy({ holdId, heldUntil }: { holdId: HoldId; heldUntil: number }): SeatStanding {
  return { status: 'held', holdId, ticketId: null, heldUntil }
}

/** Seats that were never touched before. */
export function writeNewSeats(tx: TenantTx, eventId: EventId, rows: readonly SeatRow[]): void {
  if (rows.length === 0) return
  tx.send(
    'batch_new_seats',
    `insert into event_seats (organization_id, event_id, ordinal, status, hold_id, ticket_id, held_until, version)
     select $1, $2, unnest($3::int[]), unnest($4::seat_status[]), unnest($5::uuid[]), unnest($6::uuid[]),
       unnest($7::timestamptz[]), unnest($8::int[])`,
    [
      eventId,
      ints(rows, seat => seat.ordinal),
      labels(rows, seat => seat.status),
      uuids(rows, seat => seat.holdId),
      uuids(rows, seat => seat.ticketId),
      timestamps(rows, seat => seat.heldUntil),
      ints(rows, seat => seat.version),
    ],
  )
}

export function writeChangedSeats(tx: TenantTx, eventId: EventId, rows: readonly SeatRow[]): void {
  if (rows.length === 0) return
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
    [
      eventId,
      ints(rows, seat => seat.ordinal),
      labels(rows, seat => seat.status),
      uuids(rows, seat => seat.holdId),
      uuids(rows, seat => seat.ticketId),
      timestamps(rows, seat => seat.heldUntil),
      ints(rows, seat => seat.version),
      ints(rows, seat => seat.versionBefore),
      rows.length,
    ],
  )
}
