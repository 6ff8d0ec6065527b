import type { TenantTx } from '@voelgoed/kit/postgres/database'

/**
 * The seats of an event are blocked by its overlay, by staff by hand, or by both. A seat is on sale again
 * when neither does. The overlay of a draft is not here yet, but in the event's row: it moves here when the
 * event is published.
 */
export type Blocker = 'overlay' | 'hand'

export interface SeatBlocks {
  readonly overlay: readonly string[]
  readonly hand: readonly string[]
}

export async function readSeatBlocks(tx: TenantTx, eventId: string): Promise<SeatBlocks> {
  const rows = await tx.query<{ seat_id: string; by_overlay: boolean; by_hand: boolean }>(
    `select seat_id, by_overlay, by_hand from seat_blocks where organization_id = $1 and event_id = $2
     order by seat_id`,
    [eventId],
  )
  const of = (by: (row: (typeof rows)[number]) => boolean) => rows.filter(by).map(row => row.seat_id)
  return { overlay: of(row => row.by_overlay), hand: of(row => row.by_hand) }
}

export async function addSeatBlocks(
  tx: TenantTx,
  eventId: string,
  by: Blocker,
  seatIds: readonly string[],
): Promise<void> {
  if (seatIds.length === 0) return
  await tx.query(
    `insert into seat_blocks (organization_id, event_id, seat_id, by_${by})
     select $1, $2, seat_id, true from unnest($3::uuid[]) as seat_id
     on conflict (organization_id, event_id, seat_id) do update set by_${by} = true`,
    [eventId, seatIds],
  )
}

/** Returns the seats that stay blocked, by the other of the two. */
export async function removeSeatBlocks(
  tx: TenantTx,
  eventId: string,
  by: Blocker,
  seatIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (seatIds.length === 0) return new Set()
  const other = by === 'overlay' ? 'hand' : 'overlay'
  await tx.query(
    `delete from seat_blocks
     where organization_id = $1 and event_id = $2 and seat_id = any ($3::uuid[]) and not by_${other}`,
    [eventId, seatIds],
  )
  const kept = await tx.query<{ seat_id: string }>(
    `update seat_blocks set by_${by} = false
     where organization_id = $1 and event_id = $2 and seat_id = any ($3::uuid[]) returning seat_id`,
    [eventId, seatIds],
  )
  return new Set(kept.map(row => row.seat_id))
}
