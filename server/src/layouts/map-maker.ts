import { Worker } from 'node:worker_threads'
import type { MapPlan } from '@voelgoed/core/map/encode'
import { FairTurns } from '../fair-line.ts'
import type { MapMessage } from './map-worker.ts'

const MAX_HEAP_MB = 512
const MAX_WAITING = 16
const IDLE_MS = 60_000
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
  #worker: Worker | null = null
  readonly #turns = new FairTurns(MAX_WAITING)
  #idle: NodeJS.Timeout | undefined

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
    clearTimeout(this.#idle)
    if (this.#worker) await this.#end(this.#worker)
  }

  /** It takes a moment to end: a map that comes meanwhile gets a new thread. */
  async #end(worker: Worker): Promise<void> {
    if (this.#worker === worker) this.#worker = null
    await worker.terminate()
  }

  async #encode(plan: MapPlan, pages: AsyncIterable<string>): Promise<Underway> {
    clearTimeout(this.#idle)
    this.#worker ??= this.#start()
    const worker = this.#worker
    const send = (message: MapMessage) => worker.postMessage(message)
    const limit = setTimeout(() => void this.#end(worker), MAX_JOB_MS)
    worker.ref()
    const encoded = answerOf(worker).finally(() => {
      clearTimeout(limit)
      worker.unref()
      this.#idle = setTimeout(() => void this.#end(worker), IDLE_MS).unref()
    })
    // It may come while a page is still read.
    encoded.catch(() => {})
    try {
      send({ plan })
      for await (const page of pages) send({ page })
      send({ end: true })
      return { encoded }
    } catch (error) {
      // Half a map must not become the beginning of the next one.
      await this.#end(worker)
      throw error
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL('./map-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null
    })
    return worker
  }
}

function answerOf(worker: Worker): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      worker.off('message', onMessage)
      worker.off('error', onError)
      worker.off('exit', onExit)
    }
    const onMessage = (bytes: Uint8Array) => {
      settle()
      resolve(bytes)
    }
    const onError = (error: Error) => {
      settle()
      reject(error)
    }
    const onExit = () => onError(new Error('the thread that makes maps ended'))
    worker.on('message', onMessage)
    worker.on('error', onError)
    worker.on('exit', onExit)
  })
}
