import type { UserId } from '../../ids.ts'
import type { EventState } from '../state.ts'
import type { Holder, HoldQueue, Idle, IpHolds, UserHolds } from './active-hold.ts'
import { ExpiryQueue } from './expiry-queue.ts'
import type { Fifo } from './fifo.ts'

/**
 * The users and addresses a state remembers: those that hold something, and those that held something within
 * the policy's window. They outlive their last hold because `holds_per_window` counts what has ended,
 * and because keys that are removed from a Map and added again and again make look-ups in it slow (4 µs
 * instead of 2 µs a hold, measured with 100,000 holds).
 *
 * After a policy has lengthened the window, holds made before that may count for the shorter time only.
 */

export function userFor(state: EventState, userId: UserId): UserHolds {
  const known = state.users.get(userId)
  if (known !== undefined) return known
  const all: HoldQueue = new ExpiryQueue('placeWithUser')
  const user: UserHolds = { key: userId, all, wheelchairs: null, recent: [] }
  state.users.set(userId, user)
  return user
}

export function ipFor(state: EventState, key: string): IpHolds {
  const known = state.ips.get(key)
  if (known !== undefined) return known
  const ip: IpHolds = { key, all: new ExpiryQueue('placeWithIp') }
  state.ips.set(key, ip)
  return ip
}

export function countPlaces(
  state: EventState,
  user: UserHolds,
  { at, places }: { at: number; places: number },
): void {
  const { recent } = user
  // Half of them at a time: dropping the oldest alone would move all the others every time.
  const half = (recent.length >> 2) * 2
  if (recent.length > 0 && recent[half]! <= at - windowMsOf(state)) recent.splice(0, half + 2)
  // All seats of one command have one time, and one pair.
  if (recent.length === 0) user.recent = [at, places]
  else if (recent.at(-2) === at) recent[recent.length - 1]! += places
  else recent.push(at, places)
}

/**
 * To be called when a hold of theirs has ended. With no other left,
 * nothing need be known of them a window later.
 */
export function forgetLater(
  state: EventState,
  { user, ip }: { user: UserHolds; ip: IpHolds | null },
  at: number,
): void {
  if (user.all.size === 0) joinLine(state, state.users, state.idleUsers, { holder: user, since: at })
  if (ip !== null && ip.all.size === 0) joinLine(state, state.ips, state.idleIps, { holder: ip, since: at })
}

function joinLine<Kind extends Holder>(
  state: EventState,
  known: Map<string, Kind>,
  line: Fifo<Idle<Kind>>,
  idle: Idle<Kind>,
): void {
  line.push(idle)
  // Two leave for one that comes: the line gets shorter, and no change pays for a crowd that left together.
  const from = idle.since - windowMsOf(state)
  forgetFirst(known, line, from)
  forgetFirst(known, line, from)
}

function forgetFirst<Kind extends Holder>(
  known: Map<string, Kind>,
  line: Fifo<Idle<Kind>>,
  from: number,
): void {
  const first = line.first
  if (first === undefined || first.since > from) return
  line.shift()
  const { holder } = first
  // Who came back in the meantime holds something, or did lately and is in the line again further behind.
  const isIdle = holder.all.size === 0 && (holder.recent?.at(-2) ?? from) <= from
  if (isIdle && known.get(holder.key) === holder) known.delete(holder.key)
}

function windowMsOf(state: EventState): number {
  return state.settings.policy.hold_window_seconds * 1000
}
