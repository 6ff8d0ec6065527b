import { describe, expect, it } from 'vitest'
import { uuidV7 } from './uuid-v7.ts'

const NOW = Date.UTC(2026, 0, 1)
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

describe('ids', () => {
  it('have the form of RFC 9562, and carry the time', () => {
    const id = uuidV7(NOW)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(timeOf(id)).toBe(NOW)
  })

  it('of one millisecond sort in the order in which they were made, also more than it has numbers for', () => {
    const ids = Array.from({ length: 20_000 }, () => uuidV7(NOW + 1_000))
    expect(ids.toSorted()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
    expect(timeOf(ids.at(-1)!) - timeOf(ids[0]!)).toBeLessThan(10)
  })

  it('of a clock that was put back carry its time', () => {
    uuidV7(NOW + 60_000)
    expect(timeOf(uuidV7(NOW))).toBe(NOW)
  })

  it('keep 62 random bits', () => {
    const tails = new Set(Array.from({ length: 1_000 }, () => uuidV7(NOW).slice(19)))
    expect(tails.size).toBe(1_000)
  })
})
