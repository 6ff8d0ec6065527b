import { isCoordinate } from './check-points.ts'
import type { SeatDraft, SeatIndex } from './compile-seats.ts'
import type { LayoutFaults } from './faults.ts'
import type { Outline, Point, Zone } from './model.ts'

/** Between two zones that are placed one below the other; seats and rows are one unit apart. */
const ZONE_GAP = 2

interface Drawn {
  readonly zones: readonly Zone[]
  readonly outlines: readonly Outline[]
  readonly focalPoint: Point | null
}

/**
 * Gives a place to every seat that came without one: the rows of a zone in order of first appearance, each
 * seat one unit from the last, zones one below the other and below everything that was drawn. Rows start at
 * the left, so that a seat added at the end of a row moves no other.
 */
export function placeSeats(faults: LayoutFaults, index: SeatIndex, drawn: Drawn): void {
  if (index.unplaced.length === 0) return
  const { left, bottom } = extentOf(index, drawn)
  let lowest = bottom
  let zoneIndex = -1
  let rows = new Map<string, { y: number; count: number }>()

  for (const ordinal of index.unplaced) {
    const seat = index.seats[ordinal]!
    if (seat.zoneIndex !== zoneIndex) {
      zoneIndex = seat.zoneIndex
      rows = new Map()
      lowest += ZONE_GAP - 1
    }
    let row = rows.get(seat.row)
    if (row === undefined) {
      lowest += 1
      row = { y: lowest, count: 0 }
      rows.set(seat.row, row)
    }
    seat.x = left + row.count++
    seat.y = row.y
    if (!isCoordinate(seat.x) || !isCoordinate(seat.y)) {
      const message = 'Give the seats of this zone coordinates: there is no room left beside the others.'
      faults.add(`/zones/${zoneIndex}/seats`, 'no_room_for_seats', message)
      return
    }
  }
}

/** The left and the lower edge of everything that has a place already. */
function extentOf(
  index: SeatIndex,
  { zones, outlines, focalPoint }: Drawn,
): { left: number; bottom: number } {
  let left = Number.POSITIVE_INFINITY
  let bottom = Number.NEGATIVE_INFINITY
  const include = ({ x, y }: Point) => {
    if (!isCoordinate(x) || !isCoordinate(y)) return
    left = Math.min(left, x)
    bottom = Math.max(bottom, y)
  }
  for (const seat of placedSeats(index)) include(seat)
  for (const { outline } of zones) outline?.forEach(include)
  for (const { points } of outlines) points.forEach(include)
  if (focalPoint) include(focalPoint)
  return Number.isFinite(left) ? { left, bottom } : { left: 0, bottom: -ZONE_GAP }
}

function* placedSeats({ seats, unplaced }: SeatIndex): Generator<SeatDraft> {
  let next = 0
  for (const seat of seats) {
    if (seat.ordinal === unplaced[next]) next++
    else yield seat
  }
}
