import { Worker } from 'node:worker_threads'
import { FairTurns } from '../fair-line.ts'
import type { SharedSeats } from '../lane/seat-maps.ts'
import type { EncodedSeats, SeatsToEncode } from './encode-seats.ts'
import type { EncodeAnswer, EncodeMessage } from './encode-worker.ts'

const MAX_HEAP_MB = 512
/** Seats whose ids the thread keeps: 36 bytes each, outside its heap. */
const MAX_KNOWN_SEATS = 1_000_000

interface Job {
  resolve(encoded: EncodedSeats): void
  reject(error: Error): void
}

/**
 * Encodes availability as JSON in a thread of its own, one at a time. Callers ask for one event at a time,
 * and organizations take turns.
 */
export class SeatsEncoder {
  readonly #turns = new FairTurns()
  #worker: Worker | null = null
  /** The layout versions whose seats the thread knows, by number; the one used last at the end. */
  readonly #known = new Map<number, number>()
  readonly #numbers = new WeakMap<SharedSeats, number>()
  readonly #jobs = new Map<number, Job>()
  #lastNumber = 0

  encode(organizationId: string, seats: SharedSeats, moment: SeatsToEncode): Promise<EncodedSeats> {
    return this.#turns.run(organizationId, () => this.#encode(seats, moment))
  }

  #encode(seats: SharedSeats, moment: SeatsToEncode): Promise<EncodedSeats> {
    this.#worker ??= this.#start()
    const worker = this.#worker
    const layout = this.#learn(worker, seats)
    this.#lastNumber += 1
    const job = this.#lastNumber
    return new Promise((resolve, reject) => {
      this.#jobs.set(job, { resolve, reject })
      send(worker, { kind: 'encode', job, layout, seats: moment })
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  #learn(worker: Worker, seats: SharedSeats): number {
    let layout = this.#numbers.get(seats)
    if (layout === undefined) {
      this.#lastNumber += 1
      layout = this.#lastNumber
      this.#numbers.set(seats, layout)
    }
    const { count, seatIds, zoneOf } = seats.map
    if (!this.#known.delete(layout)) {
      const ids = seatIds.packed()
      send(worker, { kind: 'learn', layout, ids, zoneOf }, [ids.buffer as ArrayBuffer])
    }
    this.#known.set(layout, count)
    let total = 0
    for (const known of this.#known.values()) total += known
    for (const [old, known] of this.#known) {
      if (total <= MAX_KNOWN_SEATS || old === layout) break
      this.#known.delete(old)
      total -= known
      send(worker, { kind: 'forget', layout: old })
    }
    return layout
  }

  #start(): Worker {
    const worker = new Worker(new URL('./encode-worker.mjs', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    worker.unref()
    worker.on('message', ({ job, encoded }: EncodeAnswer) => {
      this.#jobs.get(job)?.resolve(encoded)
      this.#jobs.delete(job)
    })
    // `exit` follows, and fails what waits; the next question starts another thread.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = null
      this.#known.clear()
      for (const { reject } of this.#jobs.values()) reject(new Error('the thread that encodes seats ended'))
      this.#jobs.clear()
    })
    return worker
  }
}

function send(worker: Worker, message: EncodeMessage, transfer: ArrayBuffer[] = []): void {
  worker.postMessage(message, transfer)
}
