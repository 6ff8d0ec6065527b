import { MapEncoder, type MapPlan, type SeatPage } from '@voelgoed/core/map/encode'

/** To the thread that encodes: the plan, then pages of seats (seat-pages.ts), then `end`. */
export type MapMessage = { readonly plan: MapPlan } | { readonly page: string } | { readonly end: true }

let encoder: MapEncoder | null = null

/** In a thread: the map of one plan after another. */
export function encodeMap(message: MapMessage): Uint8Array | undefined {
  if ('plan' in message) encoder = new MapEncoder(message.plan)
  else if ('page' in message) encoder!.add(readPage(message.page))
  else {
    const bytes = encoder!.finish()
    encoder = null
    return bytes
  }
  return undefined
}

type Columns = [
  number,
  string[],
  string[],
  string[],
  string[],
  string[],
  (string | null)[],
  number[],
  number[],
  (number | null)[],
  (boolean | null)[],
]

function readPage(text: string): SeatPage {
  const [firstOrdinal, seatIds, labels, rows, numbers, categories, prices, x, y, companions, aisles] =
    JSON.parse(text) as Columns
  return { firstOrdinal, seatIds, labels, rows, numbers, categories, prices, x, y, companions, aisles }
}
