import type { SeatMap } from '@voelgoed/core/event/state'
import { HallMaker } from '../layouts/hall-maker.ts'
import type { TenantTx } from '../postgres/database.ts'
import { readSeatMap } from '../postgres/tables/event-state.ts'
import type { Event } from '../postgres/tables/events.ts'
import { findLayoutVersion, readZones } from '../postgres/tables/layouts.ts'

type OnLayout = Pick<Event, 'layoutId' | 'layoutVersion' | 'layoutMadeAt'>

/** What all events on one layout version share. */
export interface SharedSeats {
  readonly map: SeatMap
  /** By ordinal. */
  readonly rows: { at(ordinal: number): string | undefined }
  readonly numbers: { at(ordinal: number): number | string | undefined }
  /** The keys of the price categories, as the hall counts them. */
  readonly prices: readonly string[]
}

/** Keeps the seats of the layout versions used last: 200,000 seats are about 12 MB: ids, rows and places. */
export class SeatMaps {
  readonly #maps = new Map<string, SharedSeats>()
  readonly #maxSeats = 2_000_000
  readonly #halls = new HallMaker()

  /** `event` was read in the same transaction: it says which version with this number there is. */
  async of(tx: TenantTx, { layoutId, layoutVersion: version, layoutMadeAt }: OnLayout): Promise<SharedSeats> {
    const key = `${tx.organizationId}/${layoutId}/${version}/${layoutMadeAt.getTime()}`
    const known = this.#maps.get(key)
    if (known) {
      this.#maps.delete(key)
      this.#maps.set(key, known)
      return known
    }
    const found = (await findLayoutVersion(tx, layoutId, version))!
    const zones = await readZones(tx, layoutId, version)
    const { seatCount, drawing } = found
    const made = await readSeatMap(tx, { layoutId, version, seatCount, drawing }, zones, columns =>
      this.#halls.make(columns),
    )
    const shared = { ...made, prices: drawing.priceCategories.map(({ key: price }) => price) }
    this.#maps.set(key, shared)
    let seats = 0
    for (const entry of this.#maps.values()) seats += entry.map.count
    for (const [oldKey, old] of this.#maps) {
      if (seats <= this.#maxSeats || oldKey === key) break
      this.#maps.delete(oldKey)
      seats -= old.map.count
    }
    return shared
  }
}
