import { type Client, createClient, type Data, type FeedState, Refused } from '@voelgoed/client'
import { decodeMap, type MapModel, SeatMap, type SeatMapOptions, type SeatStatus } from '../map/index.ts'

export type Hold = Data<'GET /api/holds'>[number]

/** Where the seats are sold. */
export interface Shop {
  /** Without a slash at the end. */
  readonly server: string
  readonly organization: string
  readonly event: string
}

export interface SeatShopOptions extends Pick<SeatMapOptions, 'theme' | 'words' | 'reducedMotion'> {
  readonly container: HTMLElement
  /** False: the site does something else with this seat. */
  maySelect(place: Place): boolean
  /** What the buyer has now; `change` is what was granted or released, if the buyer asked for it. */
  onHolds(
    holds: readonly Hold[],
    change: { readonly held: boolean; readonly holds: readonly Hold[] } | null,
  ): void
  onExpired(holds: readonly Hold[]): void
  onRefused(refused: Refused): void
  onState(state: FeedState): void
}

/** A seat, or a zone without seats. */
export type Place =
  | { readonly seat_id: string; readonly zone: string; readonly row: string; readonly seat: number | string }
  | { readonly zone_id: string; readonly zone: string }

const CODES: Readonly<Record<string, SeatStatus>> = { available: 0, held: 1, sold: 2, blocked: 3 }
/** Timers of browsers take no longer wait. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** One event for one guest: the map, the feed, and what the guest holds. */
export class SeatShop {
  readonly #client: Client
  readonly #shop: Shop
  readonly #options: SeatShopOptions
  readonly #closed = new AbortController()
  #token: string | null
  #map: SeatMap | null = null
  #model: MapModel | null = null
  #holds: readonly Hold[] = []
  readonly #pending = new Set<number>()
  #expiry: ReturnType<typeof setTimeout> | undefined

  constructor(shop: Shop, options: SeatShopOptions) {
    this.#shop = shop
    this.#options = options
    this.#token = readToken(shop)
    this.#client = createClient({ baseUrl: shop.server, token: () => this.#token })
  }

  get token(): string | null {
    return this.#token
  }

  get map(): SeatMap | null {
    return this.#map
  }

  /** Milliseconds until the first hold ends, by the server's clock; null: nothing is held. */
  get leftMs(): number | null {
    const now = this.#client.clock.now()
    const until = this.#holds.map(hold => Date.parse(hold.held_until))
    return now === null || until.length === 0 ? null : Math.max(0, Math.min(...until) - now)
  }

