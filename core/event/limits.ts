import type { HoldRefusal } from '../refusal.ts'
import type { ActiveHold, HoldQueue, UserHolds } from './active-hold.ts'
import type { PersonActing } from './command.ts'
import type { EventState } from './state.ts'

/**
 * How much one person may hold at once, and make in a while.
 *
 * A hold that has run out counts against nobody. Counters include those that are not tidied up yet, so when
 * one says no, as many expired holds of the same user (address, zone) as are in the way are added to `ending`,
 * to be ended by this very decision. It looks at no more of them than that, however many are due.
 */
export function overLimits(
  state: EventState,
  actor: PersonActing,
  { holds, wheelchairs }: { holds: number; wheelchairs: number },
  ending: Set<ActiveHold>,
  now: number,
): HoldRefusal | null {
  const { policy } = state.settings
  const user = state.users.get(actor.person.userId)

  const perUser = policy.max_holds_per_user
  if (perUser !== null && !makeRoom(user?.all, { wanted: holds, limit: perUser }, ending, now)) {
    return { kind: 'quota_exceeded', limit: perUser, quota: 'max_holds_per_user' }
  }

  const perIp = policy.max_holds_per_ip
  if (perIp !== null && actor.ip !== null) {
    if (!makeRoom(state.ips.get(actor.ip)?.all, { wanted: holds, limit: perIp }, ending, now)) {
      return { kind: 'quota_exceeded', limit: perIp, quota: 'max_holds_per_ip' }
    }
  }

  const ofWheelchairs = policy.max_wheelchair_seats_per_booking
  if (ofWheelchairs !== null && wheelchairs > 0) {
    if (!makeRoom(user?.wheelchairs, { wanted: wheelchairs, limit: ofWheelchairs }, ending, now)) {
      return { kind: 'quota_exceeded', limit: ofWheelchairs, quota: 'max_wheelchair_seats_per_booking' }
    }
  }

  return tooFast(state, user, holds, now)
}

function makeRoom(
  queue: HoldQueue | null | undefined,
  { wanted, limit }: { wanted: number; limit: number },
  ending: Set<ActiveHold>,
  now: number,
): boolean {
  let over = (queue?.size ?? 0) + wanted - limit
  if (over <= 0) return true
  if (!queue || wanted > limit) return false
  for (const hold of ending) if (queue.has(hold)) over -= 1
  if (over <= 0) return true
  for (const hold of queue.due(now)) {
    if (ending.has(hold)) continue
    ending.add(hold)
    over -= 1
    if (over === 0) return true
  }
  return false
}

function tooFast(
  state: EventState,
  user: UserHolds | undefined,
  holds: number,
  now: number,
): HoldRefusal | null {
  const { holds_per_window: limit, hold_window_seconds } = state.settings.policy
  if (limit === null) return null
  // Waiting would not help.
  if (holds > limit) return { kind: 'quota_exceeded', limit, quota: 'holds_per_window' }
  const windowMs = hold_window_seconds * 1000
  // The newest of those that have to leave the window before the new ones fit in.
  const inTheWay = user?.recent.at(-(limit - holds + 1))
  if (inTheWay === undefined || inTheWay <= now - windowMs) return null
  return { kind: 'rate_limited', retryAfterSeconds: Math.ceil((inTheWay + windowMs - now) / 1000) }
}
