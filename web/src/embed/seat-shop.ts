import type { Occupancy } from '@voelgoed/client'
import { decodeMap, type MapModel, SeatMap, type SeatMapOptions, type Stop, UNKNOWN } from '../map/index.ts'
import { type GuestOptions, GuestSeats, type Hold, type Shop } from './guest-seats.ts'

type ForGuest = Pick<GuestOptions, 'onHolds' | 'onExpired' | 'onEnded' | 'onRefused' | 'onState'>

export interface SeatShopOptions extends Pick<SeatMapOptions, 'theme' | 'words' | 'reducedMotion'>, ForGuest {
  readonly container: HTMLElement
  /** False: the site does something else with this seat. */
  maySelect(place: Place): boolean
  /** Tells of the place in the hall where the keyboard is; null: it has left. */
  onStop(stop: { readonly place: Place; readonly state: PlaceState | null } | null): void
}

/** A seat, or a zone without seats. */
export type Place =
  | { readonly seat_id: string; readonly zone: string; readonly row: string; readonly seat: number | string }
  | { readonly zone_id: string; readonly zone: string }

const STATES = ['free', 'held', 'sold', 'blocked'] as const
export type PlaceState = (typeof STATES)[number] | 'mine'

/** The map of one event, and what the guest does on it. */
export class SeatShop {
  readonly #shop: Shop
  readonly #options: SeatShopOptions
  readonly #guest: GuestSeats
  #map: SeatMap | null = null
  #model: MapModel | null = null
  readonly #pending = new Set<number>()
  /** The keyboard is here. */
  #stop: Stop | null = null

  constructor(shop: Shop, options: SeatShopOptions) {
    this.#shop = shop
    this.#options = options
    const { onExpired, onEnded, onRefused, onState } = options
    this.#guest = new GuestSeats(shop, {
      ordinalOf: hold => this.#ordinalOf(hold),
      onHolds: (holds, change) => {
        this.#map?.setMine(new Set(holds.flatMap(hold => this.#ordinalOf(hold) ?? [])))
        options.onHolds(holds, change)
        this.#tellStop()
      },
      ...{ onExpired, onEnded, onRefused, onState },
      onChanges: ({ occupancy }) => {
        this.#showCounts(occupancy)
        this.#tellStop()
      },
    })
  }

  get token(): string | null {
    return this.#guest.token
  }

  /** Milliseconds until the first hold ends, by the server's clock; null: nothing is held. */
  get leftMs(): number | null {
    return this.#guest.leftMs
  }

  /** Throws `Refused` or `Unreachable`. */
  async open(): Promise<void> {
    const params = { event: this.#shop.event }
    const { client, signal } = this.#guest
    const { bytes } = await this.#guest.asGuest(() =>
      client.bytes('GET /api/events/:event/map', { params, signal }),
    )
    if (signal.aborted) return
    this.#model = decodeMap(bytes)
    const { container, theme, words, reducedMotion } = this.#options
    this.#map = new SeatMap(container, this.#model, {
      theme,
      words,
      reducedMotion,
      onSeat: ordinal => void this.#toggle(ordinal),
      onZone: zoneIndex => void this.#takePlace(zoneIndex),
      onStop: stop => {
        this.#stop = stop
        this.#tellStop()
      },
    })
    this.#guest.seats.attach(this.#map)
    await this.#guest.open()
    void this.#countPlaces()
  }

  close(): void {
    this.#guest.close()
    this.#map?.destroy()
  }

  release(holdId: string): Promise<void> {
    return this.#guest.release(holdId)
  }

  /** The feed tells of places without seats only when they change. */
  async #countPlaces(): Promise<void> {
    const params = { event: this.#shop.event }
    const { client, signal } = this.#guest
    const found = await client.call('GET /api/events/:event/occupancy', { params, signal }).catch(() => null)
    if (found) this.#showCounts(found.data)
  }

  #showCounts({ zones }: Pick<Occupancy, 'zones'>): void {
    const counts = new Map(zones.map(zone => [zone.zone_id, zone]))
    this.#map?.setZoneCounts(this.#model!.zones.map(zone => counts.get(zone.zoneId) ?? null))
  }

  async #toggle(ordinal: number): Promise<void> {
    if (this.#pending.has(ordinal)) return
    const mine = this.#guest.holds.find(hold => this.#ordinalOf(hold) === ordinal)
    if (mine) return this.release(mine.hold_id)
    const place = this.#seatAt(ordinal)
    if (!this.#options.maySelect(place)) return
    this.#mark(() => this.#pending.add(ordinal))
    await this.#guest.hold({ seat_ids: [place.seat_id] })
    this.#mark(() => this.#pending.delete(ordinal))
  }

  /** Places without seats are taken one by one. */
  async #takePlace(zoneIndex: number): Promise<void> {
    const zone = this.#model!.zones[zoneIndex]!
    if (zone.seatCount > 0) return
    if (!this.#options.maySelect({ zone_id: zone.zoneId, zone: zone.name })) return
    await this.#guest.hold({ zone_id: zone.zoneId, quantity: 1 })
  }

  /** Again when seats or holds have changed: what was said of the place may not be true any more. */
  #tellStop(): void {
    this.#options.onStop(this.#stop && this.#describe(this.#stop))
  }

  #describe(stop: Stop): { readonly place: Place; readonly state: PlaceState | null } {
    if (stop.kind === 'zone') {
      const zone = this.#model!.zones[stop.zoneIndex]!
      return { place: { zone_id: zone.zoneId, zone: zone.name }, state: null }
    }
    const { ordinal } = stop
    const isMine = this.#guest.holds.some(hold => this.#ordinalOf(hold) === ordinal)
    const status = this.#map!.statusOf(ordinal)
    const state = status === UNKNOWN ? null : STATES[status]
    return { place: this.#seatAt(ordinal), state: isMine ? 'mine' : state }
  }

  #seatAt(ordinal: number): Extract<Place, { seat_id: string }> {
    const model = this.#model!
    const zone = model.zones[model.zoneOf[ordinal]!]!.name
    const [row, seat] = [model.rowOf(ordinal), model.numberOf(ordinal)]
    return { seat_id: model.seatIdOf(ordinal), zone, row, seat }
  }

  #ordinalOf(hold: Hold): number | null {
    if (!('seat_id' in hold)) return null
    const hint = { zoneId: hold.zone_id, row: hold.row, number: hold.seat_number }
    return this.#model!.ordinalOf(hold.seat_id, hint) ?? null
  }

  #mark(change: () => void): void {
    change()
    this.#map?.setPending(this.#pending)
  }
}
