import type { Point, SeatConfig, ZoneConfig } from '../model.ts'
import { defaultLabel } from '../seat-number.ts'
import type { Section } from './tiers.ts'

export const PRICE_CATEGORIES = [
  { key: 'premium', label: 'Premium', color: '#8e44ad' },
  { key: 'first', label: 'First', color: '#2471a3' },
  { key: 'second', label: 'Second', color: '#1e8449' },
  { key: 'third', label: 'Third', color: '#b9770e' },
] as const

interface Dressing {
  readonly random: () => number
  /** Pillars hold up the level above, and stand in the view of the seats behind them. */
  readonly pillars: boolean
}

/** Turns bare sections into zones: rows, numbers, prices, wheelchair places, seats behind pillars. */
export function dressSections(
  sections: readonly Section[],
  { random, pillars }: Dressing,
): { zones: ZoneConfig[]; pillars: { points: Point[]; tierIndex: number }[] } {
  const lastTier = Math.max(...sections.map(({ tierIndex }) => tierIndex))
  const drawn: { points: Point[]; tierIndex: number }[] = []
  const zones = sections.map((section): ZoneConfig => {
    const rows = section.rows.map((row, rowIndex) => dressRow(section, row, rowIndex))
    addWheelchairPlaces(section, rows, random)
    const { tierIndex } = section
    if (pillars && tierIndex < lastTier) {
      drawn.push(...addPillars(section, rows, random).map(points => ({ points, tierIndex })))
    }
    return {
      name: section.name,
      zone_type: 'reserved_seating',
      outline: [...section.outline],
      seats: rows.flat(),
    }
  })
  return { zones, pillars: drawn }
}

/** A … Z, AA, AB … */
export function rowLabel(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : rowLabel(Math.floor(index / 26) - 1) + last
}

function dressRow(section: Section, row: readonly Point[][], rowIndex: number): SeatConfig[] {
  const inFront = rowIndex < section.rows.length / 3
  const price = Math.min(section.tierIndex + (section.tierIndex === 0 && inFront ? 0 : 1), 3)
  return row.flat().map((coordinates, index) => ({
    row: rowLabel(rowIndex),
    number: index + 1,
    price_category: PRICE_CATEGORIES[price]!.key,
    coordinates,
  }))
}

/**
 * Pairs of a wheelchair place and a companion seat along the rear row, for more than one seat in a hundred.
 */
function addWheelchairPlaces(section: Section, rows: readonly SeatConfig[][], random: () => number): void {
  const rowIndex = rows.findLastIndex(({ length }) => length > 1)
  const row = rows[rowIndex]
  if (!row) return
  const seats = rows.reduce((sum, { length }) => sum + length, 0)
  const places = neighboursIn(section.rows[rowIndex]!)
  const pairs = Math.min(Math.ceil(places.length / 2), Math.ceil(seats / 150))
  for (let pair = 0; pair < pairs; pair++) {
    const at = places[Math.floor(((pair + random()) * places.length) / pairs)]!
    const wheelchair = row[at]!
    const companion = row[at + 1]!
    wheelchair.category = 'wheelchair'
    wheelchair.companion_seat_label = defaultLabel(companion.row, companion.number)
    companion.category = 'companion'
  }
}

/**
 * Every other seat of a row that has its neighbour in the same block: 0 for seats 1 and 2, 2 for 3 and 4 …
 */
function neighboursIn(row: readonly Point[][]): number[] {
  const places: number[] = []
  let begin = 0
  for (const block of row) {
    for (let index = 0; index + 1 < block.length; index += 2) places.push(begin + index)
    begin += block.length
  }
  return places
}

/**
 * One pillar in each aisle between blocks; the seats beside the aisle, in the three rows behind, see less.
 */
function addPillars(section: Section, rows: readonly SeatConfig[][], random: () => number): Point[][] {
  return section.aisles.flatMap((aisle, aisleIndex) => {
    const pillarRow = Math.floor(rows.length * (0.5 + random() / 3))
    const place = aisle[pillarRow]
    if (!place) return []
    for (let rowIndex = pillarRow + 1; rowIndex <= pillarRow + 3 && rowIndex < rows.length; rowIndex++) {
      const blocks = section.rows[rowIndex]!.slice(0, aisleIndex + 1)
      const beside = blocks.reduce((sum, { length }) => sum + length, 0)
      for (const seat of [rows[rowIndex]![beside - 1], rows[rowIndex]![beside]]) {
        if (seat && !seat.category) seat.category = 'restricted_view'
      }
    }
    return [square(place, 4)]
  })
}

function square({ x, y }: Point, half: number): Point[] {
  return [
    { x: x - half, y: y - half },
    { x: x + half, y: y - half },
    { x: x + half, y: y + half },
    { x: x - half, y: y + half },
  ].map(point => ({ x: Math.round(point.x * 10) / 10, y: Math.round(point.y * 10) / 10 }))
}
