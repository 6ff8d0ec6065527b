import { expect, it } from 'vitest'
import { ServerClock, timeIn } from './server-clock.ts'

function clockAt(start: number) {
  let ours = start
  const clock = new ServerClock(() => ours)
  return {
    clock,
    /** An answer that took so long, with so much of the server's time in it. */
    answer(tookMs: number, time: { earliest: number; latest: number }) {
      const sentAt = clock.mark()
      ours += tookMs
      clock.observe({ sentAt, ...time })
    },
    pass(ms: number) {
      ours += ms
    },
  }
}

it('knows nothing before the first answer', () => {
  expect(new ServerClock().now()).toBeNull()
  expect(new ServerClock().earliest()).toBeNull()
})

it('runs with our own clock from then on, and is never behind the server', () => {
  const { clock, answer, pass } = clockAt(50)
  answer(200, { earliest: 1_000_100, latest: 1_000_100 })
  expect(clock.now()).toBe(1_000_300)
  expect(clock.earliest()).toBe(1_000_100)
  pass(60_000)
  expect(clock.now()).toBe(1_060_300)
  expect(clock.earliest()).toBe(1_060_100)
})

it('gets better with every answer', () => {
  const { clock, answer } = clockAt(0)
  answer(800, { earliest: 100_400, latest: 100_400 })
  expect(clock.now()).toBe(101_200)
  answer(10, { earliest: 100_805, latest: 100_805 })
  expect(clock.now()).toBe(100_815)
  // A worse one later does not spoil it.
  answer(900, { earliest: 101_000, latest: 102_000 })
  expect(clock.now()).toBe(101_715)
})

it('believes the newest when the machine slept and our clock with it', () => {
  const { clock, answer } = clockAt(0)
  answer(10, { earliest: 100_000, latest: 100_000 })
  answer(10, { earliest: 700_000, latest: 700_000 })
  expect(clock.now()).toBe(700_010)
})

it('reads the time from holds, from carts and from occupancy', () => {
  const held = { held_until: '2027-01-01T00:10:00.500Z', expires_in_seconds: 600 }
  const until = Date.parse(held.held_until)
  const bounds = { earliest: until - 601_000, latest: until - 600_000 }
  expect(timeIn({ data: held })).toEqual(bounds)
  expect(timeIn({ data: [held], next: null })).toEqual(bounds)
  const timestamp = '2027-01-01T00:00:00.000Z'
  const exact = { earliest: Date.parse(timestamp), latest: Date.parse(timestamp) }
  expect(timeIn({ data: { timestamp } })).toEqual(exact)
  // A cart tells it to the millisecond, and also when it is empty.
  expect(timeIn({ data: { holds: [held], ...held, timestamp } })).toEqual(exact)
  const nothing = { holds: [], held_until: null, expires_in_seconds: null }
  expect(timeIn({ data: { ...nothing, timestamp } })).toEqual(exact)
  expect(timeIn({ data: [] })).toBeNull()
  expect(timeIn(undefined)).toBeNull()
})
