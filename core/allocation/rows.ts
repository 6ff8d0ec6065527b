import type { Point } from '../layout/model.ts'
import { chainOf, distanceOf } from './chain.ts'

/**
 * The rows of a layout version, compiled once: which seats are neighbours.
 *
 *   row   the seats of a zone with the same row label, in order along the row
 *   run   a longest chain of neighbours: consecutive seats of a row with no aisle between
 *
 * Seats are numbered a second time, by `position`: zone by zone, in a zone row by row from the front to the
 * back, in a row from one end to the other. Neighbours have positions that differ by one, and a run is a
 * stretch of positions.
 */
export interface Rows {
  readonly seats: number
  /** By position: the ordinal. */
  readonly ordinals: Uint32Array
  /** By ordinal: the position. */
  readonly positions: Uint32Array
  /** By run: its first position; one more at the end. */
  readonly runStarts: Uint32Array
  /** By position. */
  readonly runOf: Uint32Array
  /** By run: its row. */
  readonly rowOfRun: Uint32Array
  /** By row: its first run; one more at the end. */
  readonly rowStarts: Uint32Array
  /** By row: its zone. */
  readonly zoneOfRow: Uint16Array
  /** By row. */
  readonly labels: readonly string[]
  /** By row: the usual distance of two neighbours. */
  readonly pitch: Float32Array
  /** By position. */
  readonly x: Float32Array
  readonly y: Float32Array
}

/** Describes what is asked of a seat. Seats come by ordinal, those of a zone together. */
export interface RowSeat extends Point {
  readonly zoneIndex: number
  readonly row: string
  readonly number: number | string
  /** An aisle between this seat and the one that follows it in the row. Null: by distance. */
  readonly aisleAfter: boolean | null
}

/** A distance of so many usual ones is an aisle. */
const AISLE = 1.75

/** `front` is where the audience looks: rows are counted from there. */
export function compileRows(seats: readonly RowSeat[], front: Point): Rows {
  const rows = rowsOf(seats)
  for (const row of rows) {
    row.ordinals = chainOf(seats, row.ordinals)
    row.distance = nearest(seats, row.ordinals, front)
  }
  rows.sort((a, b) => a.zoneIndex - b.zoneIndex || a.distance - b.distance || a.first - b.first)

  const count = seats.length
  const ordinals = new Uint32Array(count)
  const positions = new Uint32Array(count)
  const runOf = new Uint32Array(count)
  const runStarts: number[] = []
  const rowOfRun: number[] = []
  const rowStarts: number[] = []
  const pitch = new Float32Array(rows.length)
  let position = 0
  for (const [index, row] of rows.entries()) {
    const usual = usualDistance(seats, row.ordinals)
    pitch[index] = usual
    rowStarts.push(runStarts.length)
    for (const [along, ordinal] of row.ordinals.entries()) {
      if (along === 0 || isAisle(seats, row.ordinals[along - 1]!, ordinal, usual)) {
        runStarts.push(position)
        rowOfRun.push(index)
      }
      ordinals[position] = ordinal
      positions[ordinal] = position
      runOf[position] = runStarts.length - 1
      position += 1
    }
  }
  rowStarts.push(runStarts.length)
  runStarts.push(count)
  lendPitch(rows, pitch)
  return {
    seats: count,
    ordinals,
    positions,
    runStarts: Uint32Array.from(runStarts),
    runOf,
    rowOfRun: Uint32Array.from(rowOfRun),
    rowStarts: Uint32Array.from(rowStarts),
    zoneOfRow: Uint16Array.from(rows, ({ zoneIndex }) => zoneIndex),
    labels: rows.map(({ label }) => label),
    pitch,
    x: Float32Array.from(ordinals, ordinal => seats[ordinal]!.x),
    y: Float32Array.from(ordinals, ordinal => seats[ordinal]!.y),
  }
}

interface Row {
  readonly zoneIndex: number
  readonly label: string
  readonly first: number
  ordinals: number[]
  /** It is that of the nearest seat, from where the audience looks. */
  distance: number
}

function rowsOf(seats: readonly RowSeat[]): Row[] {
  const rows: Row[] = []
  let byLabel = new Map<string, Row>()
  let zone = -1
  for (const [ordinal, { zoneIndex, row: label }] of seats.entries()) {
    if (zoneIndex !== zone) {
      zone = zoneIndex
      byLabel = new Map()
    }
    let row = byLabel.get(label)
    if (!row) {
      row = { zoneIndex, label, first: ordinal, ordinals: [], distance: 0 }
      byLabel.set(label, row)
      rows.push(row)
    }
    row.ordinals.push(ordinal)
  }
  return rows
}

function nearest(seats: readonly RowSeat[], ordinals: readonly number[], front: Point): number {
  let distance = Number.POSITIVE_INFINITY
  for (const ordinal of ordinals) distance = Math.min(distance, distanceOf(seats[ordinal]!, front))
  return distance
}

/** The median distance of seats that follow each other; of two in the middle the shorter. */
function usualDistance(seats: readonly RowSeat[], ordinals: readonly number[]): number {
  if (ordinals.length < 2) return 0
  const distances = new Float64Array(ordinals.length - 1)
  for (let along = 1; along < ordinals.length; along += 1) {
    distances[along - 1] = distanceOf(seats[ordinals[along - 1]!]!, seats[ordinals[along]!]!)
  }
  distances.sort()
  return distances[(distances.length - 1) >> 1]!
}

/** A row of one seat, or with all seats in one place, takes the shortest of its zone. */
function lendPitch(rows: readonly Row[], pitch: Float32Array): void {
  const shortest = new Map<number, number>()
  for (const [index, { zoneIndex }] of rows.entries()) {
    const known = shortest.get(zoneIndex) ?? Number.POSITIVE_INFINITY
    if (pitch[index]! > 0) shortest.set(zoneIndex, Math.min(known, pitch[index]!))
  }
  for (const [index, { zoneIndex }] of rows.entries()) {
    if (pitch[index] === 0) pitch[index] = shortest.get(zoneIndex) ?? 1
  }
}

/** The layout says it at the one of the two that it lists first, whichever way the row was read. */
function isAisle(seats: readonly RowSeat[], a: number, b: number, usual: number): boolean {
  const said = seats[Math.min(a, b)]!.aisleAfter
  return said ?? distanceOf(seats[a]!, seats[b]!) > AISLE * usual
}
