import { HandTime } from '@voelgoed/testing/hand-time'
import { expect, it } from 'vitest'
import { type Attempt, boundedCall, type CallLimits } from './bounded-call.ts'
import type { UnknownReason } from './gateway.ts'

const LIMITS: CallLimits = { attempts: 3, attemptMs: 1_000, totalMs: 5_000, pauseMs: 100 }
const FAILED: Attempt<string> = { kind: 'failed', reason: 'gateway_error', again: true }
const DONE: Attempt<string> = { kind: 'answered', answer: 'done' }
const NEVER = () => new Promise<never>(() => {})

function calling(attempts: (() => Promise<Attempt<string>>)[], limits = LIMITS, random = () => 1) {
  const time = new HandTime()
  const limitsGiven: number[] = []
  const retries: UnknownReason[] = []
  const result = boundedCall({ time, random, limits, onRetry: reason => retries.push(reason) }, limitMs => {
    limitsGiven.push(limitMs)
    return attempts.shift()!()
  })
  return { time, result, limitsGiven, retries, left: attempts }
}

it('answers at the first verdict', async () => {
  const { result, left } = calling([async () => DONE, async () => DONE])
  expect(await result).toBe('done')
  expect(left).toHaveLength(1)
})

it('tries again after a pause that grows, half of it by chance', async () => {
  const { result, time, left, retries } = calling([async () => FAILED, async () => FAILED, async () => DONE])
  await time.pass(0)
  await time.pass(99)
  expect(left).toHaveLength(2)
  await time.pass(1)
  expect(left).toHaveLength(1)
  await time.pass(199)
  expect(left).toHaveLength(1)
  await time.pass(1)
  expect(await result).toBe('done')
  expect(retries).toEqual(['gateway_error', 'gateway_error'])
})

it('gives up after its attempts, and says that the outcome is unknown', async () => {
  const { result, time, left } = calling(Array.from({ length: 4 }, () => async () => FAILED))
  await time.pass(0)
  await time.pass(100)
  await time.pass(200)
  expect(await result).toEqual({ kind: 'unknown', reason: 'gateway_error' })
  expect(left).toHaveLength(1)
})

it('waits for an attempt for so long and no longer, and ignores what comes after', async () => {
  let answerLate: (attempt: Attempt<string>) => void = () => {}
  const late = () => new Promise<Attempt<string>>(resolve => (answerLate = resolve))
  const { result, time } = calling([late, NEVER, NEVER])
  await time.pass(1_000)
  answerLate(DONE)
  await time.pass(100)
  await time.pass(1_000)
  await time.pass(200)
  await time.pass(1_000)
  expect(await result).toEqual({ kind: 'unknown', reason: 'time_out' })
})

it('ends within the limit for all attempts: the last has less time, and none begins after it', async () => {
  const limits = { ...LIMITS, attempts: 9, totalMs: 1_500 }
  const { result, time, limitsGiven } = calling([NEVER, NEVER, NEVER], limits)
  await time.pass(1_000)
  await time.pass(100)
  await time.pass(400)
  expect(await result).toEqual({ kind: 'unknown', reason: 'time_out' })
  expect(limitsGiven).toEqual([1_000, 400])
  expect(time.waiting).toBe(0)
})

it('does not try again what the gateway says is in vain', async () => {
  const { result, left } = calling([async () => ({ ...FAILED, again: false }), async () => DONE])
  expect(await result).toEqual({ kind: 'unknown', reason: 'gateway_error' })
  expect(left).toHaveLength(1)
})
