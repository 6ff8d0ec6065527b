import type { Refusal } from '@voelgoed/core/refusal'
import { type Result, refuse } from '@voelgoed/core/result'
import type { Clock } from '@voelgoed/kit/base/clock'
import { WorkerQueue } from '@voelgoed/kit/threads/worker-queue'
import type { FastifyBaseLogger } from 'fastify'
import type { TicketSheets } from './make-pdf.ts'

/** More tickets come in several documents: a page takes some 15 ms to draw, and a thread draws for all. */
export const TICKETS_PER_PDF = 100
/** Documents that one buyer waits for at once. */
const PER_USER = 2

export type PdfOutcome = 'made' | 'refused' | 'failed'

interface TicketPdfsDeps {
  readonly log: FastifyBaseLogger
  readonly onMade: (outcome: PdfOutcome, ms: number) => void
  readonly clock: Pick<Clock, 'elapsed'>
}

/** Draws tickets in a thread of its own: drawing keeps a processor busy, and buyers must not wait for it. */
export class TicketPdfs {
  readonly #queue: WorkerQueue<TicketSheets, Uint8Array>
  readonly #ofUsers = new Map<string, number>()
  readonly #deps: TicketPdfsDeps

  constructor(deps: TicketPdfsDeps) {
    this.#deps = deps
    this.#queue = new WorkerQueue(deps.log, {
      task: 'draw-tickets',
      failed: 'the printer of tickets failed',
      maxWaiting: 16,
      maxHeapMb: 256,
      maxJobMs: 30_000,
    })
  }

  async make(
    sheets: TicketSheets,
    { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
  ): Promise<Result<Buffer, Refusal>> {
    const { onMade, clock } = this.#deps
    const userKey = `${organizationId}/${userId}`
    const waiting = this.#ofUsers.get(userKey) ?? 0
    if (waiting >= PER_USER) {
      onMade('refused', 0)
      return refuse({ kind: 'busy', retryAfterSeconds: 2 })
    }
    this.#ofUsers.set(userKey, waiting + 1)
    const began = clock.elapsed()
    try {
      const drawn = await this.#queue.run(sheets, organizationId)
      const isRefused = !drawn.ok && drawn.problem.kind === 'busy'
      onMade(drawn.ok ? 'made' : isRefused ? 'refused' : 'failed', clock.elapsed() - began)
      return drawn.ok ? { ok: true, value: Buffer.from(drawn.value) } : drawn
    } finally {
      const left = this.#ofUsers.get(userKey)! - 1
      if (left === 0) this.#ofUsers.delete(userKey)
      else this.#ofUsers.set(userKey, left)
    }
  }

  /** Documents that wait, and the one that is drawn. */
  get pending(): number {
    return this.#queue.pending
  }

  close(): Promise<void> {
    return this.#queue.close()
  }
}
