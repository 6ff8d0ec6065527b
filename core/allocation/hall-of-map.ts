import type { GroupSale } from '../layout/meaning.ts'
import { type Point, type PriceCategory, SEAT_CATEGORIES } from '../layout/model.ts'
import { compileHallOnGrid, type Hall, type HallPlan, middleOfFirstRow } from './hall.ts'

/** A map document as the page decodes it: lists by ordinal. */
interface DecodedMap {
  /** Seats of the layout version. Those of closed zones are not in the document, and in no row of `zones`. */
  readonly ordinalCount: number
  readonly zones: readonly {
    readonly rank: number
    readonly level: string | null
    readonly rows: readonly {
      readonly label: string
      readonly firstOrdinal: number
      readonly seatCount: number
    }[]
  }[]
  /** Index into SEAT_CATEGORIES. */
  readonly categoryOf: Uint8Array
  /** Index into `priceCategories`, or −1. */
  readonly priceOf: Int32Array
  readonly priceCategories: readonly PriceCategory[]
  readonly focalPoint: Point | null
  readonly groups: readonly { readonly sale: GroupSale; readonly ordinals: readonly number[] }[]
  numberOf(ordinal: number): number | string
  companionOf(ordinal: number): number | null
  aisleAfter(ordinal: number): boolean | null
  exactPlaces(): { readonly x: Float64Array; readonly y: Float64Array }
}

/**
 * The hall of an event, from its map document. With all zones open it is the hall that `compileHall` makes of
 * the layout. Seats of closed zones are in a zone of their own, the last one, which no wish names: rows,
 * neighbours, companions and groups of all others are as in the layout; costs are counted from the seats
 * that are there.
 */
export function hallOfMap(map: DecodedMap): Hall {
  const { x, y } = map.exactPlaces()
  const seats = new Array<HallPlan['seats'][number]>(map.ordinalCount)
  const shown: HallPlan['seats'][number][] = []
  for (const [zoneIndex, { rows }] of map.zones.entries()) {
    for (const { label, firstOrdinal, seatCount } of rows) {
      for (let ordinal = firstOrdinal; ordinal < firstOrdinal + seatCount; ordinal += 1) {
        const seat = {
          zoneIndex,
          row: label,
          number: map.numberOf(ordinal),
          aisleAfter: map.aisleAfter(ordinal),
          category: SEAT_CATEGORIES[map.categoryOf[ordinal]!]!,
          priceCategory: map.priceCategories[map.priceOf[ordinal]!]?.key ?? null,
          companionOrdinal: map.companionOf(ordinal),
          x: x[ordinal]!,
          y: y[ordinal]!,
        }
        seats[ordinal] = seat
        shown.push(seat)
      }
    }
  }
  const focalPoint = map.focalPoint ?? middleOfFirstRow(shown)
  const zones: HallPlan['zones'][number][] = map.zones.map(({ rank, level }) => ({
    metadata: { rank },
    level,
  }))
  if (shown.length < map.ordinalCount) {
    const closed = closedSeat(zones.push({ metadata: {} }) - 1, focalPoint)
    for (let ordinal = 0; ordinal < map.ordinalCount; ordinal += 1) seats[ordinal] ??= closed
  }
  return compileHallOnGrid({
    zones,
    seats,
    groups: map.groups.map(({ sale, ordinals }) => ({
      ordinals,
      groupType: 'family_block',
      metadata: sale === 'whole' ? { sell: 'whole' } : {},
    })),
    priceCategories: map.priceCategories,
    focalPoint,
  })
}

/** At the front, so that no other seat is nearer to it or farther because of it. */
function closedSeat(zoneIndex: number, { x, y }: Point): HallPlan['seats'][number] {
  return {
    zoneIndex,
    row: '',
    number: 0,
    aisleAfter: null,
    category: 'standard',
    priceCategory: null,
    companionOrdinal: null,
    x,
    y,
  }
}
