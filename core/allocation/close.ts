import type { Chains } from './chains.ts'
import type { Rows } from './rows.ts'
import type { Stretch } from './stranded.ts'

/** In the same row, two seats or an aisle may lie between; else one seat to the side is still behind. */
const IN_ROW = 3.01
const BEHIND = 1.01

/** Returns whether a cluster sits beside another of its zone, or behind or before it: their sides overlap. */
export function isClose(rows: Rows, base: Stretch, other: Stretch): boolean {
  return new Surroundings(rows, base).include(other.start, other.end)
}

/** Describes what is close to one cluster. */
export class Surroundings {
  readonly #rows: Rows
  readonly row: number
  readonly #cos: number
  readonly #sin: number
  readonly #from: number
  readonly #to: number

  constructor(rows: Rows, base: Stretch) {
    const { x, y, runOf, rowOfRun, runStarts, rowStarts } = rows
    this.#rows = rows
    this.row = rowOfRun[runOf[base.start]!]!
    let [first, last] = [base.start, base.end - 1]
    // One seat has no direction: that of its row.
    if (first === last) {
      first = runStarts[rowStarts[this.row]!]!
      last = runStarts[rowStarts[this.row + 1]!]! - 1
    }
    const [dx, dy] = [x[last]! - x[first]!, y[last]! - y[first]!]
    const length = Math.hypot(dx, dy)
    this.#cos = length === 0 ? 1 : dx / length
    this.#sin = length === 0 ? 0 : dy / length
    const [a, b] = [this.#along(base.start), this.#along(base.end - 1)]
    this.#from = Math.min(a, b)
    this.#to = Math.max(a, b)
  }

  include(start: number, end: number): boolean {
    const { runOf, rowOfRun, pitch } = this.#rows
    const isInRow = rowOfRun[runOf[start]!] === this.row
    const slack = pitch[this.row]! * (isInRow ? IN_ROW : BEHIND)
    const c = this.#along(start)
    const d = this.#along(end - 1)
    return Math.min(c, d) <= this.#to + slack && Math.max(c, d) >= this.#from - slack
  }

  /** Returns how many free seats of a run are in chains that are close. Most of a search is this. */
  room({ counts, starts, ends }: Chains, run: number): number {
    const { x, y, rowOfRun, runStarts, pitch } = this.#rows
    const slack = pitch[this.row]! * (rowOfRun[run] === this.row ? IN_ROW : BEHIND)
    const [cos, sin] = [this.#cos, this.#sin]
    const [from, to] = [this.#from - slack, this.#to + slack]
    const first = runStarts[run]!
    let room = 0
    for (let chain = first; chain < first + counts[run]!; chain += 1) {
      const start = starts[chain]!
      const end = ends[chain]!
      const a = x[start]! * cos + y[start]! * sin
      const b = x[end - 1]! * cos + y[end - 1]! * sin
      if ((a <= to || b <= to) && (a >= from || b >= from)) room += end - start
    }
    return room
  }

  #along(at: number): number {
    return this.#rows.x[at]! * this.#cos + this.#rows.y[at]! * this.#sin
  }
}
