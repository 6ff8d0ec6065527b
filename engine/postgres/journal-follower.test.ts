import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { type FollowerRun, type Following, JournalFollower } from './journal-follower.ts'

const ORGANIZATION = '00000000-0000-4000-8000-000000000000' as OrganizationId
const [ONE, TWO] = ['one' as EventId, 'two' as EventId]

/** Virtual time: what waits runs as soon as nothing else does, and then it is that late. */
class Clock {
  at = 0
  readonly #timers: { readonly at: number; readonly run: () => void }[] = []

  now = () => this.at
  after = (ms: number, run: () => void) => {
    const timer = { at: this.at + ms, run }
    this.#timers.push(timer)
    return () => void this.#timers.splice(this.#timers.indexOf(timer), 1)
  }

  get waiting(): number[] {
    return this.#timers.map(timer => timer.at - this.at)
  }

  async until(isDone: () => boolean): Promise<void> {
    for (;;) {
      await settled()
      if (isDone()) return
      this.#timers.sort((a, b) => a.at - b.at)
      const next = this.#timers.shift()
      if (!next) continue
      this.at = Math.max(this.at, next.at)
      next.run()
    }
  }
}

const settled = () => new Promise(resolve => setImmediate(resolve))

/** Journals of so many entries; each slice does ten of them and takes so long. */
function stage(journals: Partial<Record<EventId, number>>, sliceMs = 10) {
  const clock = new Clock()
  const cursors = new Map<EventId, number>()
  const slices: EventId[] = []
  const failing = new Set<EventId>()
  const runs: FollowerRun[] = []
  let busyMs = 0
  const following: Following = {
    name: 'test',
    on: 'node',
    firstInMs: 0,
    eventFailed: 'failed',
    runFailed: 'failed',
    async behind(limit, except) {
      return Object.entries(journals)
        .map(([id, seq]) => ({ organizationId: ORGANIZATION, eventId: id as EventId, seq: seq! }))
        .filter(({ eventId, seq }) => (cursors.get(eventId) ?? 0) < seq && !except.includes(eventId))
        .slice(0, limit)
    },
    async slice(_scope: TenantScope, eventId) {
      slices.push(eventId)
      clock.at += sliceMs
      busyMs += sliceMs
      if (failing.has(eventId)) throw new Error('the journal makes no sense')
      const from = cursors.get(eventId) ?? 0
      const cursor = Math.min(from + 10, journals[eventId]!)
      cursors.set(eventId, cursor)
      return { entries: cursor - from, cursor, lagMs: 5 }
    },
  }
  const log = pino({ level: 'silent' })
  const follower = new JournalFollower(following, { log, time: clock, onRun: run => runs.push(run) })
  return { clock, cursors, slices, failing, runs, follower, busy: () => busyMs }
}

it('takes at most a third of the time, however much there is to do', async () => {
  const { clock, cursors, follower, busy } = stage({ [ONE]: 10_000 })
  follower.start()
  await clock.until(() => cursors.get(ONE) === 10_000)
  expect(busy()).toBe(10_000)
  expect(busy() / clock.at).toBeLessThan(0.3345)
  await follower.stop()
})

it('rests for a second at most: a slow slice has waited for Postgres', async () => {
  const { clock, slices, follower } = stage({ [ONE]: 1_000 }, 60_000)
  follower.start()
  await clock.until(() => slices.length === 1)
  await settled()
  expect(clock.waiting).toEqual([1_000])
  await follower.stop()
})

it('events take turns: a short journal does not wait for a long one', async () => {
  const { clock, cursors, slices, follower } = stage({ [ONE]: 1_000, [TWO]: 20 })
  follower.start()
  await clock.until(() => cursors.get(TWO) === 20)
  expect(slices).toEqual([ONE, TWO, ONE, TWO])
  await follower.stop()
})

it('an event that fails is left alone for longer and longer, and the others go on', async () => {
  const { clock, cursors, slices, failing, runs, follower } = stage({ [ONE]: 10, [TWO]: 1_000 })
  failing.add(ONE)
  follower.start()
  await clock.until(() => cursors.get(TWO) === 1_000)
  await clock.until(() => clock.at > 60_000)
  expect(slices.filter(id => id === ONE).length).toBeLessThan(10)
  expect(runs.some(run => run.failed === 1)).toBe(true)
  failing.clear()
  await clock.until(() => cursors.get(ONE) === 10)
  await follower.stop()
})

it('does not rest on when it is stopped', async () => {
  const { clock, slices, follower } = stage({ [ONE]: 1_000 })
  follower.start()
  await clock.until(() => slices.length === 3)
  await settled()
  await follower.stop()
  expect(slices).toHaveLength(3)
})
