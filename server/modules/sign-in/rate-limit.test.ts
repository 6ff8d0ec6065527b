import { RateLimit } from '@voelgoed/kit/http/rate-limit'
import { describe, expect, it } from 'vitest'

function limitAt(options: { count: number; windowMs: number; maxKeys?: number }) {
  const clock = { time: 1_000_000, elapsed: () => clock.time }
  return { clock, limit: new RateLimit(clock, options) }
}

describe('a rate limit', () => {
  it('lets a burst through, then one an interval, and says how long to wait', () => {
    const { clock, limit } = limitAt({ count: 3, windowMs: 30_000 })
    expect([1, 2, 3].map(() => limit.take('192.0.2.1'))).toEqual([null, null, null])
    expect(limit.take('192.0.2.1')).toBe(10)
    clock.time += 9_999
    expect(limit.take('192.0.2.1')).toBe(1)
    clock.time += 1
    expect(limit.take('192.0.2.1')).toBe(null)
    expect(limit.take('192.0.2.1')).toBe(10)
  })

  it('lets another through for one that is given back', () => {
    const { limit } = limitAt({ count: 2, windowMs: 20_000 })
    limit.giveBack('192.0.2.1')
    expect([1, 2, 3].map(() => limit.take('192.0.2.1'))).toEqual([null, null, 10])
    limit.giveBack('192.0.2.1')
    expect([1, 2].map(() => limit.take('192.0.2.1'))).toEqual([null, 10])
  })

  it('never lets more than twice the count into any window, however they are spread', () => {
    const { clock, limit } = limitAt({ count: 5, windowMs: 50_000 })
    let taken = 0
    for (let i = 0; i < 500; i += 1) {
      if (limit.take('192.0.2.1') === null) taken += 1
      clock.time += 100
    }
    expect(taken).toBeLessThanOrEqual(10)
  })

  it('counts keys apart', () => {
    const { limit } = limitAt({ count: 1, windowMs: 1_000 })
    expect(limit.take('192.0.2.1')).toBe(null)
    expect(limit.take('192.0.2.2')).toBe(null)
    expect(limit.take('192.0.2.2')).not.toBe(null)
  })

  it('drops the key that was used longest ago when it is full', () => {
    const { limit } = limitAt({ count: 1, windowMs: 1_000_000, maxKeys: 2 })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) limit.take(address)
    expect(limit.take('192.0.2.3')).not.toBe(null)
    expect(limit.take('192.0.2.1')).toBe(null)
  })
})
