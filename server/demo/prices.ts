import type { LayoutConfig } from '@voelgoed/core/layout/model'
import type { PriceListConfig } from '@voelgoed/core/prices/check-prices'

/** A price list whose zones are named, because the demo does not know their ids yet. */
export interface DemoPrices extends Omit<PriceListConfig, 'zones'> {
  readonly zones?: Readonly<Record<string, string>>
}

const TERMS = {
  currency: 'ZAR',
  fees: [{ name: 'Booking fee', amount: 1_500, per: 'ticket' }],
  tax: { name: 'VAT', percent: 15, included: true },
} as const satisfies Partial<PriceListConfig>

function category(key: string, name: string, colour: string, adult: number, child?: number) {
  return {
    key,
    name,
    colour,
    ticket_types: [
      { key: 'adult', name: 'Adult', amount: adult },
      ...(child === undefined ? [] : [{ key: 'child', name: 'Child', amount: child, note: 'up to 12' }]),
    ],
  }
}

/** They fit a hall whose seats have the price categories of core/layout/generate. */
export const THEATRE_PRICES: DemoPrices = {
  ...TERMS,
  categories: [
    category('premium', 'Premium', '#8e44ad', 65_000, 45_000),
    category('first', 'First', '#2471a3', 48_000, 30_000),
    category('second', 'Second', '#1e8449', 34_000, 20_000),
    category('third', 'Third', '#b9770e', 22_000, 12_000),
  ],
}

/** In the round: the nearer the stage, the dearer. */
export const ARENA_PRICES: DemoPrices = {
  ...TERMS,
  categories: [
    category('premium', 'Premium', '#8e44ad', 145_000),
    category('first', 'First', '#2471a3', 95_000),
    category('second', 'Second', '#1e8449', 55_000, 35_000),
  ],
}

/** Two days. The pit lets people out and in again. */
export const FESTIVAL_PRICES: DemoPrices = {
  ...TERMS,
  categories: [
    category('orchestra', 'Orchestra', '#2471a3', 95_000, 60_000),
    category('vip', 'VIP', '#b9770e', 180_000),
    category('floor', 'Floor', '#1e8449', 55_000, 15_000),
    category('pit', 'Pit', '#8e44ad', 60_000),
  ],
  zones: { Floor: 'floor', Pit: 'pit' },
  admission: { pit: { days: 'all', entries_per_day: 1, reentry: true } },
}

/** The list with the ids of its zones. */
export function withZoneIds(prices: DemoPrices, { zones }: LayoutConfig): PriceListConfig {
  const idOf = new Map(zones.map(({ name, zone_id }) => [name, zone_id]))
  const entries = Object.entries(prices.zones ?? {}).map(([name, key]) => [idOf.get(name)!, key])
  return { ...prices, zones: Object.fromEntries(entries) }
}
