import { AVAILABLE, type MapModel, NO_ZONE, type SeatStatus, UNKNOWN } from './model.ts'

/** The server counts the free places of a zone; null: not known yet. */
export type PlaceCount = { readonly available: number; readonly capacity: number } | null

/** Keeps what is known of the seats now, and how many of each zone are free. */
export class SeatStates {
  readonly #model: MapModel
  /** One byte a seat; UNKNOWN until the first snapshot. */
  readonly statuses: Uint8Array
  readonly #freeSeats: Int32Array
  #places: readonly PlaceCount[] = []
  #isKnown = false

  constructor(model: MapModel) {
    this.#model = model
    this.statuses = new Uint8Array(model.ordinalCount).fill(UNKNOWN)
    this.#freeSeats = new Int32Array(model.zones.length)
  }

  /** The first snapshot has come. */
  get isKnown(): boolean {
    return this.#isKnown
  }

  /** Two bits a seat, the first seat in the lowest bits. Returns the seats that changed. */
  setAll(bits: Uint8Array): number[] {
    const changed: number[] = []
    this.#isKnown = true
    for (let ordinal = 0; ordinal < this.statuses.length; ordinal += 1) {
      const status = ((bits[ordinal >> 2] ?? 0) >> ((ordinal & 3) * 2)) & 3
      if (this.set(ordinal, status as SeatStatus)) changed.push(ordinal)
    }
    return changed
  }

  /** False when it was so already, or when there is no such seat. */
  set(ordinal: number, status: SeatStatus): boolean {
    const before = this.statuses[ordinal]
    if (before === undefined || before === status) return false
    this.statuses[ordinal] = status
    const zone = this.#model.zoneOf[ordinal]!
    if (zone === NO_ZONE) return false
    if (before === AVAILABLE) this.#freeSeats[zone]! -= 1
    if (status === AVAILABLE) this.#freeSeats[zone]! += 1
    return true
  }

  /** Takes the counts of zones, by index. Returns the zones that changed. */
  setPlaces(counts: readonly PlaceCount[]): number[] {
    const before = this.#model.zones.map((_, index) => this.freeIn(index))
    this.#places = counts
    return before.flatMap((free, index) => (free === this.freeIn(index) ? [] : [index]))
  }

  /**
   * Returns how many are free in a zone; null: not known yet. It tells what the server counts, as every page
   * does: a seat that is kept for a companion is free there, and is drawn as one that is not. Until the
   * server has said so, it counts the seats of the zone.
   */
  freeIn(zoneIndex: number): number | null {
    const zone = this.#model.zones[zoneIndex]!
    if (zone.seatCount > 0 && !this.#isKnown) return null
    const counted = this.#places[zoneIndex]?.available ?? null
    return zone.seatCount > 0 ? (counted ?? this.#freeSeats[zoneIndex]!) : counted
  }

  capacityOf(zoneIndex: number): number {
    const zone = this.#model.zones[zoneIndex]!
    return zone.seatCount > 0 ? zone.seatCount : (this.#places[zoneIndex]?.capacity ?? zone.capacity)
  }
}
