import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { Clock } from '@voelgoed/kit/base/clock'
import { WorkerQueue } from '@voelgoed/kit/threads/worker-queue'
import type { FastifyBaseLogger } from 'fastify'
import type { ImageKind, MadeImage } from './tables/images.ts'

/** An upload. */
export interface ImageJob {
  readonly bytes: Uint8Array
  readonly kind: ImageKind
}

/** A picture of our own, as SVG. */
export interface DrawJob {
  readonly svg: string
}

export type ImageOutcome = 'made' | 'invalid' | 'busy' | 'failed'

interface ImageMakerDeps {
  readonly log: FastifyBaseLogger
  readonly onMade: (outcome: ImageOutcome, ms: number) => void
  readonly clock: Pick<Clock, 'elapsed'>
}

/** Uploads of one organization that wait at once. */
const PER_ORGANIZATION = 2

/** Decodes uploads in a thread of its own, one organization after another: a large one takes a second. */
export class ImageMaker {
  readonly #queue: WorkerQueue<ImageJob | DrawJob, MadeImage | Uint8Array>
  readonly #waiting = new Map<string, number>()
  readonly #deps: ImageMakerDeps

  constructor(deps: ImageMakerDeps) {
    this.#deps = deps
    this.#queue = new WorkerQueue(deps.log, {
      task: 'make-images',
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
      const made = (await this.#queue.run(job, organizationId)) as Result<MadeImage, Refusal>
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

  /** A JPEG of what we drew ourselves. Nothing that anyone sent is ever read as SVG. */
  async draw(svg: string, owner: string): Promise<Result<Uint8Array, Refusal>> {
    const began = this.#deps.clock.elapsed()
    const drawn = (await this.#queue.run({ svg }, owner)) as Result<Uint8Array, Refusal>
    this.#deps.onMade(outcomeOf(drawn), this.#deps.clock.elapsed() - began)
    return drawn
  }

  close(): Promise<void> {
    return this.#queue.close()
  }
}

function outcomeOf(made: Result<unknown, Refusal>): ImageOutcome {
  if (made.ok) return 'made'
  const { kind } = made.problem
  return kind === 'image_invalid' ? 'invalid' : kind === 'busy' ? 'busy' : 'failed'
}
