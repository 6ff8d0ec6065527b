import type { SeatMap } from '@voelgoed/core/event/state'
import { HallMaker } from '../layouts/hall-maker.ts'
import type { TenantDoor, TenantTx } from '../postgres/database.ts'
import { type ReadSeats, readSeatMap } from '../postgres/tables/event-state.ts'
import type { Event } from '../postgres/tables/events.ts'
import { findLayoutVersion, readZones } from '../postgres/tables/layouts.ts'
import type { TenantScope } from '../tenant.ts'

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
  readonly #making = new Map<string, Promise<void>>()
  readonly #maxSeats = 2_000_000
  readonly #halls: Pick<HallMaker, 'make'>

  constructor(halls: Pick<HallMaker, 'make'> = new HallMaker()) {
    this.#halls = halls
  }

  /**
   * `event` was read in the same transaction: it says which version with this number there is. Null: its
   * seats are not in memory.
   */
  known({ organizationId }: Pick<TenantTx, 'organizationId'>, event: OnLayout): SharedSeats | null {
    const key = keyOf(organizationId, event)
    const known = this.#maps.get(key)
    if (!known) return null
    this.#maps.delete(key)
    this.#maps.set(key, known)
    return known
  }

  /**
   * Reads them in a transaction of its own, which ends before the hall is made: large halls wait for one
   * thread, and a connection must not wait with them. Once for all who ask meanwhile.
   */
  async make(database: TenantDoor, scope: TenantScope, event: OnLayout): Promise<void> {
    const key = keyOf(scope.organizationId, event)
    // Made since the caller looked.
    if (this.#maps.has(key)) return
    const making = this.#making.get(key) ?? this.#make(database, scope, event)
    this.#making.set(key, making)
    return making.finally(() => this.#making.delete(key))
  }

  async #make(database: TenantDoor, scope: TenantScope, event: OnLayout): Promise<void> {
    const read = await database.tenant(scope, tx => readSeats(tx, event), { isolation: 'snapshot' })
    if (read) await this.#keep(scope.organizationId, read)
  }

  /** In the caller's transaction, which waits for the hall if it must be made. */
  async of(tx: TenantTx, event: OnLayout): Promise<SharedSeats> {
    return this.known(tx, event) ?? this.#keep(tx.organizationId, (await readSeats(tx, event))!)
  }

  async #keep(organizationId: string, read: LayoutSeats): Promise<SharedSeats> {
    const hall = await this.#halls.make(read.columns, organizationId)
    const shared = { ...read.mapOf(hall), prices: read.prices }
    const key = keyOf(organizationId, read.of)
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

interface LayoutSeats extends ReadSeats {
  readonly of: OnLayout
  readonly prices: readonly string[]
}

/** Null: there is no such version any more. */
async function readSeats(tx: TenantTx, { layoutId, layoutVersion }: OnLayout): Promise<LayoutSeats | null> {
  const found = await findLayoutVersion(tx, layoutId, layoutVersion)
  if (!found) return null
  const zones = await readZones(tx, layoutId, layoutVersion)
  const prices = found.drawing.priceCategories.map(({ key }) => key)
  const of = { layoutId, layoutVersion, layoutMadeAt: found.createdAt }
  return { ...(await readSeatMap(tx, found, zones)), of, prices }
}

function keyOf(organizationId: string, { layoutId, layoutVersion, layoutMadeAt }: OnLayout): string {
  return `${organizationId}/${layoutId}/${layoutVersion}/${layoutMadeAt.getTime()}`
}
