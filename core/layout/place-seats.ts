import { isCoordinate } from './check-points.ts'
import type { SeatDraft, SeatIndex } from './compile-seats.ts'
import type { LayoutFaults } from './faults.ts'
import type { Outline, Point, Zone } from './model.ts'

/** Between two zones that are placed one below the other; seats and rows are one unit apart. */
const ZONE_GAP = 2
/** Between two seats with an aisle between them: enough for core/allocation to see it. */
const AISLE = 2

interface Drawn {
  readonly zones: readonly Zone[]
  readonly outlines: readonly Outline[]
  readonly focalPoint: Point | null
}

/**
 * Gives a place to every seat that came without one: the rows of a zone in order of first appearance, each
 * seat one unit from the last, zones one below the other and below everything that was drawn. Rows start at
 * the left, so that a seat added at the end of a row moves no other. An aisle is left where the layout says
 * one, and where numbers differ by more than is usual in the row.
 */
export function placeSeats(faults: LayoutFaults, index: SeatIndex, drawn: Drawn): void {
  if (index.unplaced.length === 0) return
  const { left, bottom } = extentOf(index, drawn)
  let y = bottom
  let zoneIndex = -1
  for (const row of unplacedRows(index)) {
    y += row[0]!.zoneIndex === zoneIndex ? 1 : ZONE_GAP
    zoneIndex = row[0]!.zoneIndex
    const usual = usualStep(row)
    let x = left
    for (const [along, seat] of row.entries()) {
      if (along > 0) x += isAisle(row[along - 1]!, seat, usual) ? AISLE : 1
      seat.x = x
      seat.y = y
    }
    if (!isCoordinate(x) || !isCoordinate(y)) {
      const message = 'Give the seats of this zone coordinates: there is no room left beside the others.'
      faults.add(`/zones/${zoneIndex}/seats`, 'no_room_for_seats', message)
      return
    }
  }
}

/** The seats without a place, row by row, in the order in which rows and seats are listed. */
function unplacedRows({ seats, unplaced }: SeatIndex): SeatDraft[][] {
  const rows: SeatDraft[][] = []
  let ofZone = new Map<string, SeatDraft[]>()
  let zoneIndex = -1
  for (const ordinal of unplaced) {
    const seat = seats[ordinal]!
    if (seat.zoneIndex !== zoneIndex) {
      zoneIndex = seat.zoneIndex
      ofZone = new Map()
    }
    const row = ofZone.get(seat.row)
    if (row) row.push(seat)
    else {
      rows.push([seat])
      ofZone.set(seat.row, rows.at(-1)!)
    }
  }
  return rows
}

/**
 * By how much the numbers of neighbours differ in this row: 1, or 2 where it is numbered odd or even. The
 * median; of two in the middle the smaller, so that no more than half of the steps are aisles: of more, the
 * distances would tell that they are the usual thing.
 */
function usualStep(row: readonly SeatDraft[]): number {
  const steps: number[] = []
  for (const [along, seat] of row.entries()) {
    const step = along === 0 ? null : stepOf(row[along - 1]!, seat)
    if (step !== null) steps.push(step)
  }
  steps.sort((a, b) => a - b)
  return Math.max(steps[(steps.length - 1) >> 1] ?? 1, 1)
}

function isAisle(seat: SeatDraft, next: SeatDraft, usual: number): boolean {
  return seat.aisleAfter ?? (stepOf(seat, next) ?? 0) > usual
}

/** Null: one of the two is not a number. */
function stepOf({ number: a }: SeatDraft, { number: b }: SeatDraft): number | null {
  return typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) : null
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
