import type { Client, Follow, Following, SeatChanges, Snapshot } from '@voelgoed/client'

/** Two bits of a snapshot: free, held, sold, blocked. */
export type SeatStatus = 0 | 1 | 2 | 3
export type SeatChange = readonly [ordinal: number, status: SeatStatus]

/** It draws seats: it gets all of them once, then every change. */
export interface SeatView {
  setStatuses(bits: Uint8Array): void
  setStatus(changes: readonly SeatChange[]): void
}

interface Heard extends Omit<Follow, 'onSnapshot' | 'onChanges'> {
  /** All seats are told. `isFirst`: for the first time. */
  onSnapshot?(snapshot: Snapshot, isFirst: boolean): void
  onChanges?(changes: SeatChanges): void
}

const CODES = { available: 0, held: 1, sold: 2, blocked: 3 } as const

/** The status of every seat of an event, as the feed tells it: the snapshot, then changes. */
export class LiveSeats {
  /** Two bits a seat; null before the first snapshot. */
  #bits: Uint8Array | null = null
  #view: SeatView | null = null
  #following: Following | null = null
  readonly #listeners = new Set<() => void>()

  /** The first snapshot has come, also of a hall that has places but no seats. */
  get isKnown(): boolean {
    return this.#bits !== null
  }

  get isFollowing(): boolean {
    return this.#following !== null
  }

  statusOf(ordinal: number): SeatStatus {
    return (((this.#bits?.[ordinal >> 2] ?? 0xff) >> ((ordinal & 3) * 2)) & 3) as SeatStatus
  }

  freeIn(firstOrdinal: number, seatCount: number): number {
    let free = 0
    for (let ordinal = firstOrdinal; ordinal < firstOrdinal + seatCount; ordinal += 1) {
      if (this.statusOf(ordinal) === 0) free += 1
    }
    return free
  }

  /** Shows all seats in this view, and every change from now on. */
  attach(view: SeatView): () => void {
    this.#view = view
    if (this.#bits) view.setStatuses(this.#bits)
    return () => {
      if (this.#view === view) this.#view = null
    }
  }

  /** Hears that seats have changed. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Follows this event, and no other from now on. */
  follow(client: Pick<Client, 'follow'>, eventId: string, heard: Heard): void {
    this.#following?.stop()
    this.#following = client.follow(eventId, {
      ...heard,
      onSnapshot: snapshot => {
        const isFirst = !this.isKnown
        this.replace(snapshot.statuses)
        heard.onSnapshot?.(snapshot, isFirst)
      },
      onChanges: changes => {
        this.apply(changes.seats.map(([ordinal, status]) => [ordinal, CODES[status]]))
        heard.onChanges?.(changes)
      },
    })
  }

  /** Asks at once rather than at the next try. */
  wake(): void {
    this.#following?.wake()
  }

  /** The hall has other seats: nothing is known of them. */
  forget(): void {
    this.#bits = null
  }

  close(): void {
    this.#following?.stop()
  }

  protected replace(bits: Uint8Array): void {
    this.#bits = Uint8Array.from(bits)
    this.#view?.setStatuses(this.#bits)
    this.#tell()
  }

  apply(changes: readonly SeatChange[]): void {
    const bits = this.#bits
    if (!bits || changes.length === 0) return
    for (const [ordinal, status] of changes) {
      const shift = (ordinal & 3) * 2
      bits[ordinal >> 2] = (bits[ordinal >> 2]! & ~(3 << shift)) | (status << shift)
    }
    this.#view?.setStatus(changes)
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** The network is back, or the page is in view again: timers may have slept. */
export function onWake(wake: () => void, signal: AbortSignal): void {
  document.addEventListener('visibilitychange', () => document.hidden || wake(), { signal })
  window.addEventListener('online', wake, { signal })
  window.addEventListener('pageshow', ({ persisted }) => persisted && wake(), { signal })
}
