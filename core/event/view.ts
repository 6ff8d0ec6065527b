import type { UserId, ZoneId } from '../ids.ts'
import { statusAt } from './availability.ts'
import { isKept, keptFrom } from './rules/companions.ts'
import {
  AVAILABLE,
  type EventState,
  HELD,
  holdOf,
  SEAT_STATUSES,
  type ZoneSettings,
  type ZoneState,
} from './state.ts'

/** Followers and buyers read this of a state. None of it says who holds a seat. */

export type SeatStatusForBuyer =
  | 'available'
  | 'held'
  | 'held_by_me'
  | 'sold'
  | 'blocked'
  /** Kept for the person in the wheelchair place beside it. */
  | 'reserved_companion'

/** A seat whose hold has run out is available, and a free seat of a disabled zone is blocked. */
export function seatStatusFor(
  state: EventState,
  { ordinal, userId }: { ordinal: number; userId: UserId | null },
  now: number,
): SeatStatusForBuyer {
  const status = statusAt(state, ordinal, now)
  if (status === HELD && userId !== null && holdOf(state, ordinal)!.belongsTo(userId)) return 'held_by_me'
  if (status === AVAILABLE) {
    if (state.zones[state.seats.zoneOf[ordinal]!]!.settings.disabled) return 'blocked'
    const asked = { seats: [ordinal], taken: [] }
    if (isKept(state, ordinal) && (userId === null || keptFrom(state, userId, asked, now).length > 0)) {
      return 'reserved_companion'
    }
  }
  return SEAT_STATUSES[status]!
}

export interface ZoneOccupancy {
  readonly zoneId: ZoneId
  readonly capacity: number
  readonly available: number
  readonly held: number
  readonly sold: number
  readonly blocked: number
  /** The event does not sell this zone now. What was sold in it stays sold. */
  readonly closed: boolean
}

/**
 * From the counters, without looking at a seat. Holds that have run out count as held until they are tidied
 * up, so `available` may be too small for a moment and is never too large. What is free in a disabled zone
 * counts as blocked.
 */
export function occupancy(state: EventState): ZoneOccupancy[] {
  return state.zones.map(zone => zoneOccupancy(zone.settings, zone))
}

/** The same from the counters as rows have them. */
export function occupancyOf(
  zones: readonly CountedZone[],
  counts: readonly (ZoneCounters & { readonly zoneIndex: number })[],
): ZoneOccupancy[] {
  return counts.map(counters => zoneOccupancy(zones[counters.zoneIndex]!, counters))
}

type CountedZone = Pick<ZoneSettings, 'zoneId' | 'capacity' | 'disabled'>
type ZoneCounters = Pick<ZoneState, 'held' | 'sold' | 'blocked'>

function zoneOccupancy(
  { zoneId, capacity, disabled }: CountedZone,
  { held, sold, blocked }: ZoneCounters,
): ZoneOccupancy {
  const free = capacity - held - sold - blocked
  return disabled
    ? { zoneId, capacity, available: 0, held, sold, blocked: blocked + free, closed: true }
    : { zoneId, capacity, available: free, held, sold, blocked, closed: false }
}

/** When the next hold runs out, or ran out if it is not tidied up yet; null if there is none. */
export function nextExpiry(state: EventState): number | null {
  return state.queue.first?.heldUntil ?? null
}
