import { describe, expect, it } from 'vitest'
import { backAfterMs } from './back.ts'

/** An answer each ms for ten seconds; harmed after three. */
function answers(msAt: (at: number) => number) {
  const at = Float64Array.from({ length: 10_000 }, (_, index) => 5_000 + index)
  return { at, ms: at.map(one => msAt(one - 5_000)), isHold: new Uint8Array(at.length) }
}
const HARMED = 8_000

describe('when the p99 of a second is back', () => {
  it('is at once when it was never worse', () => {
    expect(
      backAfterMs(
        answers(() => 10),
        HARMED,
      ),
    ).toBe(0)
  })

  it('is when the first second begins that is as before', () => {
    const slowFor = (ms: number) => (at: number) => (at >= 3_000 && at < 3_000 + ms ? 200 : 10)
    expect(backAfterMs(answers(slowFor(700)), HARMED)).toBe(700)
    expect(backAfterMs(answers(slowFor(2_350)), HARMED)).toBe(2_400)
  })

  it('is not before it stays so', () => {
    const twice = (at: number) => ((at >= 3_000 && at < 3_500) || (at >= 6_000 && at < 6_100) ? 200 : 10)
    expect(backAfterMs(answers(twice), HARMED)).toBe(3_100)
  })

  it('is never when it did not come back', () => {
    expect(
      backAfterMs(
        answers(at => (at < 3_000 ? 10 : 200)),
        HARMED,
      ),
    ).toBeNull()
  })
})
