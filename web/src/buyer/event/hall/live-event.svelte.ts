import { type Data, type FeedState, type Occupancy, Refused, type SeatChanges } from '@voelgoed/client'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import { onWake } from '../../../kit/live-seats/live-seats.ts'
import { keepTrying } from '../../../kit/state/keep-trying.ts'
import { nextTask } from '../../../kit/state/next-task.ts'
import type { Session } from '../../../kit/state/session.svelte.ts'
import { decodeMap, type MapModel } from '../../../map/index.ts'
import { type Sale, saleOf } from '../sale/sale.ts'
import { BuyerSeats } from './buyer-seats.svelte.ts'
import { keepMap } from './kept-maps.ts'
import { type LastKnown, lastKnown } from './last-known.ts'
import { priceListOf } from './prices.ts'

export type EventAnswer = Data<'GET /api/events/:event'>

/** The server says this of an event besides its seats. */
interface Loaded {
  readonly event: EventAnswer
  readonly model: MapModel
  readonly prices: PriceList | null
  readonly takesMoney: boolean
}

/** The buyer's side of the page hears of these. */
export interface LiveEventHooks {
  /** The server has said what the event is now. */
  onEvent(): void
  /** All seats are told. */
  onSnapshot(): void
  onChanges(changes: Pick<SeatChanges, 'seats' | 'released'>): void
  /** The server is heard again after it was away. */
  onBack(): void
  /** The page is in view again, or the network is back, and the event is followed. */
  onWake(): void
  /** There is no server: the event of the last visit is shown, and its holds can be. */
  onLastKnown(known: LastKnown): void
}

/** An event as the server tells of it: its facts, its hall, its prices and its seats, kept up to date. */
export class LiveEvent {
  readonly #session: Session
  readonly #eventId: string
  readonly #hooks: LiveEventHooks
  readonly seats = new BuyerSeats()
  #event: EventAnswer | null = $state.raw(null)
  #model: MapModel | null = $state.raw(null)
  #prices: PriceList | null = $state.raw(null)
  #takesMoney = $state(true)
  #feed: FeedState = $state('connecting')
  #isOnline = $state(navigator.onLine)
  #isWaiting = $state(false)
  #isLastKnown = $state(false)
  #refused: Refused | null = $state.raw(null)
  #occupancy: Occupancy | null = $state.raw(null)
  readonly #zoneCounts: ReadonlyMap<string, Occupancy['zones'][number]> = $derived(
    new Map(this.#occupancy?.zones.map(zone => [zone.zone_id, zone])),
  )
  /** The hall as it came, and as it is drawn. */
  #map: { readonly bytes: Uint8Array; readonly model: MapModel } | null = null
  readonly #closed = new AbortController()

