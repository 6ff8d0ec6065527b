import type { Point } from '@voelgoed/core/layout/model'
import { type MapModel, NO_ZONE } from '../../../map/index.ts'

/** Seats inside a line that was drawn around them, in the hall's units. */
export function seatsInside(model: MapModel, line: readonly Point[]): number[] {
  if (line.length < 3) return []
  const xs = line.map(({ x }) => x)
  const ys = line.map(({ y }) => y)
  const [minX, maxX, minY, maxY] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const found: number[] = []
  for (let ordinal = 0; ordinal < model.ordinalCount; ordinal += 1) {
    const x = model.x[ordinal]!
    const y = model.y[ordinal]!
    if (model.zoneOf[ordinal] === NO_ZONE || x < minX || x > maxX || y < minY || y > maxY) continue
    if (isInside(line, x, y)) found.push(ordinal)
  }
  return found
}

/** A ray to the right crosses the line an odd number of times. */
function isInside(line: readonly Point[], x: number, y: number): boolean {
  let inside = false
  for (const [index, a] of line.entries()) {
    const b = line[(index + 1) % line.length]!
    if (a.y > y === b.y > y) continue
    if (x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside
  }
  return inside
}

/** All seats of the row in which a seat is. */
export function rowSeats(model: MapModel, ordinal: number): number[] {
  const zone = model.zones[model.zoneOf[ordinal]!]
  const label = model.rowOf(ordinal)
  return (zone?.rows ?? [])
    .filter(row => row.label === label)
    .flatMap(row => range(row.firstOrdinal, row.seatCount))
}

export function zoneSeats(model: MapModel, zoneIndex: number): number[] {
  const zone = model.zones[zoneIndex]
  return zone ? range(zone.firstOrdinal, zone.seatCount).filter(ordinal => model.has(ordinal)) : []
}

/** By status: available, held, sold, blocked. */
export function byStatus(
  ordinals: Iterable<number>,
  statuses: Uint8Array,
): [number[], number[], number[], number[]] {
  const found: [number[], number[], number[], number[]] = [[], [], [], []]
  for (const ordinal of ordinals) found[statuses[ordinal]!]?.push(ordinal)
  return found
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index)
}
