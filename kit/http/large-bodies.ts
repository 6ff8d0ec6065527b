import type { FastifyBaseLogger } from 'fastify'
import { WorkerQueue } from '../threads/worker-queue.ts'

/** A body of this size takes the serving thread a millisecond or two. Buyers send a few hundred bytes. */
export const LARGE_BODY_BYTES = 64 * 1024

export interface LargeBody {
  readonly method: string
  readonly path: string
  readonly bytes: Uint8Array
}

/**
 * Reads and checks large bodies in a thread of its own: 16 MiB take a third of a second of computing, while
 * the thread that serves buyers must go on (docs/decisions/030).
 */
export type LargeBodies = WorkerQueue<LargeBody, unknown>

export function startLargeBodies(log: FastifyBaseLogger): LargeBodies {
  return new WorkerQueue(log, {
    task: 'read-large-bodies',
    failed: 'the reader of large bodies failed',
    // `Uploads` bounds their memory before.
    maxWaiting: 64,
    maxHeapMb: 512,
    maxJobMs: 30_000,
  })
}
