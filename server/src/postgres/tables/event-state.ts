import { randomInt } from 'node:crypto'
import { type Hall, NO_PRICE_CATEGORY } from '@voelgoed/core/allocation/hall'
import type { SeatColumns } from '@voelgoed/core/allocation/seat-columns'
import type { StateRows } from '@voelgoed/core/event/restore'
import { SeatIds } from '@voelgoed/core/event/seat-ids'
import { SeatNames } from '@voelgoed/core/event/seat-names'
import type { SeatMap, SeatStatus } from '@voelgoed/core/event/state'
import type { CheckoutId, EventId, HoldId, SeatId, UserId } from '@voelgoed/core/ids'
import { SEAT_CATEGORIES, type Zone } from '@voelgoed/core/layout/model'
import { canonicalNumber } from '@voelgoed/core/layout/seat-number'
import type { TenantTx } from '../database.ts'
import { entriesBetween } from './journal.ts'
import { type Drawing, readGroups } from './layouts.ts'

/** What a layout version says of its seats: what the state machine wants, and how people call them. */
export interface ReadSeats {
  /** What the hall is made of: that takes long, and should wait until the transaction has ended. */
  readonly columns: SeatColumns
  mapOf(hall: Hall): { map: SeatMap; rows: SeatNames<string>; numbers: SeatNames<number | string> }
}

export async function readSeatMap(
  tx: TenantTx,
  layout: { layoutId: string; version: number; seatCount: number; drawing: Drawing },
  zones: readonly Zone[],
): Promise<ReadSeats> {
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
  const priceOf = new Map(priceCategories.map(({ key }, index) => [key, index]))
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
    [layout.layoutId, layout.version],
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
  const groups = await readGroups(tx, layout.layoutId, layout.version)
  return {
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
      prices: priceCategories.map(({ key }) => key),
      focalPoint,
    },
    mapOf: hall => ({
      map: { count: seatCount, zoneOf, category, seatIds, hall },
      rows: new SeatNames(rows),
      numbers: new SeatNames(numbers),
    }),
  }
}

/** What happened so far. Must be read in one snapshot together with the ledger's seq. */
export async function readStateRows(
  tx: TenantTx,
  eventId: EventId,
  {
    ledger,
    windowSeconds,
    zoneOf,
    zonesWithoutSeats,
    isWheelchair,
  }: {
    ledger: { seq: number; now: number }
    /** How long what was taken counts against the user who took it. Null: it is not asked for. */
    windowSeconds: number | null
    /** The zone of each seat, by ordinal. */
    zoneOf: SeatMap['zoneOf']
    zonesWithoutSeats: readonly number[]
    /** Of a seat, by ordinal: whether its buyer must be known. */
    isWheelchair(ordinal: number): boolean
  },
): Promise<StateRows> {
  const placeBuyers: StateRows['placeBuyers'][number][] = []
  const seats: StateRows['seats'][number][] = []
  const holds: StateRows['holds'][number][] = []
  const seatPages = tx.pages<{ ordinal: number; status: SeatStatus; version: number } & HoldColumns>(
    `select ordinal, status, version, ${HOLD_COLUMNS} from event_seats where organization_id = $1 and event_id = $2`,
    [eventId],
  )
  for await (const page of seatPages) {
    for (const row of page) {
      const { ordinal, status, version } = row
      seats.push({ ordinal, status, version })
      if (status === 'sold' && isWheelchair(ordinal)) placeBuyers.push({ ordinal, userId: row.user_id })
      if (status === 'held') holds.push(toHold(row, { ordinal, zoneIndex: zoneOf[ordinal]!, quantity: 1 }))
    }
  }
  const placePages = tx.pages<{ zone_index: number; quantity: number } & HoldColumns>(
    `select zone_index, quantity, ${HOLD_COLUMNS} from place_holds
     where organization_id = $1 and event_id = $2 and status = 'held'`,
    [eventId],
  )
  for await (const page of placePages) {
    for (const row of page) {
      holds.push(toHold(row, { ordinal: null, zoneIndex: row.zone_index, quantity: row.quantity }))
    }
  }
  const soldPlaces = await tx.query<{ zone_index: number; sold: number }>(
    `select zone_index, sold from zone_counts
     where organization_id = $1 and event_id = $2 and zone_index = any ($3::int[])`,
    [eventId, zonesWithoutSeats],
  )
  const released = await tx.query<{ zone_index: number }>(
    `select zone_index from zone_counts
     where organization_id = $1 and event_id = $2 and companions_released order by zone_index`,
    [eventId],
  )
  const recentHolds = windowSeconds === null ? [] : await readRecentHolds(tx, eventId, ledger, windowSeconds)
  return {
    seq: ledger.seq,
    seats,
    placeBuyers,
    companionsReleased: released.map(row => row.zone_index),
    holds,
    soldPlaces: soldPlaces.map(row => ({ zoneIndex: row.zone_index, sold: row.sold })),
    recentHolds,
  }
}

/**
 * Taken is what the journal says was taken, whatever became of it. Its times go up with the seq, which finds
 * the first of them; an hour's grace, because the database's clock may have been set back.
 */
async function readRecentHolds(
  tx: TenantTx,
  eventId: EventId,
  ledger: { seq: number; now: number },
  windowSeconds: number,
): Promise<StateRows['recentHolds']> {
  const since = ledger.now - windowSeconds * 1000
  const [first] = await tx.query<{ seq: number }>(
    'select first_seq_since($1, $2, to_timestamp($3::float8 / 1000.0))::float8 as seq',
    [eventId, since - CLOCK_GRACE_MS],
  )
  const recentHolds: StateRows['recentHolds'][number][] = []
  for (let from = first!.seq; from <= ledger.seq; from += ENTRIES_AT_ONCE) {
    const to = Math.min(from + ENTRIES_AT_ONCE - 1, ledger.seq)
    for (const { change } of await entriesBetween(tx, eventId, { from, to })) {
      if (change.kind !== 'seat_reserved' || change.at <= since) continue
      recentHolds.push({ userId: change.userId, at: change.at, places: change.quantity })
    }
  }
  return recentHolds.sort((a, b) => a.at - b.at)
}

/** The counters of the zones, as Postgres keeps them. */
export async function readZoneCounts(
  tx: TenantTx,
  eventId: EventId,
): Promise<{ zoneIndex: number; held: number; sold: number; blocked: number }[]> {
  return tx.query(
    `select zone_index as "zoneIndex", held, sold, blocked from zone_counts
     where organization_id = $1 and event_id = $2 order by zone_index`,
    [eventId],
  )
}

interface HoldColumns {
  hold_id: HoldId
  user_id: UserId
  ip: string | null
  held_until: number
  cap_until: number
  checkout_id: CheckoutId | null
  last_seq: number
}

const HOLD_COLUMNS = `hold_id, user_id, ip, checkout_id, last_seq::float8 as last_seq,
  floor(extract(epoch from held_until) * 1000)::float8 as held_until,
  floor(extract(epoch from cap_until) * 1000)::float8 as cap_until`

function toHold(
  row: HoldColumns,
  place: { ordinal: number | null; zoneIndex: number; quantity: number },
): StateRows['holds'][number] {
  return {
    holdId: row.hold_id,
    userId: row.user_id,
    ip: row.ip,
    ...place,
    heldUntil: row.held_until,
    capUntil: row.cap_until,
    checkoutId: row.checkout_id,
    lastSeq: row.last_seq,
  }
}

const CLOCK_GRACE_MS = 3_600_000
/** Entries of the journal that are in memory together. */
const ENTRIES_AT_ONCE = 20_000
