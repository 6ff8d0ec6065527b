import { isStaff, type Person } from '../../access.ts'
import type { UserId } from '../../ids.ts'
import type { HoldRefusal } from '../../refusal.ts'
import type { PersonActing } from '../command.ts'
import type { ActiveHold, HoldQueue } from '../holds/active-hold.ts'
import type { Holder } from '../holds/holders.ts'
import { type EventState, WHEELCHAIR } from '../state.ts'

/**
 * Bounds what one buyer may have at once, and take in a while: always in seats and places, never in holds or
 * requests. Staff are not bound.
 *
 * A hold that has run out counts against no limit. The queues' counters include those that are not tidied up
 * yet, so when one says no, as many expired holds of the same user (address) as are in the way are added to
 * `ending`, to be ended by this very decision. It looks at no more of them than that, however many are due.
 */
export function overLimits(
  state: EventState,
  actor: PersonActing,
  { places, wheelchairs }: { places: number; wheelchairs: number },
  ending: Map<number, ActiveHold>,
  now: number,
): HoldRefusal | null {
  if (isStaff(actor.person.role)) return null
  const { policy } = state.settings
  const user = state.users.get(actor.person.userId)

  const perBooking = policy.max_seats_per_booking
  if (perBooking !== null && !makeRoom(user?.all, { wanted: places, limit: perBooking }, ending, now)) {
    return { kind: 'too_many_seats', limit: perBooking }
  }

  const perUser = policy.max_holds_per_user
  if (perUser !== null && !makeRoom(user?.all, { wanted: places, limit: perUser }, ending, now)) {
    return { kind: 'quota_exceeded', limit: perUser, quota: 'max_holds_per_user' }
  }

  const perIp = policy.max_holds_per_ip
  if (perIp !== null && actor.ip !== null) {
    if (!makeRoom(state.ips.get(actor.ip)?.all, { wanted: places, limit: perIp }, ending, now)) {
      return { kind: 'quota_exceeded', limit: perIp, quota: 'max_holds_per_ip' }
    }
  }

  const ofWheelchairs = policy.max_wheelchair_seats_per_booking
  if (ofWheelchairs !== null && wheelchairs > 0) {
    if (
      !makeRoom(
        user && wheelchairsOf(state, user),
        { wanted: wheelchairs, limit: ofWheelchairs },
        ending,
        now,
      )
    ) {
      return { kind: 'quota_exceeded', limit: ofWheelchairs, quota: 'max_wheelchair_seats_per_booking' }
    }
  }

  return tooFast(state, user, places, now)
}

/**
 * The same limits for a whole cart that changes hands. Nothing is newly taken,
 * and addresses stay as they are.
 */
export function cartOverLimits(
  state: EventState,
  person: Person,
  cart: readonly ActiveHold[],
): HoldRefusal | null {
  if (isStaff(person.role)) return null
  const { max_seats_per_booking, max_holds_per_user, max_wheelchair_seats_per_booking } =
    state.settings.policy
  let places = 0
  let wheelchairs = 0
  for (const { quantity, ordinal } of cart) {
    places += quantity
    if (ordinal !== null && state.seats.category[ordinal] === WHEELCHAIR) wheelchairs += 1
  }
  if (max_seats_per_booking !== null && places > max_seats_per_booking) {
    return { kind: 'too_many_seats', limit: max_seats_per_booking }
  }
  if (max_holds_per_user !== null && places > max_holds_per_user) {
    return { kind: 'quota_exceeded', limit: max_holds_per_user, quota: 'max_holds_per_user' }
  }
  if (max_wheelchair_seats_per_booking !== null && wheelchairs > max_wheelchair_seats_per_booking) {
    const quota = 'max_wheelchair_seats_per_booking'
    return { kind: 'quota_exceeded', limit: max_wheelchair_seats_per_booking, quota }
  }
  return null
}

/** Describes what a limit counts. */
type Counted = Pick<HoldQueue, 'places' | 'has' | 'due'>

/** The wheelchair seats among what a user holds. Very few users have one: they have no queue. */
function wheelchairsOf({ seats }: EventState, user: Holder<UserId>): Counted {
  const isOne = ({ ordinal }: ActiveHold) => ordinal !== null && seats.category[ordinal] === WHEELCHAIR
  return {
    places: user.heap.filter(isOne).length,
    has: hold => isOne(hold) && user.has(hold),
    *due(now) {
      for (const hold of user.due(now)) if (isOne(hold)) yield hold
    },
  }
}

function makeRoom(
  queue: Counted | undefined,
  { wanted, limit }: { wanted: number; limit: number },
  ending: Map<number, ActiveHold>,
  now: number,
): boolean {
  let over = (queue?.places ?? 0) + wanted - limit
  if (over <= 0) return true
  if (!queue || wanted > limit) return false
  for (const hold of ending.values()) if (queue.has(hold)) over -= hold.quantity
  if (over <= 0) return true
  for (const hold of queue.due(now)) {
    if (ending.has(hold.slot)) continue
    ending.set(hold.slot, hold)
    over -= hold.quantity
    if (over <= 0) return true
  }
  return false
}

function tooFast(
  state: EventState,
  user: Holder<UserId> | undefined,
  places: number,
  now: number,
): HoldRefusal | null {
  const { holds_per_window: limit, hold_window_seconds } = state.settings.policy
  if (limit === null) return null
  // Waiting would not help.
  if (places > limit) return { kind: 'quota_exceeded', limit, quota: 'holds_per_window' }
  if (user === undefined) return null
  const windowMs = hold_window_seconds * 1000
  let room = limit - places
  let refusal: HoldRefusal | null = null
  state.takes.each(user.slot, (at, taken) => {
    if (at <= now - windowMs) return 'enough'
    room -= taken
    if (room >= 0) return 'more'
    // The newest of those that have to leave the window before the new ones fit in.
    refusal = { kind: 'rate_limited', retryAfterSeconds: Math.ceil((at + windowMs - now) / 1000) }
    return 'enough'
  })
  return refusal
}
