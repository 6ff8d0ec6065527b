import type { StateRows } from '@voelgoed/core/event/restore'
import type { SeatMap, SeatStatus } from '@voelgoed/core/event/state'
import type { CheckoutId, EventId, HoldId, UserId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { entriesBetween } from './journal.ts'

/** Reads the event as it stands now. The caller reads the ledger's seq in the same snapshot. */
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
    /** Takes count against their user for so long. Null: the caller does not need them. */
    windowSeconds: number | null
    /** The zone of each seat, by ordinal. */
    zoneOf: SeatMap['zoneOf']
    zonesWithoutSeats: readonly number[]
    /** True for a wheelchair seat, by ordinal: the state must know who bought it. */
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
