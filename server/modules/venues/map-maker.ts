import type { MapPlan } from '@voelgoed/core/map/encode'
import { FairTurns } from '@voelgoed/kit/threads/fair-line'
import { Thread } from '@voelgoed/kit/threads/thread'
import type { MapMessage } from './encode-map.ts'

const MAX_WAITING = 16
/** A map of 250,000 seats takes a few seconds, most of them in the database. */
const MAX_JOB_MS = 60_000

/** All pages were read; the thread has them. */
interface Underway {
  readonly encoded: Promise<Uint8Array>
}

type Encode = (plan: MapPlan, pages: AsyncIterable<string>) => Promise<Underway>

/**
 * Encodes maps in a thread of its own. One at a time: a caller that asks for the next one waits for this one,
 * and holds no connection meanwhile; organizations take turns. The thread ends when it has had nothing to do
 * for a while.
 */
export class MapMaker {
  #thread: Thread<MapMessage, Uint8Array> | null = null
  readonly #turns = new FairTurns(MAX_WAITING)

  hasRoomFor(organizationId: string): boolean {
    return this.#turns.hasRoomFor(organizationId)
  }

  /**
   * `read` is called once it is this map's turn: it hands the plan and the pages of its seats to `encode`. It
   * should end its transaction before it waits for what is encoded: Postgres ends one that does nothing.
   */
  make<Made>(organizationId: string, read: (encode: Encode) => Promise<Made>): Promise<Made> {
    return this.#turns.run(organizationId, () => read((plan, pages) => this.#encode(plan, pages)))
  }

  async close(): Promise<void> {
    await this.#thread?.end()
  }

  async #encode(plan: MapPlan, pages: AsyncIterable<string>): Promise<Underway> {
    if (!this.#thread || this.#thread.hasEnded) {
      this.#thread = new Thread({ task: 'encode-map', maxHeapMb: 512, idleMs: 60_000 })
    }
    const thread = this.#thread
    const encoded = thread.ask({ plan }, { withinMs: MAX_JOB_MS })
    // It may come while a page is still read.
    encoded.catch(() => {})
    try {
      for await (const page of pages) thread.tell({ page })
      thread.tell({ end: true })
      return { encoded }
    } catch (error) {
      // Half a map must not become the beginning of the next one.
      await thread.end()
      throw error
    }
  }
}
