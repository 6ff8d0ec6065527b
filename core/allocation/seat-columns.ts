import { type GroupType, type Point, SEAT_CATEGORIES } from '../layout/model.ts'
import { compileHall, type Hall, NO_PRICE_CATEGORY } from './hall.ts'

/** The seats of a layout version, as they go to the thread that looks for rows and neighbours. By ordinal. */
export interface SeatColumns {
  readonly zoneOf: Uint16Array
  /** Index into SEAT_CATEGORIES. */
  readonly category: Uint8Array
  readonly rows: readonly string[]
  readonly numbers: readonly (number | string)[]
  readonly x: Float64Array
  readonly y: Float64Array
  /** -1: none. */
  readonly companion: Int32Array
  /** Index into `prices`; NO_PRICE_CATEGORY: none. */
  readonly price: Uint16Array
  /** This is what the layout says of an aisle after the seat: 1 there is one, 0 there is none, -1 nothing. */
  readonly aisle: Int8Array
  readonly zones: readonly {
    readonly metadata: Readonly<Record<string, unknown>>
    readonly level: string | null
  }[]
  readonly groups: readonly {
    readonly groupType: GroupType
    readonly ordinals: readonly number[]
    readonly metadata: Readonly<Record<string, unknown>>
  }[]
  readonly prices: readonly string[]
  readonly focalPoint: Point | null
}

export function hallOf(columns: SeatColumns): Hall {
  const {
    zoneOf,
    category,
    rows,
    numbers,
    x,
    y,
    companion,
    price,
    aisle,
    prices,
    zones,
    groups,
    focalPoint,
  } = columns
  return compileHall({
    zones,
    groups,
    focalPoint,
    priceCategories: prices.map(key => ({ key })),
    seats: rows.map((row, ordinal) => ({
      zoneIndex: zoneOf[ordinal]!,
      row,
      number: numbers[ordinal]!,
      x: x[ordinal]!,
      y: y[ordinal]!,
      aisleAfter: aisle[ordinal] === -1 ? null : aisle[ordinal] === 1,
      category: SEAT_CATEGORIES[category[ordinal]!]!,
      priceCategory: price[ordinal] === NO_PRICE_CATEGORY ? null : prices[price[ordinal]!]!,
      companionOrdinal: companion[ordinal] === -1 ? null : companion[ordinal]!,
    })),
  })
}
