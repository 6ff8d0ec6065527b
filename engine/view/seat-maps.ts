import type { SeatMap } from '@voelgoed/core/event/state'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantDoor, TenantTx } from '@voelgoed/kit/postgres/database'
import type { EventSource, LayoutSeats, OnLayout } from '../ports/event-source.ts'
import { HallMaker } from './hall-maker.ts'

/** All events on one layout version share this. */
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
  /** Code that reads an event asks the source for the rest of that event. */
  readonly source: EventSource
  readonly #halls: Pick<HallMaker, 'make'>

  constructor(source: EventSource, halls: Pick<HallMaker, 'make'> = new HallMaker()) {
    this.source = source
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
    const read = await database.tenant(scope, tx => this.#read(tx, event), { isolation: 'snapshot' })
    if (read) await this.#keep(scope.organizationId, event, read)
  }

  /** In the caller's transaction, which waits for the hall if it must be made. */
  async of(tx: TenantTx, event: OnLayout): Promise<SharedSeats> {
    return this.known(tx, event) ?? this.#keep(tx.organizationId, event, (await this.#read(tx, event))!)
  }

  #read(tx: TenantTx, { layoutId, layoutVersion }: OnLayout): Promise<LayoutSeats | null> {
    return this.source.readSeats(tx, layoutId, layoutVersion)
  }

  /** The version may have been made again since the event was read: it is kept as what was read now. */
  async #keep(organizationId: string, event: OnLayout, read: LayoutSeats): Promise<SharedSeats> {
    const hall = await this.#halls.make(read.columns, organizationId)
    const shared = { ...read.mapOf(hall), prices: read.prices }
    const key = keyOf(organizationId, { ...event, layoutMadeAt: read.madeAt })
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

function keyOf(organizationId: string, { layoutId, layoutVersion, layoutMadeAt }: OnLayout): string {
  return `${organizationId}/${layoutId}/${layoutVersion}/${layoutMadeAt.getTime()}`
}
