import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createFormat } from './format.ts'

/** Counts the formats that were made. */
let dates: number
let others: number

beforeEach(() => {
  dates = 0
  others = 0
  const counting = <T extends object>(original: T, count: () => void) =>
    new Proxy(original, {
      construct(target, values) {
        count()
        return Reflect.construct(target as never, values)
      },
    })
  const countOther = () => {
    others += 1
  }
  vi.stubGlobal('Intl', {
    DateTimeFormat: counting(Intl.DateTimeFormat, () => {
      dates += 1
    }),
    NumberFormat: counting(Intl.NumberFormat, countOther),
    ListFormat: counting(Intl.ListFormat, countOther),
    supportedValuesOf: Intl.supportedValuesOf,
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

it('makes the formats of Intl when they are needed, and each of them once', () => {
  const format = createFormat('en-ZA', 'Africa/Johannesburg')
  expect(format.number(0) + format.number(999)).toBe('0999')
  expect(format.list(['A-1'])).toBe('A-1')
  expect([dates, others]).toEqual([0, 0])
  for (let event = 0; event < 20; event += 1) {
    const iso = `2027-03-${10 + event}T17:30:00Z`
    expect(format.moment(iso, 'Africa/Johannesburg').here).toBeNull()
    expect(format.leaf(iso, 'Africa/Johannesburg').day).toBe(String(10 + event))
    expect(format.price(65_000, 'ZAR')).toMatch(/650$/)
  }
  expect([dates, others]).toEqual([3, 1])
})

it('writes large numbers and lists by the habits of the locale', () => {
  const format = createFormat('en-US')
  expect(format.number(12_345)).toBe('12,345')
  expect(format.number(-1)).toBe('-1')
  expect(format.list(['A', 'B', 'C'])).toBe('A, B, and C')
})

it('keeps a bounded number of them', () => {
  const format = createFormat('en-ZA', 'UTC')
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 150)
  for (const zone of zones) format.time('2027-03-10T17:30:00Z', zone)
  expect(dates).toBe(150)
  // The first one was forgotten with the others of its time.
  format.time('2027-03-10T17:30:00Z', zones[0]!)
  expect(dates).toBe(151)
})
