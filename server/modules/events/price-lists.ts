import type { EventId } from '@voelgoed/core/ids'
import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import type { TenantDoor } from '@voelgoed/kit/postgres/database'
import { type DatedPrices, findPrices } from './tables/prices.ts'

/** As many lists, and as many ticket types and zones in all of them (200,000 are some 40 MB). */
export interface PriceListLimits {
  readonly lists: number
  readonly entries: number
}

const LIMITS: PriceListLimits = { lists: 1_000, entries: 200_000 }

/** The reader's view of an event has come this far. */
export interface EventPoint {
  readonly scope: TenantScope
  readonly eventId: EventId
  readonly eventRevision: number
  readonly epochPoint: { readonly epoch: number }
}

/**
 * The price lists of events that this node's buyers look at. A new list moves the revision of its event,
 * under the event's lock, and every node hears of that as of any other change. A list is taken from memory if
 * it was read at the revision that the node's view of the event has, or at a later one. Revisions that
 * Postgres has lost could come again with another list: the epoch tells them apart.
 */
export class PriceLists {
  readonly #asked: AskTogether<DatedPrices>
  readonly #known = new Map<string, DatedPrices & { readonly entries: number }>()
  readonly #limits: PriceListLimits
  readonly #onRead: (from: 'memory' | 'postgres') => void
  #entries = 0

  constructor(
    database: TenantDoor,
    onRead: (from: 'memory' | 'postgres') => void,
    limits: PriceListLimits = LIMITS,
  ) {
    this.#asked = new AskTogether(database, findPrices)
    this.#onRead = onRead
    this.#limits = limits
  }

  /** Null: the event has no prices. */
  async of(point: EventPoint): Promise<PriceList | null> {
    const key = `${point.scope.organizationId}/${point.eventId}`
    const known = this.#known.get(key)
    if (known && isCurrent(known, point)) {
      this.#onRead('memory')
      this.#known.delete(key)
      this.#known.set(key, known)
      return known.list
    }
    this.#onRead('postgres')
    const found = await this.#asked.ask(point.scope, point.eventId)
    if (found) this.#keep(key, found)
    return found?.list ?? null
  }

  stats(): { lists: number; entries: number } {
    return { lists: this.#known.size, entries: this.#entries }
  }

  #keep(key: string, found: DatedPrices): void {
    this.#forget(key)
    const entries = entriesOf(found.list)
    this.#known.set(key, { ...found, entries })
    this.#entries += entries
    for (const oldest of this.#known.keys()) {
      const { lists, entries: most } = this.#limits
      if (this.#known.size <= lists && this.#entries <= most) break
      this.#forget(oldest)
    }
  }

  #forget(key: string): void {
    this.#entries -= this.#known.get(key)?.entries ?? 0
    this.#known.delete(key)
  }
}

function isCurrent(known: DatedPrices, { eventRevision, epochPoint }: EventPoint): boolean {
  return known.epoch === epochPoint.epoch && known.eventRevision >= eventRevision
}

function entriesOf(list: PriceList | null): number {
  if (!list) return 1
  const types = list.categories.reduce((sum, category) => sum + category.ticket_types.length, 0)
  return 1 + types + Object.keys(list.zones).length
}
