import type { MapModel, MapRow, MapZone } from './model.ts'

/** The search means this of a zone: all of it, some rows, or some seats. */
export interface ZoneMatch {
  readonly zoneIndex: number
  /** By index of the row: null, all of the row; else ordinals. Missing: all rows. */
  readonly rows?: ReadonlyMap<number, readonly number[] | null>
}

/** A number alone means a seat in every row: the list shows no more than this. */
const MOST_SEATS = 200

/**
 * Finds sections, rows and seats by what a buyer types: `stalls`, `C`, `C 12`, `C12`, `C-12`, `stalls C 12`,
 * `201 row C`. Each word must be part of the section's name, or be the row, or be the seat's number.
 * `ignored`: words such as `row` and `seat` in the reader's language. Null: nothing was asked.
 */
export function findSeats(model: MapModel, query: string, ignored: readonly string[]): ZoneMatch[] | null {
  const skip = new Set(ignored.map(word => word.toLowerCase()))
  const words = query
    .toLowerCase()
    .split(/[\s,;·]+/)
    .filter(word => word !== '' && !skip.has(word))
    .slice(0, 6)
  if (words.length === 0) return null
  const found: ZoneMatch[] = []
  const room = { left: MOST_SEATS }
  for (const [zoneIndex, zone] of model.zones.entries()) {
    const match = matchZone(model, zone, words, room)
    if (match) found.push({ zoneIndex, ...match })
  }
  return found
}

type Rows = ReadonlyMap<number, readonly number[] | null>

/** The most exact meaning that fits: row and seat, then row, then section, then seat. */
function matchZone(
  model: MapModel,
  zone: MapZone,
  words: readonly string[],
  room: { left: number },
): Omit<ZoneMatch, 'zoneIndex'> | null {
  const parts = zone.name.toLowerCase().split(/\s+/)
  const isName = words.map(word => parts.some(part => part.startsWith(word)))
  const others = (...used: number[]) => isName.every((fits, at) => fits || used.includes(at))
  const indices = words.map((_, at) => at)
  for (const row of indices) {
    for (const seat of indices) {
      if (row === seat || !others(row, seat)) continue
      const rows = seatsIn(model, zone, label => (label === words[row] ? words[seat]! : null), room)
      if (rows.size > 0) return { rows }
    }
  }
  for (const at of indices.filter(index => others(index))) {
    const word = words[at]!
    const whole: Rows = new Map(
      zone.rows.flatMap((row, index) => (row.label.toLowerCase() === word ? [[index, null] as const] : [])),
    )
    if (whole.size > 0) return { rows: whole }
    // `C12`, and `C-12` as seats are called everywhere else.
    const joined = (label: string) =>
      word.startsWith(label) ? word.slice(label.length).replace(/^-/, '') : null
    const rows = seatsIn(model, zone, joined, room)
    if (rows.size > 0) return { rows }
  }
  if (others()) return {}
  for (const at of indices.filter(index => others(index))) {
    const rows = seatsIn(model, zone, () => words[at]!, room)
    if (rows.size > 0) return { rows }
  }
  return null
}

/** `numberIn`: the number that is looked for in a row of this label; null: none. */
function seatsIn(
  model: MapModel,
  zone: MapZone,
  numberIn: (label: string) => string | null,
  room: { left: number },
): Map<number, readonly number[]> {
  const found = new Map<number, readonly number[]>()
  for (const [index, row] of zone.rows.entries()) {
    const number = numberIn(row.label.toLowerCase())
    const seats = number ? seatsNumbered(model, row, number, room) : []
    if (seats.length > 0) found.set(index, seats)
  }
  return found
}

function seatsNumbered(model: MapModel, row: MapRow, number: string, room: { left: number }): number[] {
  const found: number[] = []
  for (let at = row.firstOrdinal; at < row.firstOrdinal + row.seatCount && room.left > 0; at += 1) {
    if (String(model.numberOf(at)).toLowerCase() !== number) continue
    found.push(at)
    room.left -= 1
  }
  return found
}
