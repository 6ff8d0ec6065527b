import type { HoldRefusal } from '../../refusal.ts'
import { refuse } from '../../result.ts'
import type { Transfer } from '../command.ts'
import { decided, type Outcome } from '../decision.ts'
import { type ActiveHold, type HoldTimes, isAlive } from '../holds/active-hold.ts'
import type { EventState } from '../state.ts'
import { livingHolds } from './cart.ts'
import { cartOverLimits } from './limits.ts'
import { NewChanges } from './new-changes.ts'
import { zoneDenied } from './settle.ts'

/**
 * A guest's cart becomes the account's: all of it, or nothing and why not. Nothing to move is no refusal, so
 * the command can be repeated.
 *
 * If both have a cart, the joined cart ends at the later of the two ends, and its cap is the earlier of the
 * two caps: no buyer's time is cut, and a new guest can't renew an old cart without end. Where the later end
 * lies past the earlier cap, the carts can't be joined (carts_end_too_far_apart). That takes a cart that is
 * being paid for, or a ttl of more than 15 minutes.
 */
export function transfer(state: EventState, command: Transfer, now: number): Outcome {
  const { from, actor } = command
  const { person } = actor
  const theirs = state.users.get(from)?.all
  const moving = theirs && from !== person.userId ? livingHolds(theirs, now).sort(byId) : []
  if (moving.length === 0) return decided([])

  const { status } = state.settings
  if (status === 'cancelled' || status === 'archived') return refuse({ kind: 'event_not_available', status })
  // Their checkout belongs to the guest, who pays for it or cancels it.
  if (moving.some(hold => hold.checkoutId !== null)) return refuse({ kind: 'hold_in_payment' })
  const denied = zoneDenied(state, moving, person)
  if (denied !== null) return refuse(denied)
  const mine = state.users.get(person.userId)?.all
  const staying = mine ? livingHolds(mine, now) : []
  const refusal = cartOverLimits(state, person, [...staying, ...moving]) ?? tooFarApart(moving, staying)
  if (refusal !== null) return refuse(refusal)

  // Nothing refuses from here on.
  const times = joinedTimes([...staying, ...moving])
  const made = new NewChanges(state, now)
  // Holds of the account that have run out end first: the rows never show it with more than it may have.
  for (const hold of mine?.heap ?? []) if (!isAlive(hold, now)) made.expire(hold)
  for (const hold of staying) {
    if (hold.heldUntil !== times.heldUntil || hold.capUntil !== times.capUntil) made.extend(hold, times)
  }
  return decided(
    made.changes,
    moving.map(hold => made.transfer(hold, person.userId, times)),
  )
}

function tooFarApart(moving: readonly ActiveHold[], staying: readonly ActiveHold[]): HoldRefusal | null {
  const { heldUntil, capUntil } = joinedTimes([...moving, ...staying])
  return heldUntil > capUntil ? { kind: 'carts_end_too_far_apart' } : null
}

function joinedTimes(holds: readonly ActiveHold[]): HoldTimes {
  let heldUntil = 0
  let capUntil = Number.MAX_SAFE_INTEGER
  for (const hold of holds) {
    heldUntil = Math.max(heldUntil, hold.heldUntil)
    capUntil = Math.min(capUntil, hold.capUntil)
  }
  return { heldUntil, capUntil }
}

function byId(a: ActiveHold, b: ActiveHold): number {
  return a.holdId < b.holdId ? -1 : 1
}
