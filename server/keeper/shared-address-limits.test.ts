import { OwnAddressLimits } from '@voelgoed/kit/http/address-limits'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { KeeperCalls, WorkerCalls } from './calls.ts'
import { Channel } from './channel.ts'
import { SharedAddressLimits } from './shared-address-limits.ts'

const clock = { elapsed: () => 0 }

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Two workers whose keeper counts, or does not answer. */
function twoWorkers() {
  const keeper = new OwnAddressLimits(clock)
  const state = { isSilent: false, messages: 0 }
  const calls: Pick<KeeperCalls, 'take' | 'giveBack'> = {
    take: takes => takes.map(([limit, key]) => keeper.take(limit, key)),
    giveBack: taken => keeper.giveBack(...taken),
  }
  const worker = () => {
    const toKeeper: Channel<WorkerCalls, KeeperCalls> = new Channel(message => {
      state.messages += 1
      if (!state.isSilent) toWorker.heard(message)
    }, {} as WorkerCalls)
    const toWorker = new Channel(message => toKeeper.heard(message), calls as KeeperCalls)
    return new SharedAddressLimits(new OwnAddressLimits(clock), toKeeper)
  }
  return { state, one: worker(), two: worker() }
}

/** So many at once; how many of them were allowed. */
async function take(limits: SharedAddressLimits, count: number): Promise<number> {
  const taking = Promise.all(Array.from({ length: count }, () => limits.take('sign_in', 'a')))
  await vi.runAllTimersAsync()
  return (await taking).filter(wait => wait === null).length
}

it('workers share one limit, and those that are asked in one turn share one message', async () => {
  const { state, one, two } = twoWorkers()
  expect(await take(one, 20)).toBe(20)
  expect(await take(two, 20)).toBe(10)
  expect(state.messages).toBe(2)
})

it('an address that is beyond its limit at one worker costs the keeper nothing', async () => {
  const { state, one } = twoWorkers()
  expect(await take(one, 30)).toBe(30)
  expect(await take(one, 5)).toBe(0)
  expect(state.messages).toBe(1)
})

it('what is refused does not count, and what is given back can be taken at the other worker', async () => {
  const { one, two } = twoWorkers()
  await take(one, 30)
  expect(await take(two, 25)).toBe(0)
  for (let given = 0; given < 20; given += 1) one.giveBack('sign_in', 'a')
  expect(await take(two, 30)).toBe(20)
})

it('a keeper that does not answer: the count of the worker decides', async () => {
  const { state, one } = twoWorkers()
  state.isSilent = true
  expect(await take(one, 40)).toBe(30)
})
