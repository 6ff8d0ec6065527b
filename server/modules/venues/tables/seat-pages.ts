import type { TenantTx } from '@voelgoed/kit/postgres/database'

const SEATS_PER_PAGE = 10_000

/**
 * Seats by ordinal, a page at a time, as the text of a JSON array of columns: for another thread to read.
 * Rows would be parsed and copied on the thread that serves buyers; a text is passed on.
 *
 *   [first ordinal, seat ids, labels, rows, numbers, categories, price categories, x, y,
 *   companions' ordinals, aisles]
 */
export async function* readSeatPages(
  tx: TenantTx,
  layout: { layoutId: string; version: number; seatCount: number },
): AsyncGenerator<string> {
  for (let first = 0; first < layout.seatCount; first += SEATS_PER_PAGE) {
    const page = await tx.one<{ columns: string }>(
      `select json_build_array($4::int, json_agg(s.seat_id), json_agg(s.label), json_agg(s.row_label),
         json_agg(s.number), json_agg(s.category), json_agg(s.price_category), json_agg(s.x), json_agg(s.y),
         json_agg(s.companion_ordinal), json_agg(s.aisle_after))::text as columns
       from (select * from seats where organization_id = $1 and layout_id = $2 and version = $3
         and ordinal >= $4 and ordinal < $5 order by ordinal) s`,
      [layout.layoutId, layout.version, first, first + SEATS_PER_PAGE],
    )
    yield page!.columns
  }
}
