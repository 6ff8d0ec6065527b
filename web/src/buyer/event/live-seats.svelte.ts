import type { SeatStatus } from '../../map/index.ts'

/** What draws seats: it gets all of them once, then every change. */
export interface SeatView {
  setStatuses(bits: Uint8Array): void
  setStatus(changes: Iterable<readonly [ordinal: number, status: SeatStatus]>): void
}

export type SeatChange = readonly [ordinal: number, status: SeatStatus]

/** The status of every seat of an event, as the feed tells it. */
export class LiveSeats {
  /** One byte a seat, for looking up. Empty before the first snapshot. */
  #bytes = new Uint8Array()
  /** Two bits a seat, for drawing. */
  #bits = new Uint8Array()
  #isKnown = false
  /** Companion seats that are kept for this buyer: the feed calls them blocked, as it does to everyone. */
  readonly #kept = new Set<number>()
  #changes = $state(0)
  #view: SeatView | null = null
  #frame = 0

  /** Grows after a seat has changed, at most once a frame: what depends on the statuses reads this first. */
  get changes() {
    return this.#changes
  }

  /** The first snapshot has come, also of a hall that has places but no seats. */
  get isKnown(): boolean {
    return this.#isKnown
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  statusOf(ordinal: number): SeatStatus {
    return (this.#bytes[ordinal] ?? 3) as SeatStatus
  }

  get kept(): ReadonlySet<number> {
    return this.#kept
  }

  /** From now on these are kept for this buyer, and no others. */
  keep(ordinals: ReadonlySet<number>): void {
    const gone = [...this.#kept].filter(ordinal => !ordinals.has(ordinal) && this.#bytes[ordinal] === 0)
    const blocked = [...ordinals].filter(ordinal => !this.#kept.has(ordinal) && this.#bytes[ordinal] === 3)
    this.#kept.clear()
    for (const ordinal of ordinals) this.#kept.add(ordinal)
    this.#show([
      ...gone.map(ordinal => [ordinal, 3] as const),
      ...blocked.map(ordinal => [ordinal, 0] as const),
    ])
  }

  freeIn(firstOrdinal: number, seatCount: number): number {
    let free = 0
    for (let ordinal = firstOrdinal; ordinal < firstOrdinal + seatCount; ordinal += 1) {
      if (this.#bytes[ordinal] === 0) free += 1
    }
    return free
  }

  /** Shows all seats in this view, and every change from now on. */
  attach(view: SeatView): () => void {
    this.#view = view
    if (this.isKnown) view.setStatuses(this.#bits)
    return () => {
      if (this.#view === view) this.#view = null
    }
  }

  replace(bits: Uint8Array, seatCount: number): void {
    const bytes = new Uint8Array(seatCount)
    for (let ordinal = 0; ordinal < seatCount; ordinal += 1) {
      bytes[ordinal] = (bits[ordinal >> 2]! >> ((ordinal & 3) * 2)) & 3
    }
    this.#isKnown = true
    this.#bytes = bytes
    this.#bits = Uint8Array.from(bits)
    this.#view?.setStatuses(this.#bits)
    this.#show(
      Array.from(this.#kept).flatMap(ordinal => (bytes[ordinal] === 3 ? [[ordinal, 0] as const] : [])),
    )
    this.#changed()
  }

  apply(changes: readonly SeatChange[]): void {
    // A companion seat that the feed calls free is anyone's from now on.
    for (const [ordinal, status] of changes) if (status === 0) this.#kept.delete(ordinal)
    this.#show(
      changes.map(([ordinal, status]) => [ordinal, status === 3 && this.#kept.has(ordinal) ? 0 : status]),
    )
  }

  #show(changes: readonly SeatChange[]): void {
    if (changes.length === 0) return
    for (const [ordinal, status] of changes) {
      this.#bytes[ordinal] = status
      const shift = (ordinal & 3) * 2
      this.#bits[ordinal >> 2] = (this.#bits[ordinal >> 2]! & ~(3 << shift)) | (status << shift)
    }
    this.#view?.setStatus(changes)
    this.#changed()
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
  }

  #changed(): void {
    if (this.#frame) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#changes += 1
    })
  }
}
