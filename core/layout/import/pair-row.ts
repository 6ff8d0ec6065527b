import type { Point, SeatCategory } from '../model.ts'

interface RowSeat {
  readonly category: SeatCategory
  readonly place: Point
}

/**
 * For each companion seat of a row, the index of the nearest wheelchair place that is still alone; none for
 * every other seat. Companions choose in the order of the row, and on equal distance look back first.
 * One walk along the row: a row of a hundred thousand wheelchairs takes no longer than any other.
 */
export function pairRow(seats: readonly RowSeat[]): Map<number, number> {
  const pairs = new Map<number, number>()
  const taken = new Set<number>()
  const waiting: number[] = []
  let ahead = 0
  for (const [index, { category, place }] of seats.entries()) {
    if (category === 'wheelchair' && !taken.has(index)) waiting.push(index)
    if (category !== 'companion') continue
    ahead = Math.max(ahead, index + 1)
    while (ahead < seats.length && (seats[ahead]!.category !== 'wheelchair' || taken.has(ahead))) ahead++

    const behind = waiting.at(-1)
    const distanceBehind = behind === undefined ? Infinity : distance(place, seats[behind]!.place)
    const distanceAhead = ahead === seats.length ? Infinity : distance(place, seats[ahead]!.place)
    if (distanceBehind === Infinity && distanceAhead === Infinity) continue
    if (distanceBehind <= distanceAhead) pairs.set(index, waiting.pop()!)
    else {
      pairs.set(index, ahead)
      taken.add(ahead)
    }
  }
  return pairs
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}
