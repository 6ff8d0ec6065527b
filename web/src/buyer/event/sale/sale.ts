import type { Data, Occupancy } from '@voelgoed/client'
import { lastStartOf } from '@voelgoed/core/event/sale-window'
import type { ServerNow } from '../../../kit/state/server-time.svelte.ts'

type Event = Pick<Data<'GET /api/events/:event'>, 'status' | 'sale_start' | 'sales_end_at' | 'sales_paused'>

/** An event sells seats at this moment, or there is a reason why it does not. */
export type Sale =
  | { readonly kind: 'open' | 'closed' | 'paused' | 'cancelled' | 'over' | 'draft' | 'unknown' }
  | { readonly kind: 'not_yet'; readonly opensAt: number }

/**
 * The page offers what the server will surely grant: a sale opens when the server's clock has certainly
 * reached its start, and closes when that clock may have reached its end.
 */
export function saleOf(
  { status, sale_start, sales_end_at, sales_paused }: Event,
  now: ServerNow | null,
): Sale {
  switch (status) {
    case 'draft':
      return { kind: 'draft' }
    case 'cancelled':
      return { kind: 'cancelled' }
    case 'completed':
    case 'archived':
      return { kind: 'over' }
    case 'published':
    case 'live':
      break
    default:
      return status satisfies never
  }
  if (sales_paused) return { kind: 'paused' }
  if (sale_start === null && sales_end_at === null) return { kind: 'open' }
  if (now === null) return { kind: 'unknown' }
  if (sales_end_at !== null && Date.parse(sales_end_at) <= now.latest) return { kind: 'closed' }
  if (sale_start !== null && Date.parse(sale_start) > now.earliest)
    return { kind: 'not_yet', opensAt: Date.parse(sale_start) }
  return { kind: 'open' }
}

/** Something is free; all that is not sold is in carts of others; or all of it is sold. */
export type Fullness = 'free' | 'carts' | 'sold'

/** `mine`: seats and places that this buyer holds, which others can not wait for. */
export function fullnessOf(
  counts: Pick<Occupancy, 'available' | 'held' | 'sold'> | null,
  mine: number,
): Fullness {
  if (counts === null || counts.available > 0) return 'free'
  if (counts.held > mine) return 'carts'
  // A hall that is blocked as a whole, or is the buyer's own, is not sold out.
  return counts.sold > 0 && counts.held === 0 ? 'sold' : 'free'
}

/** It is over, or its last day has begun and no more of it is sold here. */
export function isPastEvent(
  event: Event & Pick<Data<'GET /api/events/:event'>, 'starts_at' | 'days'>,
  now: ServerNow | null,
): boolean {
  const { kind } = saleOf(event, now)
  if (kind !== 'closed' || now === null) return kind === 'over'
  const startsAt = event.starts_at === null ? null : Date.parse(event.starts_at)
  const begins = lastStartOf({ startsAt, days: event.days })
  return begins !== null && begins <= now.earliest
}

/** False: nothing of it is sold, for now or at all, and there is no hall to show. */
export function hasHall(sale: Sale): boolean {
  return sale.kind !== 'paused' && !isOver(sale)
}

/** Nothing of it will ever be sold again. */
export function isOver({ kind }: Sale): boolean {
  return kind === 'cancelled' || kind === 'over'
}