  constructor(session: Session, eventId: string, hooks: LiveEventHooks) {
    this.#session = session
    this.#eventId = eventId
    this.#hooks = hooks
    const { signal } = this
    window.addEventListener('offline', () => this.#setOnline(false), { signal })
    onWake(() => this.#wake(), signal)
  }

  /** Ends with the page. */
  get signal(): AbortSignal {
    return this.#closed.signal
  }
  get event() {
    return this.#event
  }
  get model() {
    return this.#model
  }
  /** Null: the event has none, or they are not known. */
  get prices() {
    return this.#prices
  }
  /** False: what costs something can't be paid for on this server. */
  get takesMoney() {
    return this.#takesMoney
  }
  get refused() {
    return this.#refused
  }
  /** Null: the feed has not told yet. */
  get occupancy() {
    return this.#occupancy
  }
  get zoneCounts() {
    return this.#zoneCounts
  }
  /** The server has not answered yet, and is being asked again and again. */
  get isWaiting() {
    return this.#isWaiting
  }
  /** The server has not answered since the page was loaded: event and holds are those of the last visit. */
  get isLastKnown() {
    return this.#isLastKnown
  }
  get connection(): FeedState {
    return this.#isOnline && !this.#isLastKnown ? this.#feed : 'offline'
  }
  /** Says if seats can be taken now. The screens that show it follow the server's clock. */
  get sale(): Sale {
    return this.#event ? saleOf(this.#event, this.#session.time.now) : { kind: 'unknown' }
  }

  /** Asks until the server has answered. False: the page was left, or the answer was a refusal. */
  async open(): Promise<boolean> {
    const { signal } = this
    const onTrouble = () => {
      this.#isWaiting = true
      void this.#openLastKnown().catch(() => {})
    }
    try {
      const loaded = await keepTrying(() => this.#session.run(() => this.#load()), { signal, onTrouble })
      this.#isWaiting = false
      this.#isLastKnown = false
      this.#show(loaded)
      this.#follow()
      return true
    } catch (error) {
      if (signal.aborted) return false
      this.#isWaiting = false
      if (!(error instanceof Refused)) throw error
      this.#refused = error
      return false
    }
  }

  close(): void {
    this.#closed.abort()
    this.seats.close()
  }

  async reload(): Promise<void> {
    const options = { signal: this.signal, onTrouble: () => {} }
    this.#show(await keepTrying(() => this.#session.run(() => this.#load()), options))
  }

  async #load(): Promise<Loaded> {
    const { signal } = this
    const params = { event: this.#eventId }
    const { client } = this.#session
    const asked = client.call('GET /api/events/:event', { params, signal })
    // Its name, day and place are shown while the hall is on its way.
    asked.then(
      ({ data }) => {
        this.#event ??= data
      },
      () => {},
    )
    // It carries the server's time, which a sale with a beginning or an end is judged by.
    const timeKnown =
      client.clock.now() === null && client.call('GET /api/events/:event/occupancy', { params, signal })
    if (timeKnown) timeKnown.catch(() => {})
    const [event, map, prices] = await Promise.all([
      asked,
      client.bytes('GET /api/events/:event/map', { params, signal }),
      client.call('GET /api/events/:event/prices', { params, signal }),
    ])
    if (event.data.sale_start !== null || event.data.sales_end_at !== null) await timeKnown
    // Without room for it a reload without a network shows less.
    void nextTask()
      .then(() => keepMap(`/api/events/${this.#eventId}/map`, map.bytes))
      .catch(() => {})
    const model = this.#modelOf(map.bytes)
    await nextTask()
    const takesMoney = prices.data.gateway !== 'none'
    return { event: event.data, model, prices: priceListOf(prices.data), takesMoney }
  }

  /** The same hall stays the same model: with another one the map starts again, and the view is lost. */
  #modelOf(bytes: Uint8Array<ArrayBuffer>): MapModel {
    const known = this.#map
    if (known?.bytes.length === bytes.length && bytes.every((byte, at) => byte === known.bytes[at])) {
      return known.model
    }
    const model = decodeMap(bytes)
    this.#map = { bytes, model }
    return model
  }

  #show({ event, model, prices, takesMoney }: Loaded): void {
    this.#model = model
    this.#prices = prices
    this.#takesMoney = takesMoney
    this.#setEvent(event)
  }

  #setEvent(event: EventAnswer): void {
    this.#event = event
    this.#hooks.onEvent()
  }

  /** There is no server: the hall and the event of the last visit, marked as such. */
  async #openLastKnown(): Promise<void> {
    const known = this.#model ? null : lastKnown(this.#eventId, this.#session.visitor?.user.id)
    if (!known) return
    const params = { event: this.#eventId }
    const options = { params, signal: this.signal, attempts: 1 }
    // Without a network the service worker has it.
    const map = await this.#session.client.bytes('GET /api/events/:event/map', options)
    if (this.#model) return
    this.#model = this.#modelOf(map.bytes)
    this.#event = known.event
    this.#isLastKnown = true
    this.#hooks.onLastKnown(known)
  }

  #follow(): void {
    this.seats.follow(this.#session.client, this.#eventId, {
      signal: this.signal,
      onSnapshot: (_, isFirst) => {
        // The organizer may have changed the event, or which parts of the hall are open.
        if (!isFirst) void this.reload().catch(() => {})
        this.#hooks.onSnapshot()
      },
      onChanges: changes => {
        this.#occupancy = changes.occupancy
        this.#hooks.onChanges(changes)
      },
      onStatus: ({ seq: _, ...sale }) => {
        if (this.#event) this.#setEvent({ ...this.#event, ...sale })
      },
      onState: state => this.#onState(state),
      onRefused: refused => this.#onRefused(refused),
    })
  }

  #onState(state: FeedState): void {
    const wasAway = this.#feed === 'offline'
    this.#feed = state
    if (state !== 'live') return
    this.#isOnline = true
    if (wasAway) this.#hooks.onBack()
  }

  async #onRefused(refused: Refused): Promise<void> {
    if (refused.code !== 'unauthorized') {
      this.#refused = refused
      return
    }
    // The session has ended; a guest goes on where they were.
    const { signal } = this
    const whoAmI = () => this.#session.client.call('GET /api/session', { signal })
    await keepTrying(() => this.#session.run(whoAmI), { signal, onTrouble: () => {} }).catch(() => {})
    if (!signal.aborted) this.#follow()
  }

  #setOnline(yes: boolean): void {
    this.#isOnline = yes
  }

  /** The page is in view, or the network is back: asks at once rather than at the next try. */
  #wake(): void {
    this.#setOnline(navigator.onLine)
    if (!this.seats.isFollowing) return
    this.seats.wake()
    this.#hooks.onWake()
  }
}
