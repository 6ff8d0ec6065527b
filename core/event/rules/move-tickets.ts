import { hasGuests } from '../../guests/guest-rule.ts'
import type { HoldRefusal } from '../../refusal.ts'
import { assert, refuse } from '../../result.ts'
import { seatIdsOf } from '../availability.ts'
import type { MoveTickets, TicketMove } from '../command.ts'
import { decidedSeats, type Outcome } from '../decision.ts'
import { type EventState, holdOf, SOLD } from '../state.ts'
import { keptFrom, releaseCompanions } from './companions.ts'
import { disabledSeats, shutSeats, takenSeats } from './hold.ts'
import { NewChanges } from './new-changes.ts'
import { timesOf } from './sell.ts'
import { seatsOf } from './settle.ts'
import { brokenWholes } from './wholes.ts'

/**
 * Moves sold places to other seats, all of them or none. The seats are taken and sold before the old tickets
 * are void, so that the order has its places at every number of the journal.
 *
 * The seats must be free, also from holds of the one who moves: a seat that the order has already is sold.
 * Companion seats and groups stay together, as in any order. Another zone must let the buyer in; a members'
 * zone takes no tickets of other zones, because each place there has a guest who was asked for when it was
 * sold. Single seats that are left alone are staff's own concern, and so is the sale window.
 */
export function moveTickets(state: EventState, command: MoveTickets, now: number): Outcome {
  const { moves, buyer } = command
  const from = seatsOf(moves.map(({ ticket }) => ticket))
  const to = moves.map(move => move.to)
  assert(moves.length > 0 && new Set(to).size === to.length, 'tickets, and a seat for each')
  assert(new Set(moves.map(({ ticket }) => ticket.ticketId)).size === moves.length, 'a ticket named twice')
  assert(
    from.every(ordinal => state.seatStatus[ordinal] === SOLD),
    'a valid ticket of a seat that is not sold',
  )
  const { status } = state.settings
  if (status === 'cancelled' || status === 'archived') return refuse({ kind: 'event_not_available', status })
  const others = moves.filter(({ ticket, to: seat }) => ticket.zoneIndex !== state.seats.zoneOf[seat])
  const refusal =
    disabledSeats(state, to) ??
    shutSeats(
      state,
      buyer,
      others.map(move => move.to),
    ) ??
    withoutGuests(state, others) ??
    brokenWholes(state, from, ordinal => from.includes(ordinal)) ??
    brokenWholes(state, to, ordinal => to.includes(ordinal)) ??
    takenSeats(state, to, now) ??
    keptSeats(state, command, { from, to }, now)
  if (refusal !== null) return refuse(refusal)

  // Nothing refuses from here on.
  const made = new NewChanges(state, now)
  for (const ordinal of to) {
    // Whatever still holds a seat at this point has run out.
    const hold = holdOf(state, ordinal)
    if (hold) made.expire(hold)
  }
  const times = timesOf(state, command, now)
  const holds = moves.map(({ to: ordinal, holdId, ticketId }) => {
    const zoneIndex = state.seats.zoneOf[ordinal]!
    const place = { holdId, ordinal, zoneIndex, quantity: 1, cartToken: null }
    return made.takeAndSell(command, place, times, [ticketId])
  })
  for (const { ticket, reason } of moves) made.voidTicket(ticket, reason)
  releaseCompanions(state, made)
  return decidedSeats(made.changes, holds, { explanation: null, stranding: null })
}

function withoutGuests(state: EventState, others: readonly TicketMove[]): HoldRefusal | null {
  const { zones, seats } = state
  const intoMembers = others.filter(({ to }) => hasGuests(zones[seats.zoneOf[to]!]!.settings.access))
  if (intoMembers.length === 0) return null
  const seatIds = seatIdsOf(
    state,
    intoMembers.map(move => move.to),
  )
  return { kind: 'seats_differ', seatIds, reason: 'members_zone' }
}

/** A wheelchair place that the buyer leaves with the same command keeps no companion seat for them. */
function keptSeats(
  state: EventState,
  { buyer }: MoveTickets,
  { from, to }: { readonly from: readonly number[]; readonly to: readonly number[] },
  now: number,
): HoldRefusal | null {
  const kept = keptFrom(state, buyer.userId, { seats: to, taken: to, left: from, isOrder: true }, now)
  return kept.length > 0 ? { kind: 'companion_reserved', seatIds: seatIdsOf(state, kept) } : null
}
