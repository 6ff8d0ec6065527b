import type { Decision } from '@voelgoed/core/event/decision'
import type { KeptAnswer } from '../batch/answers.ts'
import type { EventHall } from '../view/hot-event.ts'

/**
 * A rider must commit with its command: the answer of a request with a key. The key is hashed before the lock
 * is asked for; under the lock only `render` runs, a pure function, once. The answer goes to the caller as it
 * is stored.
 */
export interface Rider {
  readonly keyHash: Buffer
  readonly fingerprint: Buffer
  render(
    decision: Decision,
    hall: EventHall,
    now: number,
  ): { readonly status: number; readonly body: unknown }
}

export function riderAnswer(
  { keyHash, fingerprint, render }: Rider,
  decision: Decision,
  hall: EventHall,
  now: number,
): KeptAnswer {
  const { status, body } = render(decision, hall, now)
  return { keyHash, fingerprint, status, isSealed: false, answer: Buffer.from(JSON.stringify(body)) }
}
