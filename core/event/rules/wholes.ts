import type { HoldRefusal } from '../../refusal.ts'
import { seatIdsOf } from '../availability.ts'
import { type ActiveHold, isAlive } from '../holds/active-hold.ts'
import { type EventState, holdOf } from '../state.ts'

/**
 * Groups of a layout that are sold as a whole, a box or a table: a buyer takes, pays for and gives back all
 * of their seats or none.
 */

/** All seats of the group that the seat is sold with, by ordinal; null: it is sold by itself. */
function wholeOf({ seats: { hall } }: EventState, ordinal: number): readonly number[] | null {
  if (hall.wholes.length === 0) return null
  const index = hall.wholeOf.get(hall.rows.positions[ordinal]!)
  return index === undefined ? null : Array.from(hall.wholes[index]!, at => hall.rows.ordinals[at]!)
}

/** Returns the groups of which a buyer would have only a part with these seats. */
export function brokenWholes(
  state: EventState,
  seats: readonly number[],
  has: (ordinal: number) => boolean,
): HoldRefusal | null {
  if (state.seats.hall.wholes.length === 0) return null
  const broken = new Set<number>()
  for (const ordinal of seats) {
    const whole = wholeOf(state, ordinal)
    if (whole?.every(has) === false) for (const one of whole) broken.add(one)
  }
  if (broken.size === 0) return null
  const inOrder = [...broken].sort((a, b) => a - b)
  return { kind: 'sold_as_a_whole', seatIds: seatIdsOf(state, inOrder) }
}

/** The holds, and the same buyer's living holds of seats that are sold with theirs. */
export function withWholes(
  state: EventState,
  holds: readonly (ActiveHold | undefined)[],
  now: number,
): ActiveHold[] {
  if (state.seats.hall.wholes.length === 0) return []
  const named = new Set(holds.map(hold => hold?.slot))
  const more = new Map<number, ActiveHold>()
  for (const hold of holds) {
    if (!hold || hold.ordinal === null || !isAlive(hold, now)) continue
    for (const ordinal of wholeOf(state, hold.ordinal) ?? []) {
      const other = holdOf(state, ordinal)
      if (!other || named.has(other.slot) || !other.belongsTo(hold.user.key) || !isAlive(other, now)) continue
      more.set(other.slot, other)
    }
  }
  return [...more.values()]
}
