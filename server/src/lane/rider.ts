import type { Decision } from '@voelgoed/core/event/decision'
import type { KeptAnswer } from '../postgres/batch/answers.ts'
import type { OrderRows } from '../postgres/batch/orders.ts'
import type { RidingOrder } from '../postgres/tables/riding-orders.ts'
import type { EventHall } from './hot-event.ts'

/**
 * What must commit with a command: the answer of a request with a key. The key is hashed before the lock is
 * asked for; under the lock only `render` runs, a pure function, once. The answer goes to the caller as it is
 * stored.
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

/**
 * Rows of an order that must commit with a command. All of it is prepared before the lock is asked for; under
 * the lock the lane compares the order with what the rider knows of it, and `rows` runs, a pure function. A
 * rider that finds anything else stands aside: its command is not given, and its caller does the same work
 * alone under the lock.
 */
export interface OrderRider {
  readonly known: RidingOrder
  /** Null: this is not what the rider was prepared for. */
  rows(decision: Decision, hall: EventHall): OrderRows | null
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
