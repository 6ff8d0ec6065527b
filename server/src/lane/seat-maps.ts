import type { SeatMap } from '@voelgoed/core/event/state'
import type { TenantTx } from '../postgres/database.ts'
import { readSeatMap } from '../postgres/tables/event-state.ts'
import { findLayoutVersion, readZones } from '../postgres/tables/layouts.ts'

/** What all events on one layout version share. */
export interface SharedSeats {
  readonly map: SeatMap
  /** By ordinal. */
  readonly rows: { at(ordinal: number): string | undefined }
  readonly numbers: { at(ordinal: number): number | string | undefined }
}

/** Keeps the seats of the layout versions used last: 200,000 seats are about 6 MB, most of it ids. */
export class SeatMaps {
  readonly #maps = new Map<string, SharedSeats>()
  readonly #maxSeats = 2_000_000

  async of(tx: TenantTx, layoutId: string, version: number): Promise<SharedSeats> {
    const key = `${tx.organizationId}/${layoutId}/${version}`
    const known = this.#maps.get(key)
    if (known) {
      this.#maps.delete(key)
      this.#maps.set(key, known)
      return known
    }
    const found = (await findLayoutVersion(tx, layoutId, version))!
    const zones = await readZones(tx, layoutId, version)
    const shared = await readSeatMap(tx, { layoutId, version, seatCount: found.seatCount }, zones)
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
