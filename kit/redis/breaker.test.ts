import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Breaker, type BreakerState, RedisUnavailable } from './breaker.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const fails = () => Promise.reject(new Error('connection lost'))
const works = async () => 'ok'
const hangs = () => new Promise<never>(() => {})
const run = (breaker: Breaker, work: () => Promise<unknown>) => breaker.run(work, 50).catch(error => error)

async function opened(): Promise<{ breaker: Breaker; changes: BreakerState[] }> {
  const changes: BreakerState[] = []
  const breaker = new Breaker({ onChange: to => changes.push(to) })
  for (let count = 0; count < 5; count += 1) await run(breaker, fails)
  return { breaker, changes }
}

it('opens after five failures in a row, and refuses at once from then on', async () => {
  const { breaker, changes } = await opened()
  expect(breaker.state).toBe('open')
  expect(changes).toEqual(['open'])
  expect(breaker.changes).toEqual({ open: 1, half_open: 0, closed: 0 })
  const work = vi.fn(works)
  expect(await run(breaker, work)).toBeInstanceOf(RedisUnavailable)
  expect(work).not.toHaveBeenCalled()
  expect(breaker.calls).toEqual({ answered: 0, failed: 5, refused: 1 })
})

it('stays closed after four, and opens when half of twenty have failed', async () => {
  const breaker = new Breaker()
  for (let count = 0; count < 4; count += 1) await run(breaker, fails)
  expect(breaker.state).toBe('closed')
  for (let count = 0; breaker.state === 'closed' && count < 20; count += 1) {
    await run(breaker, count % 2 === 0 ? works : fails)
  }
  expect(breaker.state).toBe('open')
})

it('lets one try after a while; the others do not wait for it; it closes again', async () => {
  const { breaker, changes } = await opened()
  vi.advanceTimersByTime(3_900)
  expect(await run(breaker, works)).toBeInstanceOf(RedisUnavailable)
  vi.advanceTimersByTime(2_200)
  let answer = (_: string) => {}
  const probe = run(breaker, () => new Promise(resolve => (answer = resolve)))
  expect(breaker.state).toBe('half_open')
  const other = vi.fn(works)
  expect(await run(breaker, other)).toBeInstanceOf(RedisUnavailable)
  expect(other).not.toHaveBeenCalled()
  answer('ok')
  expect(await probe).toBe('ok')
  expect(breaker.state).toBe('closed')
  expect(changes).toEqual(['open', 'half_open', 'closed'])
  expect(breaker.changes).toEqual({ open: 1, half_open: 1, closed: 1 })
  expect(breaker.calls).toEqual({ answered: 1, failed: 5, refused: 2 })
})

it('gives a probe that hangs no more than its time', async () => {
  const { breaker } = await opened()
  vi.advanceTimersByTime(6_100)
  const probe = run(breaker, hangs)
  vi.advanceTimersByTime(50)
  expect(await probe).toBeInstanceOf(RedisUnavailable)
  expect(breaker.state).toBe('open')
})

it('counts no refusal of a single command, and passes it on', async () => {
  const breaker = new Breaker()
  const wrong = Object.assign(new Error('WRONGTYPE Operation against a key'), { name: 'ReplyError' })
  for (let count = 0; count < 30; count += 1) {
    expect(await run(breaker, () => Promise.reject(wrong))).toBe(wrong)
  }
  expect(breaker.state).toBe('closed')
  expect(breaker.calls).toEqual({ answered: 30, failed: 0, refused: 0 })
  const full = Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' })
  for (let count = 0; count < 5; count += 1) {
    expect(await run(breaker, () => Promise.reject(full))).toBeInstanceOf(RedisUnavailable)
  }
  expect(breaker.state).toBe('open')
})

it('takes an answer that came while this process was busy', async () => {
  vi.useRealTimers()
  const breaker = new Breaker()
  const answered = breaker.run(() => new Promise(resolve => setImmediate(resolve, 'ok')), 1)
  // As a long turn of the event loop does.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  expect(await answered).toBe('ok')
})
