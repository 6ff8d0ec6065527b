import { HandTime } from '@voelgoed/testing/hand-time'
import { expect, it } from 'vitest'
import { Repeat } from './repeat.ts'

function repeating(work: () => Promise<number | undefined> = async () => undefined, everyMs = 100) {
  const time = new HandTime()
  const failures: unknown[] = []
  let runs = 0
  const run = () => {
    runs += 1
    return work()
  }
  const repeat = new Repeat({ everyMs, run, onFailure: error => failures.push(error), time })
  return { repeat, time, failures, runs: () => runs }
}

function latch() {
  let open = () => {}
  const opened = new Promise<undefined>(resolve => {
    open = () => resolve(undefined)
  })
  return { open, opened }
}

it('runs first after its interval, then again after each run', async () => {
  const { repeat, time, runs } = repeating()
  repeat.start()
  await time.pass(99)
  expect(runs()).toBe(0)
  await time.pass(1)
  expect(runs()).toBe(1)
  await time.pass(100)
  expect(runs()).toBe(2)
})

it('the interval begins when a run ends: two runs are never under way', async () => {
  const { open, opened } = latch()
  const { repeat, time, runs } = repeating(() => opened)
  repeat.start()
  await time.pass(100)
  await time.pass(1_000)
  expect(runs()).toBe(1)
  open()
  await time.pass(0)
  await time.pass(99)
  expect(runs()).toBe(1)
  await time.pass(1)
  expect(runs()).toBe(2)
})

it('a run that throws is told of, and the next one comes', async () => {
  const { repeat, time, failures, runs } = repeating(() => Promise.reject(new Error('no')))
  repeat.start()
  await time.pass(100)
  await time.pass(100)
  expect(runs()).toBe(2)
  expect(failures).toHaveLength(2)
})

it('a run may say when the next one is due', async () => {
  const { repeat, time, runs } = repeating(async () => 5)
  repeat.start(0)
  await time.pass(0)
  await time.pass(5)
  expect(runs()).toBe(2)
})

it('can be woken sooner, not later, and not before it was started', async () => {
  const { repeat, time, runs } = repeating()
  repeat.wakeIn(1)
  expect(time.waiting).toBe(0)
  repeat.start()
  repeat.wakeIn(200)
  repeat.wakeIn(10)
  expect(time.waiting).toBe(1)
  await time.pass(10)
  expect(runs()).toBe(1)
})

it('woken during a run, it runs once more after it', async () => {
  const first = latch()
  const { repeat, time, runs } = repeating(() => first.opened)
  repeat.start(0)
  await time.pass(0)
  repeat.wakeIn(0)
  await time.pass(0)
  expect(runs()).toBe(1)
  first.open()
  await time.pass(0)
  expect(runs()).toBe(2)
})

it('without an interval it runs only when it is woken', async () => {
  const { repeat, time, runs } = repeating(undefined, Number.POSITIVE_INFINITY)
  repeat.start()
  expect(time.waiting).toBe(0)
  repeat.wakeIn(10)
  await time.pass(10)
  expect([runs(), time.waiting]).toEqual([1, 0])
})

it('runNow waits for the run under way, and then for a run of its own', async () => {
  const first = latch()
  const { repeat, time, runs } = repeating(() => first.opened)
  repeat.start(0)
  await time.pass(0)
  const done = repeat.runNow()
  expect(runs()).toBe(1)
  first.open()
  await done
  expect(runs()).toBe(2)
})

it('stop waits for the run under way, and nothing runs after it', async () => {
  const { open, opened } = latch()
  const { repeat, time, runs } = repeating(() => opened)
  repeat.start(0)
  await time.pass(0)
  let isOver = false
  const stopped = repeat.stop().then(() => {
    isOver = true
  })
  await time.pass(0)
  expect([repeat.isStopped, isOver]).toEqual([true, false])
  open()
  await stopped
  repeat.wakeIn(0)
  await repeat.runNow()
  await time.pass(1_000)
  expect([runs(), time.waiting]).toEqual([1, 0])
})
