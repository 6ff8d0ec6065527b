import { randomUUID } from 'node:crypto'
import type { Person } from '@voelgoed/core/access'
import type { Command, PersonActing, SoldHold } from '@voelgoed/core/event/command'
import type { Decision, Outcome } from '@voelgoed/core/event/decision'
import type { NamedGuests } from '@voelgoed/core/guests/guest-rule'
import type { CheckoutId, CommandId, HoldId, TicketId } from '@voelgoed/core/ids'
import type { HoldRefusal } from '@voelgoed/core/refusal'
import { ok, type Result } from '@voelgoed/core/result'
import type { EventHall } from '../lane/hot-event.ts'
import type { TenantTx } from '../postgres/database.ts'
import type { LineRow } from '../postgres/tables/orders.ts'
import { moveGuests } from '../postgres/tables/place-guests.ts'
import { uuidV7 } from '../uuid-v7.ts'

/** A hold of the buyer, and how many places it has. */
export interface HoldForSale extends Pick<SoldHold, 'holdId' | 'cartToken' | 'ended'> {
  readonly quantity: number
  /** The hold whose guests have these places, if that is another one. */
  readonly guestsOf?: HoldId
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

/** What was sold, in the order of the holds. */
export interface Sold {
  readonly decision: Decision
  /** Some of the holds had run out. */
  readonly wasLate: boolean
}

/**
 * Turns holds into tickets, all of them or none: with money that staff have, and with money that a gateway
 * has captured. Under the event's lock.
 */
export async function giveSale(
  tx: TenantTx,
  give: (command: Command) => Outcome,
  { orderId, actor, buyer, guests, holds, allowStranding, now }: Sale,
): Promise<Result<Sold, HoldRefusal>> {
  const places = holds.reduce((sum, hold) => sum + hold.quantity, 0)
  const outcome = give({
    kind: 'sell',
    commandId: randomUUID() as CommandId,
    actor,
    buyer,
    guests,
    holds: holds.map(({ holdId, cartToken, ended }) => {
      return { holdId, cartToken, ended, againAs: uuidV7(now) as HoldId }
    }),
    checkoutId: orderId as CheckoutId,
    ticketIds: newTicketIds(places, now),
    allowStranding,
  })
  if (!outcome.ok) return outcome
  const taken = outcome.value.holds.flatMap((hold, index) => {
    const { holdId, guestsOf = holdId } = holds[index]!
    return hold.isNew ? [{ from: guestsOf, to: hold.holdId }] : []
  })
  await moveGuests(tx, taken)
  return ok({ decision: outcome.value, wasLate: taken.length > 0 })
}

/**
 * In the order of the ids, by which gates and lists of guests count the places of a hold: ids of one
 * millisecond are in no order by themselves.
 */
export function newTicketIds(count: number, now: number): TicketId[] {
  return Array.from({ length: count }, () => uuidV7(now) as TicketId).sort()
}

/** What a place was sold as. */
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
