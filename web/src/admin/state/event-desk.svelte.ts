import {
  type Data,
  type FeedState,
  type Following,
  type Occupancy,
  Refused,
  type Snapshot,
} from '@voelgoed/client'
import { untrack } from 'svelte'
import { decodeMap, type MapModel } from '../../map/index.ts'
import { keepTrying } from '../../shared/state/keep-trying.ts'
import { Loaded } from './loaded.svelte.ts'
import type { StaffSession } from './staff-session.svelte.ts'

export type AdminEvent = Data<'GET /api/admin/events/:event'>

const STATUS_BITS = { available: 0, held: 1, sold: 2, blocked: 3 } as const
export type SeatChange = readonly [ordinal: number, status: 0 | 1 | 2 | 3]

/** What draws seats. */
export interface SeatView {
  setStatuses(bits: Uint8Array): void
  setStatus(changes: readonly SeatChange[]): void
}

/** One event in front of a member of staff: its figures as the feed tells them. */
export class EventDesk {
  readonly id: string
  readonly session: StaffSession
  readonly loaded = new Loaded<AdminEvent>()
  #hall = $state.raw(new Loaded<MapModel>())
  /** What the hall is of: a draft may get another version of a layout, and every event other zones. */
  #hallOf: string | null = null
  #occupancy: Occupancy | null = $state.raw(null)
  #feed: FeedState = $state('connecting')
  #seq: number | null = $state(null)
  /** Two bits a seat; null before the first snapshot. */
  #bits: Uint8Array | null = null
  #following: Following | null = null
  #closed: AbortController | null = null
  #view: SeatView | null = null
  readonly #listeners = new Set<() => void>()

  constructor(session: StaffSession, id: string) {
    this.session = session
    this.id = id
  }

  get event(): AdminEvent | null {
    return this.loaded.value
  }

  /** The hall: names of zones and seats, and where they are. */
  get hall(): Loaded<MapModel> {
    return this.#hall
  }

  get occupancy(): Occupancy | null {
    return this.#occupancy
  }

  get feed(): FeedState {
    return this.#feed
  }

  get seq(): number | null {
    return this.#seq
  }

  get params(): { readonly event: string } {
    return { event: this.id }
  }

  /** For an effect: follows the event until it is closed. */
  open(): () => void {
    const stop = this.#loadEvent()
    const closed = new AbortController()
    this.#closed = closed
    this.#follow(closed.signal)
    const wake = () => document.hidden || this.#following?.wake()
    window.addEventListener('online', wake, { signal: closed.signal })
    document.addEventListener('visibilitychange', wake, { signal: closed.signal })
    return () => {
      stop()
      closed.abort()
      this.#following?.stop()
    }
  }

  /** For an effect of a screen that names zones or seats. Asked for once for each form of the hall. */
  openHall(): () => void {
    const event = this.loaded.value
    const hallOf = event ? `${event.layout.id} ${event.layout.version} ${event.revision}` : this.#hallOf
    if (this.#hallOf !== null && this.#hallOf !== hallOf) untrack(() => this.#forgetHall())
    this.#hallOf = hallOf
    if (this.hall.value) return () => {}
    const { params } = this
    return this.hall.ask(async signal => {
      const { bytes } = await this.session.client.bytes('GET /api/events/:event/map', { params, signal })
      return decodeMap(bytes)
    })
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
  onSeats(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The seats are others: what is known of them is of no use any more. */
  #forgetHall(): void {
    this.#hall = new Loaded<MapModel>()
    this.#bits = null
    if (this.#closed && !this.#closed.signal.aborted) this.#follow(this.#closed.signal)
  }

  #follow(signal: AbortSignal): void {
    this.#following?.stop()
    this.#following = this.session.client.follow(this.id, {
      signal,
      onSnapshot: snapshot => this.#onSnapshot(snapshot, signal),
      onChanges: ({ seq, seats, occupancy }) => {
        this.#seq = seq
        this.#occupancy = occupancy
        this.#change(seats.map(([ordinal, status]) => [ordinal, STATUS_BITS[status]]))
      },
      onStatus: ({ status, sales_paused }) => {
        const isSuspended = this.session.suspension !== null
        if (sales_paused !== undefined && sales_paused !== isSuspended) {
          void this.session.refresh().catch(() => {})
        }
        if (this.event && this.event.status !== status) this.#loadEvent()
      },
      onState: state => {
        this.#feed = state
      },
    })
  }

  #loadEvent(): () => void {
    const { params } = this
    return this.loaded.ask(
      async signal => (await this.session.call('GET /api/admin/events/:event', { params, signal })).data,
    )
  }

  #onSnapshot({ seq, statuses }: Snapshot, signal: AbortSignal): void {
    this.#seq = seq
    this.#bits = Uint8Array.from(statuses)
    this.#view?.setStatuses(this.#bits)
    for (const listener of this.#listeners) listener()
    void this.#askForFigures(seq, signal)
  }

  /**
   * The snapshot has seats; how full zones without seats are comes with the counters. Asked for until they
   * are as new as the snapshot: if nothing changes after it, the feed brings no others.
   */
  async #askForFigures(seq: number, signal: AbortSignal): Promise<void> {
    const { params } = this
    const read = async () => {
      const { data } = await this.session.call('GET /api/events/:event/occupancy', { params, signal })
      this.#occupancy ??= data
      if (data.seq < seq) throw new Error('the counters are older than the seats')
      return data
    }
    try {
      const data = await keepTrying(read, { signal, onTrouble: () => {} })
      // A change that came meanwhile has newer ones.
      if (data.seq >= (this.#seq ?? seq)) this.#occupancy = data
    } catch (error) {
      if (!signal.aborted && !(error instanceof Refused)) throw error
    }
  }

  #change(changes: readonly SeatChange[]): void {
    if (!this.#bits || changes.length === 0) return
    for (const [ordinal, status] of changes) {
      const shift = (ordinal & 3) * 2
      this.#bits[ordinal >> 2] = (this.#bits[ordinal >> 2]! & ~(3 << shift)) | (status << shift)
    }
    this.#view?.setStatus(changes)
    for (const listener of this.#listeners) listener()
  }
}