  /** Throws `Refused` or `Unreachable`. */
  async open(): Promise<void> {
    const { event } = this.#shop
    const { signal } = this.#closed
    const { bytes } = await this.#asGuest(() =>
      this.#client.bytes('GET /api/events/:event/map', { params: { event }, signal }),
    )
    const model = decodeMap(bytes)
    const { data } = await this.#client.call('GET /api/holds', { query: { event_id: event }, signal })
    if (signal.aborted) return
    this.#model = model
    const { container, theme, words, reducedMotion } = this.#options
    this.#map = new SeatMap(container, model, {
      theme,
      words,
      reducedMotion,
      onSeat: ordinal => void this.#toggle(ordinal),
      onZone: zoneIndex => void this.#takePlace(zoneIndex),
    })
    this.#setHolds(data, null)
    this.#follow()
  }

  close(): void {
    this.#closed.abort()
    clearTimeout(this.#expiry)
    this.#map?.destroy()
  }

  async release(holdId: string): Promise<void> {
    const hold = this.#holds.find(one => one.hold_id === holdId)
    if (!hold) return
    await this.#change(async () => {
      await this.#client.call('DELETE /api/holds/:hold', { params: { hold: holdId } })
      return { held: false, holds: [hold] }
    })
  }

  /** A guest whose session has ended is another guest from then on. */
  async #asGuest<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#token !== null) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 401) throw error
      }
    }
    const { organization } = this.#shop
    const { data } = await this.#client.call('POST /api/sessions/guest', { body: { organization } })
    this.#token = data.token
    writeToken(this.#shop, data.token)
    return ask()
  }

  #follow(): void {
    const { signal } = this.#closed
    this.#client.follow(this.#shop.event, {
      signal,
      onSnapshot: ({ statuses }) => this.#map?.setStatuses(statuses),
      onChanges: ({ seats, occupancy }) => {
        this.#map?.setStatus(seats.map(([ordinal, status]) => [ordinal, CODES[status]!] as const))
        const counts = new Map(occupancy.zones.map(zone => [zone.zone_id, zone]))
        this.#map?.setZoneCounts(this.#model!.zones.map(zone => counts.get(zone.zoneId) ?? null))
      },
      onState: state => this.#options.onState(state),
      onRefused: refused => this.#options.onRefused(refused),
    })
    void this.#countPlaces()
  }

  /** The feed tells of places without seats only when they change. */
  async #countPlaces(): Promise<void> {
    const { event } = this.#shop
    const { signal } = this.#closed
    const found = await this.#client
      .call('GET /api/events/:event/occupancy', { params: { event }, signal })
      .catch(() => null)
    if (!found) return
    const counts = new Map(found.data.zones.map(zone => [zone.zone_id, zone]))
    this.#map?.setZoneCounts(this.#model!.zones.map(zone => counts.get(zone.zoneId) ?? null))
  }

  async #toggle(ordinal: number): Promise<void> {
    const model = this.#model!
    if (this.#pending.has(ordinal)) return
    const seatId = model.seatIdOf(ordinal)
    const mine = this.#holds.find(hold => 'seat_id' in hold && hold.seat_id === seatId)
    if (mine) return this.release(mine.hold_id)
    const zone = model.zones[model.zoneOf[ordinal]!]!
    const row = model.rowOf(ordinal)
    if (!this.#options.maySelect({ seat_id: seatId, zone: zone.name, row, seat: model.numberOf(ordinal) }))
      return
    this.#mark(() => this.#pending.add(ordinal))
    await this.#hold({ seat_ids: [seatId] })
    this.#mark(() => this.#pending.delete(ordinal))
  }

  /** Places without seats are taken one by one. */
  async #takePlace(zoneIndex: number): Promise<void> {
    const zone = this.#model!.zones[zoneIndex]!
    if (zone.seatCount > 0) return
    if (!this.#options.maySelect({ zone_id: zone.zoneId, zone: zone.name })) return
    await this.#hold({ zone_id: zone.zoneId, quantity: 1 })
  }

  async #hold(
    body: { readonly seat_ids: string[] } | { readonly zone_id: string; readonly quantity: number },
  ): Promise<void> {
    await this.#change(async () => {
      const params = { event: this.#shop.event }
      const { data } = await this.#client.call('POST /api/events/:event/holds', { params, body })
      return { held: true, holds: data.holds as readonly Hold[] }
    })
  }

  /** After whatever happened the server says what is held: also when its answer was lost. */
  async #change(
    ask: () => Promise<{ readonly held: boolean; readonly holds: readonly Hold[] }>,
  ): Promise<void> {
    let change: { readonly held: boolean; readonly holds: readonly Hold[] } | null = null
    try {
      change = await ask()
    } catch (error) {
      if (error instanceof Refused) this.#options.onRefused(error)
      else this.#options.onState('offline')
    }
    await this.#look(change)
  }

  async #look(change: { readonly held: boolean; readonly holds: readonly Hold[] } | null): Promise<void> {
    const { signal } = this.#closed
    const query = { event_id: this.#shop.event }
    const found = await this.#client.call('GET /api/holds', { query, signal }).catch(() => null)
    if (found && !signal.aborted) this.#setHolds(found.data, change)
  }

  #setHolds(
    holds: readonly Hold[],
    change: { readonly held: boolean; readonly holds: readonly Hold[] } | null,
  ): void {
    this.#holds = holds
    const model = this.#model!
    const ordinals = holds.flatMap(hold => {
      if (!('seat_id' in hold)) return []
      return (
        model.ordinalOf(hold.seat_id, { zoneId: hold.zone_id, row: hold.row, number: hold.seat_number }) ?? []
      )
    })
    this.#map?.setMine(new Set(ordinals))
    this.#options.onHolds(holds, change)
    clearTimeout(this.#expiry)
    const left = this.leftMs
    if (left !== null) this.#expiry = setTimeout(() => void this.#expire(), Math.min(left, LONGEST_TIMER_MS))
  }

  /** The server says which of them have ended. */
  async #expire(): Promise<void> {
    const before = this.#holds
    await this.#look(null)
    const alive = new Set(this.#holds.map(hold => hold.hold_id))
    const lost = before.filter(hold => !alive.has(hold.hold_id))
    if (lost.length > 0) this.#options.onExpired(lost)
  }

  #mark(change: () => void): void {
    change()
    this.#map?.setPending(this.#pending)
  }
}

/** The guest of a site is the same after a reload, so that their seats are still theirs. */
function keyOf({ server, organization }: Shop): string {
  return `voelgoed-seats:${server}:${organization}`
}

function readToken(shop: Shop): string | null {
  try {
    return localStorage.getItem(keyOf(shop))
  } catch {
    return null
  }
}

function writeToken(shop: Shop, token: string): void {
  try {
    localStorage.setItem(keyOf(shop), token)
  } catch {
    // Not allowed, or no room: the guest lasts as long as the page.
  }
}
