import { randomInt } from 'node:crypto'
import { NO_PRICE_CATEGORY } from '@voelgoed/core/allocation/hall'
import { SeatIds } from '@voelgoed/core/event/seat-ids'
import { SeatNames } from '@voelgoed/core/event/seat-names'
import type { LayoutId, SeatId } from '@voelgoed/core/ids'
import { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
import { canonicalNumber } from '@voelgoed/core/layout/seat-number'
import type { LayoutSeats } from '@voelgoed/engine/ports/event-source'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { findLayoutVersion, readGroups, readZones } from './layouts.ts'

/** Reads the seats of a layout version as the engine wants them. Null: there is no such version any more. */
export async function readLayoutSeats(
  tx: TenantTx,
  layoutId: LayoutId,
  version: number,
): Promise<LayoutSeats | null> {
  const layout = await findLayoutVersion(tx, layoutId, version)
  if (!layout) return null
  const zones = await readZones(tx, layoutId, version)
  const { seatCount } = layout
  const rows = new Array<string>(seatCount)
  const numbers = new Array<number | string>(seatCount)
  // Tenants choose the ids of their seats, and so must not know their places in the index.
  const seatIds = new SeatIds([], { count: seatCount, seed: randomInt(2 ** 32) })
  const category = new Uint8Array(seatCount)
  const zoneOf = new Uint16Array(seatCount)
  for (const [index, zone] of zones.entries()) {
    zoneOf.fill(index, zone.firstOrdinal, zone.firstOrdinal + zone.seatCount)
  }
  const columns = {
    x: new Float64Array(seatCount),
    y: new Float64Array(seatCount),
    companion: new Int32Array(seatCount).fill(-1),
    price: new Uint16Array(seatCount).fill(NO_PRICE_CATEGORY),
    aisle: new Int8Array(seatCount).fill(-1),
  }
  const { priceCategories, focalPoint } = layout.drawing
  const prices = priceCategories.map(({ key }) => key)
  const priceOf = new Map(prices.map((key, index) => [key, index]))
  const pages = tx.pages<{
    ordinal: number
    seat_id: SeatId
    category: (typeof SEAT_CATEGORIES)[number]
    row_label: string
    number: string
    x: number
    y: number
    companion_ordinal: number | null
    price_category: string | null
    aisle_after: boolean | null
  }>(
    `select ordinal, seat_id, category, row_label, number, x, y, companion_ordinal, price_category,
       aisle_after
     from seats
     where organization_id = $1 and layout_id = $2 and version = $3 order by ordinal`,
    [layoutId, version],
  )
  for await (const page of pages) {
    for (const seat of page) {
      const { ordinal } = seat
      seatIds.add(seat.seat_id, ordinal)
      category[ordinal] = SEAT_CATEGORIES.indexOf(seat.category)
      rows[ordinal] = seat.row_label
      numbers[ordinal] = canonicalNumber(seat.number)
      columns.x[ordinal] = seat.x
      columns.y[ordinal] = seat.y
      columns.companion[ordinal] = seat.companion_ordinal ?? -1
      const price = seat.price_category === null ? undefined : priceOf.get(seat.price_category)
      if (price !== undefined) columns.price[ordinal] = price
      if (seat.aisle_after !== null) columns.aisle[ordinal] = seat.aisle_after ? 1 : 0
    }
  }
  const groups = await readGroups(tx, layoutId, version)
  return {
    madeAt: layout.createdAt,
    prices,
    columns: {
      ...columns,
      zoneOf,
      category,
      rows,
      numbers,
      zones: zones.map(({ metadata, level }) => ({ metadata, level })),
      groups: groups.map(({ group_type: groupType, ordinals, metadata }) => ({
        groupType,
        ordinals,
        metadata,
      })),
      prices,
      focalPoint,
    },
    mapOf: hall => ({
      map: { count: seatCount, zoneOf, category, seatIds, hall },
      rows: new SeatNames(rows),
      numbers: new SeatNames(numbers),
    }),
  }
}
