import { randomUUID } from 'node:crypto'
import type { Person } from '@voelgoed/core/access'
import type { PersonActing, Sell, SoldHold } from '@voelgoed/core/event/command'
import type { Decision } from '@voelgoed/core/event/decision'
import type { NamedGuests } from '@voelgoed/core/guests/guest-rule'
import type { CheckoutId, CommandId, HoldId, TicketId } from '@voelgoed/core/ids'
import type { EventHall } from '@voelgoed/engine/view/hot-event'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { LineRow } from './tables/orders.ts'

/** A hold of the buyer, and how many places it has. */
export interface HoldForSale extends Pick<SoldHold, 'holdId' | 'cartToken' | 'ended'> {
  readonly quantity: number
}

export interface Sale {
  readonly orderId: string
  readonly actor: PersonActing
  readonly buyer: Person
  readonly guests: NamedGuests
  readonly holds: readonly HoldForSale[]
  readonly allowStranding: boolean
  /** Milliseconds, for ids. */
  readonly now: number
}

/**
 * Holds become tickets, all of them or none: with money that staff have, and with money that a gateway has
 * captured.
 */
export function sellCommand({ orderId, holds, now, ...sale }: Sale): Sell {
  const places = holds.reduce((sum, hold) => sum + hold.quantity, 0)
  return {
    ...sale,
    kind: 'sell',
    commandId: randomUUID() as CommandId,
    holds: holds.map(({ holdId, cartToken, ended }) => {
      return { holdId, cartToken, ended, againAs: uuidV7(now) as HoldId }
    }),
    checkoutId: orderId as CheckoutId,
    ticketIds: newTicketIds(places, now),
  }
}

/**
 * In the order of the ids, by which gates and lists of guests count the places of a hold: ids of one
 * millisecond are in no order by themselves.
 */
function newTicketIds(count: number, now: number): TicketId[] {
  return Array.from({ length: count }, () => uuidV7(now) as TicketId).sort()
}

/** Holds whose places were taken again, because they had run out, and those that have them now. */
export function takenAgain(
  holds: readonly { readonly holdId: HoldId }[],
  decision: Decision,
): { readonly from: HoldId; readonly to: HoldId }[] {
  return decision.holds.flatMap(({ holdId: to, isNew }, index) =>
    isNew ? [{ from: holds[index]!.holdId, to }] : [],
  )
}

/** A place was sold on these terms. */
export type PlaceTerms = Pick<LineRow, 'amount' | 'ticket_type' | 'category' | 'attendee'>

/** One for each ticket, in the order of the holds. `termsOf`: by the number of the hold, and of its place. */
export function linesOfSale(
  { zones, seats }: EventHall,
  { changes, holds }: Decision,
  termsOf: (hold: number, place: number) => PlaceTerms,
): LineRow[] {
  const tickets = new Map(
    changes.flatMap(change =>
      change.kind === 'seat_converted' ? [[change.holdId, change.ticketIds] as const] : [],
    ),
  )
  return holds.flatMap(({ holdId, ordinal, zoneIndex }, index) => {
    const zone = zones[zoneIndex]!
    return (tickets.get(holdId) ?? []).map(
      (ticketId, place): LineRow => ({
        ticket_id: ticketId,
        ...termsOf(index, place),
        refund_id: null,
        version: 1,
        entries: 0,
        ordinal,
        zone_index: zoneIndex,
        seat_id: ordinal === null ? null : seats.map.seatIds.at(ordinal),
        row: ordinal === null ? null : (seats.rows.at(ordinal) ?? null),
        seat_number: ordinal === null ? null : (seats.numbers.at(ordinal) ?? null),
        zone_id: zone.zoneId,
        zone_name: zone.name,
      }),
    )
  })
}
