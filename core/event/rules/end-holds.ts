import { assert } from '../../result.ts'
import type { EndHolds, EndHoldsByStaff } from '../command.ts'
import { answerOf, decided, type HoldAnswer, type Outcome } from '../decision.ts'
import { type ActiveHold, isAlive } from '../holds/active-hold.ts'
import type { EventState } from '../state.ts'
import { NewChanges } from './new-changes.ts'

/**
 * Ends holds in bulk, at most `limit` with one command, so that other callers get their turn in between. The
 * caller repeats it until it ends fewer. Holds that have run out expire, as always.
 *
 *   event_cancelled   every hold of a cancelled event, those in payment too: money that arrives is refunded
 *   admin_override    what staff choose: all, those of a zone, or those of a user.
 *                     Holds in payment only with `force`
 */
export function endHolds(state: EventState, command: EndHolds, now: number): Outcome {
  assert(command.limit > 0, 'a limit')
  const made = new NewChanges(state, now)
  const ended: HoldAnswer[] = []
  for (const hold of candidates(state, command)) {
    if (!isChosen(hold, command)) continue
    if (!isAlive(hold, now)) made.expire(hold)
    else {
      made.release(hold, command)
      ended.push(answerOf(hold))
    }
    if (made.changes.length === command.limit) break
  }
  return decided(made.changes, ended)
}

/** Staff choose these holds; all of them when nothing is said. */
export type Chosen = Pick<EndHoldsByStaff, 'zoneIndex' | 'userId' | 'force'>

/**
 * Counts the chosen holds that are left. Those `inPayment` are passed over, because staff did not set
 * `force`.
 */
export function countChosen(state: EventState, chosen: Chosen): { remaining: number; inPayment: number } {
  const left = { remaining: 0, inPayment: 0 }
  for (const hold of holdsOf(state, chosen)) {
    if (!isInZone(hold, chosen)) continue
    if (isKeptByPayment(hold, chosen)) left.inPayment += 1
    else left.remaining += 1
  }
  return left
}

function candidates(state: EventState, command: EndHolds): Iterable<ActiveHold> {
  // An event that is on sale keeps its holds, whatever a node believed when it gave this command.
  if (command.reason === 'event_cancelled') {
    return state.settings.status === 'cancelled' ? state.holds.values() : []
  }
  return holdsOf(state, command)
}

function isChosen(hold: ActiveHold, command: EndHolds): boolean {
  if (command.reason === 'event_cancelled') return true
  return isInZone(hold, command) && !isKeptByPayment(hold, command)
}

function holdsOf(state: EventState, { userId }: Chosen): Iterable<ActiveHold> {
  return userId === undefined ? state.holds.values() : (state.users.get(userId)?.all.heap ?? [])
}

function isInZone(hold: ActiveHold, { zoneIndex }: Chosen): boolean {
  return zoneIndex === undefined || hold.zoneIndex === zoneIndex
}

function isKeptByPayment(hold: ActiveHold, { force }: Chosen): boolean {
  return hold.checkoutId !== null && force !== true
}
