import { AVAILABLE, BLOCKED, type EventState } from '@voelgoed/core/event/state'
import { occupancy } from '@voelgoed/core/event/view'
import type { HoldId } from '@voelgoed/core/ids'
import type { EventKeys } from '../redis/keys.ts'

/** How an event is written down in Redis: the words of scripts/put-event.lua. */

/** One part of what is to be written. */
export interface Part {
  readonly keys: readonly string[]
  /** From ARGV[15] on. */
  readonly words: readonly string[]
}

/** Some holds as they are in the state now: those that it does not have any more have ended. */
export function partOf(
  state: EventState,
  keys: EventKeys,
  {
    holds,
    seats,
    fields,
  }: {
    readonly holds: Iterable<readonly [HoldId, number | null]>
    readonly seats: Iterable<number>
    readonly fields: readonly string[]
  },
): Part {
  const { seatIds } = state.seats
  const bits: string[] = []
  for (const ordinal of seats) bits.push('SET', 'u2', `#${ordinal}`, String(codeOf(state, ordinal)))
  const ended: string[] = []
  const endedKeys: string[] = []
  const living: string[] = []
  const livingKeys: string[] = []
  for (const [holdId, ordinal] of holds) {
    const seat = ordinal === null ? '' : seatIds.at(ordinal)
    const hold = state.holds.get(holdId)
    const theirs = hold ? livingKeys : endedKeys
    theirs.push(keys.holdMeta(holdId))
    if (seat !== '') theirs.push(keys.seatHold(seat))
    if (hold) {
      const zone = state.zones[hold.zoneIndex]!.settings.zoneId
      living.push(holdId, seat, String(ordinal ?? ''), zone, String(hold.quantity), String(hold.heldUntil))
    } else ended.push(holdId, seat)
  }
  const counts = [bits.length, fields.length, ended.length / 2, living.length / 6].map(String)
  return {
    keys: [...endedKeys, ...livingKeys],
    words: [...counts, ...bits, ...fields, ...ended, ...living],
  }
}

/** As buyers should see it: what is free in a disabled zone is blocked. Holds that have run out count. */
function codeOf({ seatStatus, seats, zones }: EventState, ordinal: number): number {
  const code = seatStatus[ordinal]!
  return code === AVAILABLE && zones[seats.zoneOf[ordinal]!]!.settings.disabled ? BLOCKED : code
}

export function bitmapBytes({ seats }: EventState): number {
  return Math.ceil(seats.count / 4)
}

/** All seats, as BITFIELD counts them: the first seat in the highest bits. */
export function bitmapOf(state: EventState): Buffer {
  const bytes = Buffer.alloc(bitmapBytes(state))
  const { count } = state.seats
  for (let ordinal = 0; ordinal < count; ordinal += 1) {
    bytes[ordinal >> 2]! |= codeOf(state, ordinal) << (6 - 2 * (ordinal & 3))
  }
  return bytes
}

/** Fields and values of the occupancy: the event's, and those of some zones. */
export function occupancyFields(state: EventState, chosen: ReadonlySet<number> | 'all'): string[] {
  const zones = occupancy(state)
  const sum = { available: 0, held: 0, sold: 0, blocked: 0, total: 0 }
  const fields = ['status', state.settings.status]
  for (const [index, { zoneId, capacity, available, held, sold, blocked, closed }] of zones.entries()) {
    sum.available += available
    sum.held += held
    sum.sold += sold
    sum.blocked += blocked
    sum.total += capacity
    if (chosen !== 'all' && !chosen.has(index)) continue
    const counts = [zoneId, capacity, available, held, sold, blocked, Number(closed)]
    fields.push(`zone:${index}`, counts.join(' '))
  }
  for (const [name, count] of Object.entries(sum)) fields.push(name, String(count))
  return fields
}
