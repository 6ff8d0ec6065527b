import { randomInt } from 'node:crypto'
import type { StateRows } from '@voelgoed/core/event/restore'
import { SeatIds } from '@voelgoed/core/event/seat-ids'
import { SeatNames } from '@voelgoed/core/event/seat-names'
import type { SeatMap, SeatStatus } from '@voelgoed/core/event/state'
import type { CheckoutId, EventId, HoldId, SeatId, UserId } from '@voelgoed/core/ids'
import { SEAT_CATEGORIES, type Zone } from '@voelgoed/core/layout/model'
import { canonicalNumber } from '@voelgoed/core/layout/seat-number'
import type { TenantTx } from '../database.ts'

/** What a layout version says of its seats: what the state machine wants, and how people call them. */
export async function readSeatMap(
  tx: TenantTx,
  layout: { layoutId: string; version: number; seatCount: number },
  zones: readonly Zone[],
): Promise<{ map: SeatMap; rows: SeatNames<string>; numbers: SeatNames<number | string> }> {
  const rows = new Array<string>(layout.seatCount)
  const numbers = new Array<number | string>(layout.seatCount)
  // Tenants choose the ids of their seats, and so must not know their places in the index.
  const seatIds = new SeatIds([], { count: layout.seatCount, seed: randomInt(2 ** 32) })
  const category = new Uint8Array(layout.seatCount)
  const zoneOf = new Uint16Array(layout.seatCount)
  for (const [index, zone] of zones.entries()) {
    zoneOf.fill(index, zone.firstOrdinal, zone.firstOrdinal + zone.seatCount)
  }
  const pages = tx.pages<{
    ordinal: number
    seat_id: SeatId
    category: (typeof SEAT_CATEGORIES)[number]
    row_label: string
    number: string
  }>(
    `select ordinal, seat_id, category, row_label, number from seats
     where organization_id = $1 and layout_id = $2 and version = $3 order by ordinal`,
    [layout.layoutId, layout.version],
  )
  for await (const page of pages) {
    for (const seat of page) {
      seatIds.add(seat.seat_id, seat.ordinal)
      category[seat.ordinal] = SEAT_CATEGORIES.indexOf(seat.category)
      rows[seat.ordinal] = seat.row_label
      numbers[seat.ordinal] = canonicalNumber(seat.number)
    }
  }
  const map = { count: layout.seatCount, zoneOf, category, seatIds }
  return { map, rows: new SeatNames(rows), numbers: new SeatNames(numbers) }
}

/** What happened so far. Must be read in one snapshot together with the ledger's seq. */
export async function readStateRows(
  tx: TenantTx,
  eventId: EventId,
  {
    ledger,
    windowSeconds,
    zonesWithoutSeats,
  }: {
    ledger: { seq: number; now: number }
    /** How long what was taken counts against the user who took it. */
    windowSeconds: number
    zonesWithoutSeats: readonly number[]
  },
): Promise<StateRows> {
  const seats: StateRows['seats'][number][] = []
  const seatPages = tx.pages<{ ordinal: number; status: SeatStatus; version: number }>(
    'select ordinal, status, version from event_seats where organization_id = $1 and event_id = $2',
    [eventId],
  )
  for await (const page of seatPages) seats.push(...page)

  const holds: StateRows['holds'][number][] = []
  const holdPages = tx.pages<{
    id: HoldId
    user_id: UserId
    ip: string | null
    ordinal: number | null
    zone_index: number
    quantity: number
    held_until: number
    cap_until: number
    checkout_id: CheckoutId | null
    last_seq: number
  }>(
    `select id, user_id, ip, ordinal, zone_index, quantity, checkout_id, last_seq::float8 as last_seq,
       floor(extract(epoch from held_until) * 1000)::float8 as held_until,
       floor(extract(epoch from cap_until) * 1000)::float8 as cap_until
     from seat_holds where organization_id = $1 and event_id = $2 and status = 'active'`,
    [eventId],
  )
  for await (const page of holdPages) {
    for (const row of page) {
      holds.push({
        holdId: row.id,
        userId: row.user_id,
        ip: row.ip,
        ordinal: row.ordinal,
        zoneIndex: row.zone_index,
        quantity: row.quantity,
        heldUntil: row.held_until,
        capUntil: row.cap_until,
        checkoutId: row.checkout_id,
        lastSeq: row.last_seq,
      })
    }
  }
  const soldPlaces = await tx.query<{ zone_index: number; sold: number }>(
    `select zone_index, sold from zone_counts
     where organization_id = $1 and event_id = $2 and zone_index = any ($3::int[])`,
    [eventId, zonesWithoutSeats],
  )
  // Ids of holds carry their time, so the primary key finds the recent ones without an index of its own. An
  // hour's grace, because that time came from a node's clock.
  const recentHolds = await tx.query<{ user_id: UserId; at: number; places: number }>(
    `select coalesce(taken_by, user_id) as user_id, coalesce(taken_quantity, quantity) as places,
       floor(extract(epoch from created_at) * 1000)::float8 as at
     from seat_holds
     where organization_id = $1 and id >= $3 and event_id = $2 and created_at > to_timestamp($4::float8 / 1000.0)
     order by created_at, id`,
    [eventId, firstIdAt(ledger.now - (windowSeconds + 3_600) * 1000), ledger.now - windowSeconds * 1000],
  )
  return {
    seq: ledger.seq,
    seats,
    holds,
    soldPlaces: soldPlaces.map(row => ({ zoneIndex: row.zone_index, sold: row.sold })),
    recentHolds: recentHolds.map(row => ({ userId: row.user_id, at: row.at, places: row.places })),
  }
}

/** The smallest UUID of version 7 with this time. */
function firstIdAt(ms: number): string {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}
