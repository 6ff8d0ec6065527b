import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../clock.ts'
import type { ImageKind, MadeImage } from '../postgres/tables/images.ts'
import { WorkerQueue } from '../worker-queue.ts'

export interface ImageJob {
  readonly bytes: Uint8Array
  readonly kind: ImageKind
}

export type ImageOutcome = 'made' | 'invalid' | 'busy' | 'failed'

interface ImageMakerDeps {
  readonly log: FastifyBaseLogger
  readonly onMade: (outcome: ImageOutcome, ms: number) => void
  readonly clock: Pick<Clock, 'elapsed'>
}

/** Uploads of one organization that wait at once. */
const PER_ORGANIZATION = 2

/** Decodes uploads in a thread of its own, one after another: a large one takes a second. */
export class ImageMaker {
  readonly #queue: WorkerQueue<ImageJob, MadeImage>
  readonly #waiting = new Map<string, number>()
  readonly #deps: ImageMakerDeps

  constructor(deps: ImageMakerDeps) {
    this.#deps = deps
    this.#queue = new WorkerQueue(deps.log, {
      module: new URL('./image-worker.mjs', import.meta.url),
      failed: 'the reader of images failed',
      maxWaiting: 8,
      maxHeapMb: 256,
      maxJobMs: 20_000,
    })
  }

  async make(job: ImageJob, organizationId: string): Promise<Result<MadeImage, Refusal>> {
    const { onMade, clock, log } = this.#deps
    const waiting = this.#waiting.get(organizationId) ?? 0
    if (waiting >= PER_ORGANIZATION) {
      onMade('busy', 0)
      return refuse({ kind: 'busy', retryAfterSeconds: 2 })
    }
    this.#waiting.set(organizationId, waiting + 1)
    const began = clock.elapsed()
    try {
      const made = await this.#queue.run(job)
      onMade(outcomeOf(made), clock.elapsed() - began)
      if (!made.ok && made.problem.kind === 'images_unavailable')
        log.error('images can not be read: the package sharp does not load on this machine')
      return made
    } finally {
      const left = this.#waiting.get(organizationId)! - 1
      if (left === 0) this.#waiting.delete(organizationId)
      else this.#waiting.set(organizationId, left)
    }
  }

  close(): Promise<void> {
    return this.#queue.close()
  }
}

function outcomeOf(made: Result<MadeImage, Refusal>): ImageOutcome {
  if (made.ok) return 'made'
  const { kind } = made.problem
  return kind === 'image_invalid' ? 'invalid' : kind === 'busy' ? 'busy' : 'failed'
}
