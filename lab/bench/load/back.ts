import type { EachAnswer } from '../load/closed-loop.ts'
import { percentiles } from '../load/percentiles.ts'

const SECOND_MS = 1_000
const STEP_MS = 100
/** A second is as before when its p99 is at most so many times the usual one. */
const AS_BEFORE = 1.5

/**
 * Tells how long after a harm the p99 of a second is as it was before, and stays so: the start of the first
 * such second. 0: it never was any worse. Null: it did not come back before the load ended.
 */
export function backAfterMs({ at, ms }: EachAnswer, harmedAt: number): number | null {
  const p99Of = (from: number) => {
    const inSecond: number[] = []
    for (let index = 0; index < at.length; index += 1) {
      if (at[index]! >= from && at[index]! < from + SECOND_MS) inSecond.push(ms[index]!)
    }
    return inSecond.length === 0 ? Number.POSITIVE_INFINITY : percentiles(inSecond).p99Ms
  }
  const [first, last] = [at[0] ?? harmedAt, at.at(-1) ?? harmedAt]
  const before: number[] = []
  for (let from = harmedAt - SECOND_MS; from >= first; from -= SECOND_MS) before.push(p99Of(from))
  const usual = percentiles(before).p50Ms
  let back: number | null = null
  for (let from = harmedAt; from + SECOND_MS <= last; from += STEP_MS) {
    if (p99Of(from) > AS_BEFORE * usual) back = null
    else back ??= from - harmedAt
  }
  return back
}
