import type { SharedSeats } from '@voelgoed/engine/view/seat-maps'
import { FairTurns } from '@voelgoed/kit/threads/fair-line'
import { Thread } from '@voelgoed/kit/threads/thread'
import type { EncodedSeats, SeatsToEncode } from './encode-seats.ts'
import type { EncodeMessage } from './encode-task.ts'

/** Seats whose ids the thread keeps: 36 bytes each, outside its heap. */
const MAX_KNOWN_SEATS = 1_000_000

type Encoding = Thread<EncodeMessage, EncodedSeats>

/**
 * Encodes availability as JSON in a thread of its own, one at a time. Callers ask for one event at a time,
 * and organizations take turns.
 */
export class SeatsEncoder {
  readonly #turns = new FairTurns()
  #thread: Encoding | null = null
  /** The layout versions whose seats the thread knows, by number; the one used last at the end. */
  readonly #known = new Map<number, number>()
  readonly #numbers = new WeakMap<SharedSeats, number>()
  #lastNumber = 0

  encode(organizationId: string, seats: SharedSeats, moment: SeatsToEncode): Promise<EncodedSeats> {
    return this.#turns.run(organizationId, () => this.#encode(seats, moment))
  }

  #encode(seats: SharedSeats, moment: SeatsToEncode): Promise<EncodedSeats> {
    if (!this.#thread || this.#thread.hasEnded) {
      this.#thread = new Thread({ task: 'encode-seats', maxHeapMb: 512 })
      this.#known.clear()
    }
    const layout = this.#learn(this.#thread, seats)
    return this.#thread.ask({ kind: 'encode', layout, seats: moment })
  }

  async close(): Promise<void> {
    await this.#thread?.end()
  }

  #learn(thread: Encoding, seats: SharedSeats): number {
    let layout = this.#numbers.get(seats)
    if (layout === undefined) {
      this.#lastNumber += 1
      layout = this.#lastNumber
      this.#numbers.set(seats, layout)
    }
    const { count, seatIds, zoneOf } = seats.map
    if (!this.#known.delete(layout)) {
      const ids = seatIds.packed()
      thread.tell({ kind: 'learn', layout, ids, zoneOf }, [ids.buffer as ArrayBuffer])
    }
    this.#known.set(layout, count)
    let total = 0
    for (const known of this.#known.values()) total += known
    for (const [old, known] of this.#known) {
      if (total <= MAX_KNOWN_SEATS || old === layout) break
      this.#known.delete(old)
      total -= known
      thread.tell({ kind: 'forget', layout: old })
    }
    return layout
  }
}
