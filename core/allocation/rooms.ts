import type { Chains } from './chains.ts'
import { Surroundings } from './close.ts'
import type { Rows } from './rows.ts'
import type { Budget } from './wish.ts'

/** More than this is enough for any group. */
const ENOUGH = 0xfffe

/**
 * Describes how many free seats are close to each chain, in rows of its zone that are at most so far apart.
 * It is counted when it is asked for, and kept until a run near by changes: a search that looks through a
 * hall of 100,000 seats asks for a thousand of them, of which few have changed since the last search.
 */
export class Rooms {
  readonly #rows: Rows
  readonly #chains: Chains
  readonly #rowsApart: number
  /** By the start of a chain: one more than its room; 0: not known. */
  readonly #known: Uint16Array

  constructor(rows: Rows, chains: Chains, rowsApart: number) {
    this.#rows = rows
    this.#chains = chains
    this.#rowsApart = rowsApart
    this.#known = new Uint16Array(rows.seats)
  }

  /**
   * Counts more than there is, never less: what is close to a chain need not be close to a part of it. When
   * the looks are spent, it may be anything.
   */
  around(start: number, end: number, looks?: Budget): number {
    const known = this.#known[start]!
    if (known > 0) return known - 1
    if (looks?.isSpent) return ENOUGH
    const surroundings = new Surroundings(this.#rows, { start, end })
    const [from, to] = runsAround(this.#rows, surroundings.row, this.#rowsApart)
    let room = 0
    for (let run = from; run < to; run += 1) room += surroundings.room(this.#chains, run)
    if (looks) for (let run = from; run < to; run += 1) looks.left -= 1 + this.#chains.counts[run]!
    this.#known[start] = Math.min(room, ENOUGH) + 1
    return room
  }

  /** The chains of this run have changed. */
  forget(run: number): void {
    const { rowOfRun, rowStarts, runStarts, labels } = this.#rows
    const row = rowOfRun[run]!
    const first = Math.max(row - this.#rowsApart, 0)
    const last = Math.min(row + this.#rowsApart, labels.length - 1)
    this.#known.fill(0, runStarts[rowStarts[first]!]!, runStarts[rowStarts[last + 1]!]!)
  }
}

/** The runs of the rows that are at most so far from this one, in its zone. */
export function runsAround(
  { zoneOfRow, rowStarts }: Rows,
  row: number,
  rowsApart: number,
): [from: number, to: number] {
  let first = row
  let last = row
  while (row - first < rowsApart && zoneOfRow[first - 1] === zoneOfRow[row]) first -= 1
  while (last - row < rowsApart && zoneOfRow[last + 1] === zoneOfRow[row]) last += 1
  return [rowStarts[first]!, rowStarts[last + 1]!]
}
