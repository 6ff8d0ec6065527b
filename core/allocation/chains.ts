import type { Hall } from './hall.ts'

/** True for the seats of a run that count, by position. */
export type Counts = (at: number) => boolean

/**
 * The longest chains of neighbours that are free and may be offered. Those of a run stand from its first
 * position on, one after another, in `starts` and `ends`; `counts` says how many there are.
 */
export class Chains {
  /** By run. */
  readonly counts: Uint32Array
  readonly longest: Uint32Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  readonly #runStarts: Uint32Array

  constructor({ rows }: Hall) {
    this.#runStarts = rows.runStarts
    this.counts = new Uint32Array(rows.rowOfRun.length)
    this.longest = new Uint32Array(rows.rowOfRun.length)
    this.starts = new Uint32Array(rows.seats)
    this.ends = new Uint32Array(rows.seats)
  }

  measure(run: number, doesCount: Counts): void {
    const first = this.#runStarts[run]!
    const end = this.#runStarts[run + 1]!
    let longest = 0
    let count = 0
    let length = 0
    for (let at = first; at <= end; at += 1) {
      if (at < end && doesCount(at)) {
        length += 1
        continue
      }
      if (length === 0) continue
      this.starts[first + count] = at - length
      this.ends[first + count] = at
      count += 1
      if (length > longest) longest = length
      length = 0
    }
    this.longest[run] = longest
    this.counts[run] = count
  }
}
