import type { PriceList } from '@voelgoed/core/prices/price-list'
import { lowestIn, type MapModel, type PriceScheme, schemeOf } from '../../../map/index.ts'
import type { Seating } from '../seating.svelte.ts'

interface Known {
  readonly list: PriceList
  readonly model: MapModel
  readonly scheme: PriceScheme
  /** By zone; null: no price. */
  readonly lowest: readonly (number | null)[]
}

/** The event's price categories in front of a buyer, and those of them that the buyer wants to see. */
export class PriceFilter {
  readonly #seating: Seating
  #wanted: ReadonlySet<number> = $state.raw(new Set())

  constructor(seating: Seating) {
    this.#seating = seating
  }

  readonly #known: Known | null = $derived.by(() => {
    const { prices: list, model } = this.#seating
    if (!list || !model) return null
    const scheme = schemeOf(list, model)
    const lowest = model.zones.map((_, zoneIndex) => lowestIn(list, scheme, model, zoneIndex))
    return { list, model, scheme, lowest }
  })
  /** Null: the event has no prices. */
  get scheme(): PriceScheme | null {
    return this.#known?.scheme ?? null
  }

  /** Categories of the list; null: all of them. */
  get shown(): ReadonlySet<number> | null {
    return this.#wanted.size === 0 ? null : this.#wanted
  }

  isWanted(category: number): boolean {
    return this.#wanted.has(category)
  }

  toggle(category: number): void {
    const wanted = new Set(this.#wanted)
    if (!wanted.delete(category)) wanted.add(category)
    this.#wanted = wanted
  }

  /** `from` which price a zone has places; null: it has no prices. */
  lowestIn(zoneIndex: number): number | null {
    return this.#known?.lowest[zoneIndex] ?? null
  }
}
