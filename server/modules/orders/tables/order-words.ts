import type { OrderStatus } from '@voelgoed/core/orders/order'
import { type SearchTerm, wordsOfOrder } from '@voelgoed/core/orders/order-words'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { LineRow, OrderRow } from './orders.ts'

/** A term with fewer words than this is read whole: the orders of a surname, of a seat in all events. */
const RARE = 2_000
/** Where all terms are in more words, a page looks at so many orders, the newest first. */
const WALK = 10_000

type Head = Pick<OrderRow, 'id' | 'number' | 'reference' | 'contact_name' | 'contact_email' | 'contact_phone'>
export type PlaceOfWords = Pick<LineRow, 'zone_name' | 'row' | 'seat_number' | 'attendee'>

/** Staff find the order by these from now on, and by no others. */
export async function writeOrderWords(
  tx: TenantTx,
  order: Head,
  places: readonly PlaceOfWords[],
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<void> {
  const words = wordsOfOrder({
    number: order.number,
    reference: order.reference,
    name: order.contact_name,
    email: order.contact_email,
    phone: order.contact_phone,
    places: places.map(({ zone_name, row, seat_number, attendee }) => {
      return { zone: zone_name, row, seat: seat_number, attendee }
    }),
  })
  // In one round trip.
  await Promise.all([
    !isNew &&
      tx.prepared(
        'delete_order_words',
        'delete from order_words where organization_id = $1 and order_id = $2 and word <> all ($3::text[])',
        [order.id, words],
      ),
    tx.prepared(
      'insert_order_words',
      `insert into order_words (organization_id, order_id, word)
       select $1, $2, w.word from unnest($3::text[]) w (word) on conflict do nothing`,
      [order.id, words],
    ),
  ])
}

/** The orders that a page of a search looks at. */
export interface FoundOrders {
  /** Newest first; the filter and all terms hold for them. */
  readonly ids: readonly string[]
  /** Orders before this one may be found too: it looked so far. Null: it has looked at all. */
  readonly lookedTo: string | null
}

interface SearchFilter {
  readonly eventId?: string
  readonly status?: OrderStatus
  readonly after?: string
  readonly limit: number
}

/** The terms as parameters $2 to $4: each range with the number of its term. */
function rangesOf(terms: readonly SearchTerm[]) {
  const ranges = terms.flatMap((term, index) => term.map(range => ({ ...range, index })))
  return [
    ranges.map(({ index }) => index),
    ranges.map(({ low }) => low),
    ranges.map(({ high }) => high),
  ] as const
}

const TERMS = 'unnest($2::int[], $3::text[], $4::text[]) t (index, low, high)'
/** True for an order `id` that has a word of each term. The index is in "C", so the ends of ranges are. */
const hasAllTerms = (id: string) => `(select count(distinct t.index) from ${TERMS} cross join lateral (
    select from order_words x where x.organization_id = $1 and x.order_id = ${id}
      and x.word >= t.low collate "C" and x.word < t.high collate "C" limit 1) x) = $5`
const FILTER = `o.organization_id = $1 and ($6::uuid is null or o.event_id = $6)
      and ($7::order_status is null or o.status = $7) and ($8::uuid is null or o.id < $8)`

/**
 * Finds orders by the words of a search: those of its rarest word, of which the others must hold too. If all
 * of its words are in many orders, the newest orders are looked through, so many for each page.
 */
export async function findByWords(
  tx: TenantTx,
  terms: readonly SearchTerm[],
  { eventId, status, after, limit }: SearchFilter,
): Promise<FoundOrders> {
  if (terms.length === 0) return { ids: [], lookedTo: null }
  const rarest = await rarestOf(tx, terms)
  const filter = [terms.length, eventId ?? null, status ?? null, after ?? null]
  if (rarest.count < RARE) {
    const rows = await tx.query<{ id: string }>(
      `select o.id from (select distinct w.order_id as id
           from unnest($9::text[], $10::text[]) r (low, high) cross join lateral (
             select order_id from order_words where organization_id = $1
               and word >= r.low collate "C" and word < r.high collate "C" offset 0) w) c
         cross join lateral (select id from orders o where o.id = c.id and ${FILTER} limit 1) o
       where ${hasAllTerms('o.id')}
       order by o.id desc limit $11`,
      [
        ...rangesOf(terms),
        ...filter,
        rarest.term.map(({ low }) => low),
        rarest.term.map(({ high }) => high),
        limit,
      ],
    )
    return { ids: rows.map(({ id }) => id), lookedTo: null }
  }
  const rows = await tx.query<{ id: string; last: string | null; walked: number }>(
    `with walked as materialized (
       select o.id from orders o where ${FILTER} order by o.id desc limit $9)
     (select w.id, null::uuid as last, 0 as walked from walked w where ${hasAllTerms('w.id')} order by w.id desc limit $10)
     union all
     select null, (select id from walked order by id limit 1), (select count(*)::int from walked)`,
    [...rangesOf(terms), ...filter, WALK, limit],
  )
  const { last, walked } = rows.at(-1)!
  const ids = rows.slice(0, -1).map(({ id }) => id)
  return { ids, lookedTo: ids.length < limit && walked === WALK ? last : null }
}

async function rarestOf(
  tx: TenantTx,
  terms: readonly SearchTerm[],
): Promise<{ term: SearchTerm; count: number }> {
  const rows = await tx.query<{ index: number; count: number }>(
    `select t.index, sum(c.count)::int as count from ${TERMS} cross join lateral (
       select count(*) as count from (select from order_words where organization_id = $1
         and word >= t.low collate "C" and word < t.high collate "C" limit ${RARE}) w) c
     group by t.index order by count, t.index limit 1`,
    [...rangesOf(terms)],
  )
  const { index, count } = rows[0]!
  return { term: terms[index]!, count }
}
