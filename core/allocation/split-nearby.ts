import type { Chains } from './chains.ts'
import { stretchesOf } from './find-group.ts'
import { freeBefore } from './free-before.ts'
import type { FreeSeats } from './free-seats.ts'
import { distanceBetween, type Hall } from './hall.ts'
import { type Stretch, strandedBy, strandsAlone } from './stranded.ts'
import { Budget, MOST_ROWS_APART } from './wish.ts'

/** So many steps, then the best that was found is taken. To look at a stretch of seats is one. */
const STEPS = 50_000

/**
 * Seats for the rest of a group that can't sit side by side: in the zone of the seats that it has (`taken`),
 * near to the first of them, in rows no more than `maxSplit` apart, and stranding none if that can be. By
 * position; null: there are not so many.
 */
export function splitNearby(
  seats: FreeSeats,
  chains: Chains,
  { quantity, maxSplit, taken }: { quantity: number; maxSplit: number | null; taken: readonly number[] },
): number[] | null {
  const { hall, free } = seats
  const { rowOfRun, runOf } = hall.rows
  const home = rowOfRun[runOf[taken[0]!]!]!
  const apart = Math.min(maxSplit ?? MOST_ROWS_APART, MOST_ROWS_APART)
  const budget = new Budget(STEPS)
  let best: number[] | null = null
  let fewest = Number.POSITIVE_INFINITY
  const before = freeBefore(hall, chains)
  for (const row of rowsFrom(hall, home)) {
    if (best !== null && budget.isSpent) break
    if (before[Math.min(row + apart + 1, before.length - 1)]! - before[row]! < quantity) continue
    const around = chainsOfRows(hall, chains, row, row + apart)
    if (around.reduce((sum, { start, end }) => sum + end - start, 0) < quantity) continue
    const positions = takeFrom(around, seats, { quantity, near: taken[0]!, budget })
    const inOrder = [...taken, ...positions].sort((a, b) => a - b)
    const stranded = strandedBy(hall, free, stretchesOf(hall, inOrder)).length
    if (stranded >= fewest) continue
    best = positions
    fewest = stranded
    if (stranded === 0) break
  }
  return best
}

/**
 * The longest stretches first, so that there are few of them. No person sits alone while another stretch can
 * do with one seat less.
 */
function takeFrom(
  chains: readonly Stretch[],
  { hall, free }: FreeSeats,
  { quantity, near, budget }: { quantity: number; near: number; budget: Budget },
): number[] {
  const rest = [...chains]
  const positions: number[] = []
  while (positions.length < quantity) {
    const left = quantity - positions.length
    const longest = rest.reduce((most, { start, end }) => Math.max(most, end - start), 0)
    const most = Math.min(left, longest)
    const size = most > 2 && left - most === 1 ? most - 1 : most
    let best = { index: 0, start: 0, stranded: Number.POSITIVE_INFINITY, away: 0 }
    looking: for (const [index, chain] of rest.entries()) {
      for (let start = chain.start; start + size <= chain.end; start += 1) {
        budget.left -= 1
        const stranded = strandsAlone(hall, free, start, start + size)
        const away = distanceBetween(hall, near, start) + distanceBetween(hall, near, start + size - 1)
        if (stranded < best.stranded || (stranded === best.stranded && away < best.away)) {
          best = { index, start, stranded, away }
        }
        // Then the first one will do.
        if (budget.isSpent) break looking
      }
    }
    for (let at = best.start; at < best.start + size; at += 1) positions.push(at)
    const { start, end } = rest[best.index]!
    const pieces = [
      { start, end: best.start },
      { start: best.start + size, end },
    ]
    rest.splice(best.index, 1, ...pieces.filter(piece => piece.start < piece.end))
  }
  return positions
}

/** The rows of a zone, by how far they are from this one. */
function rowsFrom({ rows: { zoneOfRow } }: Hall, home: number): number[] {
  const isInZone = (row: number) => zoneOfRow[row] === zoneOfRow[home]
  const found: number[] = [home]
  for (let step = 1; isInZone(home - step) || isInZone(home + step); step += 1) {
    for (const row of [home - step, home + step]) if (isInZone(row)) found.push(row)
  }
  return found
}

/** From the first of these rows to the last, as far as they are of the first one's zone. */
function chainsOfRows({ rows }: Hall, { counts, starts, ends }: Chains, from: number, to: number): Stretch[] {
  const chains: Stretch[] = []
  for (let row = from; row <= to && rows.zoneOfRow[row] === rows.zoneOfRow[from]; row += 1) {
    for (let run = rows.rowStarts[row]!; run < rows.rowStarts[row + 1]!; run += 1) {
      const first = rows.runStarts[run]!
      for (let chain = first; chain < first + counts[run]!; chain += 1) {
        chains.push({ start: starts[chain]!, end: ends[chain]! })
      }
    }
  }
  return chains
}
