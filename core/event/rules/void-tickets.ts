import { assert, refuse } from '../../result.ts'
import type { VoidTickets } from '../command.ts'
import { decided, type Outcome } from '../decision.ts'
import { type EventState, SOLD } from '../state.ts'
import { NewChanges } from './new-changes.ts'
import { seatsOf } from './settle.ts'
import { brokenWholes } from './wholes.ts'

/**
 * Takes sales back, whatever has become of the event: a cancelled one is refunded as well. What was sold as
 * a whole is taken back as a whole. The places are free at once.
 */
export function voidTickets(state: EventState, { tickets, reason }: VoidTickets, now: number): Outcome {
  assert(tickets.length > 0, 'a ticket')
  assert(new Set(tickets.map(({ ticketId }) => ticketId)).size === tickets.length, 'a ticket named twice')
  const seats = seatsOf(tickets)
  assert(
    seats.every(ordinal => state.seatStatus[ordinal] === SOLD),
    'a valid ticket of a seat that is not sold',
  )
  const broken = brokenWholes(state, seats, ordinal => seats.includes(ordinal))
  if (broken !== null) return refuse(broken)
  const made = new NewChanges(state, now)
  for (const ticket of tickets) made.voidTicket(ticket, reason)
  return decided(made.changes)
}
