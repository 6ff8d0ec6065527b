import { describe, expect, it } from 'vitest'
import { offsetAfter } from '../view/hot-event.ts'

describe("what a node knows of the database's clock", () => {
  const known = 1_000_000

  it('gets no worse by an answer that was late: a hold would seem to live longer than it does', () => {
    // Asked at 50,000 and read at once; then the node was frozen for seven seconds.
    expect(offsetAfter(known, { now: 1_050_000, askedAt: 50_000 }, 57_000)).toBe(known)
  })

  it('gets no worse by a question that waited for a lock', () => {
    expect(offsetAfter(known, { now: 1_051_000, askedAt: 50_000 }, 51_000)).toBe(known)
  })

  it('gets better by a quick one', () => {
    expect(offsetAfter(known, { now: 1_050_040, askedAt: 50_000 }, 50_002)).toBe(1_000_038)
    expect(offsetAfter(known, { now: 1_049_960, askedAt: 50_000 }, 50_002)).toBe(999_960)
  })

  it('follows a clock that was set back or forward', () => {
    expect(offsetAfter(known, { now: 450_000, askedAt: 50_000 }, 50_002)).toBe(400_000)
    expect(offsetAfter(known, { now: 1_650_000, askedAt: 50_000 }, 50_002)).toBe(1_599_998)
  })
})
