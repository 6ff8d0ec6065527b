import type { Time } from '@voelgoed/kit/base/time'
import type { Unknown, UnknownReason } from './gateway.ts'

export interface CallLimits {
  /** A call is tried at most so often. */
  readonly attempts: number
  /** For one attempt. */
  readonly attemptMs: number
  /** For all attempts and the pauses between them: a buyer waits. */
  readonly totalMs: number
  /** Before the second attempt; it doubles with each further one. */
  readonly pauseMs: number
}

export const STANDARD_LIMITS: CallLimits = { attempts: 3, attemptMs: 8_000, totalMs: 20_000, pauseMs: 400 }

/** `failed`: there was no verdict. `again`: whether the same call may be tried once more. */
export type Attempt<Answer> =
  | { readonly kind: 'answered'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly reason: UnknownReason; readonly again: boolean }

export interface BoundedCallDeps {
  readonly time: Pick<Time, 'now' | 'after'>
  /** From 0 up to but not including 1. */
  readonly random: () => number
  readonly limits: CallLimits
  onRetry?(reason: UnknownReason): void
}

/**
 * Tries a call until it has a verdict, within its limits. Each attempt must be safe to repeat: the gateway
 * recognizes its key. What comes after an attempt was given up is ignored.
 */
export async function boundedCall<Answer>(
  deps: BoundedCallDeps,
  attempt: (limitMs: number) => Promise<Attempt<Answer>>,
): Promise<Answer | Unknown> {
  const { time, limits } = deps
  const endAt = time.now() + limits.totalMs
  for (let tried = 1; ; tried += 1) {
    const limitMs = Math.min(limits.attemptMs, endAt - time.now())
    const result = await withinLimit(time, limitMs, attempt(limitMs))
    if (result.kind === 'answered') return result.answer
    const pause = pauseBefore(tried, deps)
    const isOver = tried >= limits.attempts || time.now() + pause >= endAt
    if (!result.again || isOver) return { kind: 'unknown', reason: result.reason }
    deps.onRetry?.(result.reason)
    if (pause > 0) await new Promise<void>(resolve => time.after(pause, resolve))
  }
}

/** Half of it by chance, so that callers who failed together do not come back together. */
function pauseBefore(tried: number, { limits, random }: BoundedCallDeps): number {
  const full = limits.pauseMs * 2 ** (tried - 1)
  return Math.round(full / 2 + (full / 2) * random())
}

async function withinLimit<Answer>(
  time: Pick<Time, 'after'>,
  limitMs: number,
  work: Promise<Attempt<Answer>>,
): Promise<Attempt<Answer>> {
  return new Promise((resolve, reject) => {
    const callOff = time.after(limitMs, () => resolve({ kind: 'failed', reason: 'time_out', again: true }))
    work.then(resolve, reject).finally(callOff)
  })
}
