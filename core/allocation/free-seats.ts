import { Chains } from './chains.ts'
import { type Hall, OFFER } from './hall.ts'
import { Rooms } from './rooms.ts'
import { isWanted, type Wish } from './wish.ts'

/**
 * Knows which seats of an event are free, by position, and their chains. It is made for the first wish and
 * follows the state afterwards: `touch` only marks a run, so that an ordinary hold pays next to nothing; a
 * wish brings the marked runs up to date.
 */
export class FreeSeats {
  readonly hall: Hall
  /** By position: 1 for free. Exact after `update`. */
  readonly free: Uint8Array
  readonly #isFree: (ordinal: number) => boolean
  /** For general wishes: nearly all are. */
  readonly general: Chains
  readonly #isMarked: Uint8Array
  readonly #marked: number[] = []
  readonly #reaches = new Map<number, Reach>()
  /**
   * Keeps the rooms of the general chains, by how many rows a group may be apart: at most MOST_ROWS_APART of
   * them.
   */
  readonly #rooms = new Map<number, Rooms>()

  constructor(hall: Hall, isFree: (ordinal: number) => boolean) {
    const runs = hall.rows.rowOfRun.length
    this.hall = hall
    this.free = new Uint8Array(hall.rows.seats)
    this.general = new Chains(hall)
    this.#isFree = isFree
    this.#isMarked = new Uint8Array(runs).fill(1)
    for (let run = 0; run < runs; run += 1) this.#marked.push(run)
  }

  /** The seat is taken or free again. */
  touch(ordinal: number): void {
    const { positions, runOf } = this.hall.rows
    this.#mark(runOf[positions[ordinal]!]!)
  }

  /**
   * Holds that have run out are free and not yet tidied up: `alsoFree`, by ordinal. They count for this once.
   */
  update(alsoFree: Iterable<number> = []): void {
    const { positions, runOf, runStarts, ordinals } = this.hall.rows
    for (const run of this.#marked.splice(0)) {
      this.#isMarked[run] = 0
      for (let at = runStarts[run]!; at < runStarts[run + 1]!; at += 1) {
        this.free[at] = this.#isFree(ordinals[at]!) ? 1 : 0
      }
      this.#measure(run)
    }
    const again = new Set<number>()
    for (const ordinal of alsoFree) {
      const at = positions[ordinal]!
      this.free[at] = 1
      again.add(runOf[at]!)
    }
    for (const run of again) {
      this.#measure(run)
      this.#mark(run)
    }
  }

  /** The chains of seats that may be offered for the wish, whatever its zones. */
  chainsFor(wish: Wish): Chains {
    if (wish.offer === OFFER.general && wish.prices === null) return this.general
    const { hall, free } = this
    const chains = new Chains(hall)
    const doesCount = (at: number) =>
      free[at] === 1 && (hall.offer[at]! & wish.offer) !== 0 && isWanted(wish, hall, at)
    for (let run = 0; run < chains.counts.length; run += 1) chains.measure(run, doesCount)
    return chains
  }

  /**
   * All runs, ordered by the best seat within so many rows of them in their zone: a group that has its
   * largest cluster in the run has no better seat than that (`lowest`, by run).
   */
  reach(rowsApart: number): Reach {
    let reach = this.#reaches.get(rowsApart)
    if (!reach) {
      reach = reachOf(this.hall, rowsApart)
      this.#reaches.set(rowsApart, reach)
    }
    return reach
  }

  /** Kept for the chains of general wishes; others are for one wish. */
  roomsOf(chains: Chains, rowsApart: number): Rooms {
    if (chains !== this.general) return new Rooms(this.hall.rows, chains, rowsApart)
    let rooms = this.#rooms.get(rowsApart)
    if (!rooms) {
      rooms = new Rooms(this.hall.rows, chains, rowsApart)
      this.#rooms.set(rowsApart, rooms)
    }
    return rooms
  }

  readonly #isGeneral = (at: number): boolean => this.free[at] === 1 && this.hall.offer[at] === OFFER.general

  #measure(run: number): void {
    this.general.measure(run, this.#isGeneral)
    for (const rooms of this.#rooms.values()) rooms.forget(run)
  }

  #mark(run: number): void {
    if (this.#isMarked[run] === 1) return
    this.#isMarked[run] = 1
    this.#marked.push(run)
  }
}

interface Reach {
  readonly runs: Uint32Array
  readonly lowest: Float64Array
}

function reachOf({ rows, runCost }: Hall, rowsApart: number): Reach {
  const count = rows.labels.length
  const lowestOfRow = new Float64Array(count).fill(Number.POSITIVE_INFINITY)
  for (let run = 0; run < runCost.length; run += 1) {
    const row = rows.rowOfRun[run]!
    lowestOfRow[row] = Math.min(lowestOfRow[row]!, runCost[run]!)
  }
  const lowest = Float64Array.from(runCost, (own, run) => {
    const row = rows.rowOfRun[run]!
    let found = own
    for (
      let other = Math.max(row - rowsApart, 0);
      other <= Math.min(row + rowsApart, count - 1);
      other += 1
    ) {
      if (rows.zoneOfRow[other] === rows.zoneOfRow[row]) found = Math.min(found, lowestOfRow[other]!)
    }
    return found
  })
  return { runs: Uint32Array.from(lowest.keys()).sort((a, b) => lowest[a]! - lowest[b]! || a - b), lowest }
}
