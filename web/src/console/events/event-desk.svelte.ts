import { type Data, type FeedState, type Occupancy, Refused } from '@voelgoed/client'
import { untrack } from 'svelte'
import { LiveSeats, onWake } from '../../kit/live-seats/live-seats.ts'
import { keepTrying } from '../../kit/state/keep-trying.ts'
import { decodeMap, type MapModel } from '../../map/index.ts'
import { Loaded } from '../kit/loaded.svelte.ts'
import type { StaffSession } from '../kit/staff-session.svelte.ts'

export type AdminEvent = Data<'GET /api/admin/events/:event'>

/** One event in front of a member of staff: its figures as the feed tells them. */
export class EventDesk {
  readonly id: string
  readonly session: StaffSession
  readonly seats = new LiveSeats()
  readonly loaded = new Loaded<AdminEvent>()
  #hall = $state.raw(new Loaded<MapModel>())
  /** Names the hall's version: a draft may get another one of a layout, and every event other zones. */
  #hallOf: string | null = null
  #occupancy: Occupancy | null = $state.raw(null)
  #feed: FeedState = $state('connecting')
  #seq: number | null = $state(null)
  #closed: AbortController | null = null

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
    onWake(() => this.seats.wake(), closed.signal)
    return () => {
      stop()
      closed.abort()
      this.seats.close()
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

  /** The seats are others: what is known of them is of no use any more. */
  #forgetHall(): void {
    this.#hall = new Loaded<MapModel>()
    this.seats.forget()
    if (this.#closed && !this.#closed.signal.aborted) this.#follow(this.#closed.signal)
  }

  #follow(signal: AbortSignal): void {
    this.seats.follow(this.session.client, this.id, {
      signal,
      onSnapshot: ({ seq }) => {
        this.#seq = seq
        void this.#askForFigures(seq, signal)
      },
      onChanges: ({ seq, occupancy }) => {
        this.#seq = seq
        this.#occupancy = occupancy
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
    return this.loaded.ask(this.session.read('GET /api/admin/events/:event', { params }))
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
}
