import { assert, assertNever } from '../result.ts'
import type { Command, Expire } from './command.ts'
import { decided, type Outcome } from './decision.ts'
import { block, unblock } from './rules/block.ts'
import { changeEvent } from './rules/change-event.ts'
import { endHolds } from './rules/end-holds.ts'
import { holdPlaces, holdSeats } from './rules/hold.ts'
import { holdBest } from './rules/hold-best.ts'
import { moveTickets } from './rules/move-tickets.ts'
import { NewChanges } from './rules/new-changes.ts'
import { sell } from './rules/sell.ts'
import { endPayment, extend, reduce, release, startPayment } from './rules/settle.ts'
import { transfer } from './rules/transfer.ts'
import { voidTickets } from './rules/void-tickets.ts'
import type { EventState } from './state.ts'

/**
 * Decides what a command does to an event: the changes to apply, or a refusal. Changes nothing itself. `now`
 * is the database's clock, in milliseconds. A command with several seats or holds takes effect as a whole or
 * not at all; only a release by staff or by the payment passes over what is not there any more.
 *
 * New holds (`hold_seats`, `hold_places`). The first rule that says no is the answer:
 *
 *   0. Seats that are mine and alive come back as they are. If all are, none of the other rules is asked.
 *   1. The event is published or live (event_not_available),
 *      and saleStart ≤ now ≤ salesEnd (event_sales_closed; sale-window.ts).
 *   2. The new seats or places alone are no more than max_seats_per_booking (too_many_seats).
 *   3. No zone is disabled (seat_not_available, `blocked`; zone_at_capacity, 0), the policy lets the event
 *      sell each (zone_not_sold), and each lets this person in, whatever their role (zone_access_denied).
 *   4. No seat is sold or blocked (seat_not_available), then none is held by another
 *      (seat_held_by_another_user, with the seconds until the last of them is free).
 *      Before that, groups that are sold as a whole are whole (sold_as_a_whole); after it, no companion seat
 *      is kept for another person (companion_reserved).
 *   5. The zone has as many places (zone_at_capacity).
 *   6. max_seats_per_booking (too_many_seats), max_holds_per_user, max_holds_per_ip,
 *      max_wheelchair_seats_per_booking (quota_exceeded): what the buyer (the address) has in this event now,
 *      and the new ones, in seats and places.
 *   7. holds_per_window: seats and places newly taken by the buyer in hold_window_seconds (rate_limited;
 *      quota_exceeded if no waiting would help). Rule 0 takes nothing.
 *
 * Rules 2, 6 and 7 are for buyers: staff are not bound by them.
 * The best seats (`hold_best`) are chosen so that the others are kept: rules 1, 2, 6 and 7, and rule 3 for a
 * zone that the buyer names; there may be none (no_suitable_seats).
 * What is granted joins the buyer's cart (cart.ts).
 *
 * In rules 4 to 6 a hold that has run out is not in the way. If it is not tidied up yet, its
 * `seat_hold_expired` comes first in the same decision: only where it is in the way,
 * so that a hold never pays for a backlog.
 *
 * Holds that exist (settle.ts): whose it is not, does not learn that it exists (hold_not_found); the event
 * must not be cancelled or archived (event_not_available); the hold must be alive (hold_expired) and not with
 * another checkout (hold_in_payment). The sale window is not asked: what was held in time may be paid for. A
 * buyer can't release or reduce a hold in payment, they cancel the checkout; staff can release it, if they
 * insist (`force`). A checkout that is over gives its holds back to the buyer's cart (end_payment).
 * A payment, at its start, and a sale ask once more whether the zone lets the buyer in
 * (zone_access_denied), and whether each place in a members' zone has a guest who may have it, but for one
 * that is the buyer's own (guest_not_allowed, guests_not_named; guests/guest-rule.ts). A sale also asks
 * whether the holds still have as many places as there are tickets (hold_changed). An order, when its payment
 * starts and when it is sold, must not leave single seats alone (would_strand_seats), take a companion seat
 * without its place, or a part of a group. Fewer places of a hold are possible, not more
 * (hold_not_reducible). A guest's cart can go to an account: transfer.ts.
 *
 * Checkouts, staff and platforms that have the money sell holds of any buyer by the same rules, and also
 * those that have run out, if their places are free (sell.ts). Sales are taken back by void-tickets.ts, and
 * moved to other seats by move-tickets.ts.
 */
export function decide(state: EventState, command: Command, now: number): Outcome {
  switch (command.kind) {
    case 'hold_seats':
      return holdSeats(state, command, now)
    case 'hold_places':
      return holdPlaces(state, command, now)
    case 'hold_best':
      return holdBest(state, command, now)
    case 'extend':
      return extend(state, command, now)
    case 'reduce':
      return reduce(state, command, now)
    case 'transfer':
      return transfer(state, command, now)
    case 'release':
      return release(state, command, now)
    case 'start_payment':
      return startPayment(state, command, now)
    case 'end_payment':
      return endPayment(state, command, now)
    case 'sell':
      return sell(state, command, now)
    case 'void_tickets':
      return voidTickets(state, command, now)
    case 'move_tickets':
      return moveTickets(state, command, now)
    case 'expire':
      return expire(state, command, now)
    case 'end_holds':
      return endHolds(state, command, now)
    case 'block':
      return block(state, command, now)
    case 'unblock':
      return unblock(state, command, now)
    case 'event_changed':
      return changeEvent(state, command, now)
    default:
      return assertNever(command, 'a kind of command that this program does not know')
  }
}

function expire(state: EventState, { limit }: Expire, now: number): Outcome {
  assert(limit > 0, 'a limit')
  const made = new NewChanges(state, now)
  for (const hold of state.queue.due(now)) {
    made.expire(hold)
    if (made.changes.length === limit) break
  }
  return decided(made.changes)
}
