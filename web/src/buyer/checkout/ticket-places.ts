import type { Words } from '../../kit/words/en.ts'
import { seatRanges } from '../event/hall/seat-ranges.ts'

interface Place {
  readonly zone_name: string
  readonly row: string | null
  readonly seat_number: number | string | null
}

/** In full, as a ticket is called: `Stalls, row G, seat 19`. */
export function ticketPlace({ zone_name, row, seat_number }: Place, { seatCard }: Words): string {
  return row === null ? zone_name : seatCard.name(zone_name, row, String(seat_number))
}

/** In brief, as a holder looks for them: `Stalls G 19, 20 · Pit`. */
export function placesInBrief(places: readonly Place[]): string {
  const rows = new Map<string, (number | string)[]>()
  for (const { zone_name, row, seat_number } of places) {
    const name = row === null ? zone_name : `${zone_name} ${row}`
    rows.set(name, [...(rows.get(name) ?? []), ...(seat_number === null ? [] : [seat_number])])
  }
  return [...rows].map(([name, seats]) => `${name} ${seatRanges(seats)}`.trim()).join(' · ')
}
