import { fromSpreadsheet, readCsv } from '../../csv.ts'
import { isUuid } from '../../ids.ts'
import { hasSeats, LAYOUT_LIMITS, SEAT_CATEGORIES, type SeatConfig, ZONE_TYPES } from '../model.ts'
import { canonicalNumber, defaultLabel } from '../seat-number.ts'
import { Cursor } from './cursor.ts'
import { type DraftZone, type LayoutDraft, shorten } from './draft.ts'
import type { ImportReport } from './report.ts'

/** The columns of a layout as CSV, in the order in which they are exported. Other names for them follow. */
export const CSV_COLUMNS = [
  'section',
  'row',
  'seat',
  'x',
  'y',
  'category',
  'kind',
  'label',
  'aisle_after',
  'companion',
  'places',
  'zone_type',
  'level',
  'seat_id',
] as const
export type CsvColumn = (typeof CSV_COLUMNS)[number]

const OTHER_NAMES: Readonly<Record<string, CsvColumn>> = {
  zone: 'section',
  block: 'section',
  number: 'seat',
  seat_number: 'seat',
  price_category: 'category',
  price: 'category',
  type: 'kind',
  capacity: 'places',
  floor: 'level',
}

/** An example with everything in it that a hall may have. */
export const CSV_TEMPLATE = [
  'section,row,seat,x,y,category,kind,label,aisle_after,places',
  'Stalls,A,1,0,0,Premium,,,,',
  'Stalls,A,2,10,0,Premium,,,yes,',
  'Stalls,A,3,30,0,Premium,,,,',
  'Stalls,B,1,0,16,Standard,wheelchair,,,',
  'Stalls,B,2,10,16,Standard,companion,,,',
  'Stalls,B,3,30,16,Standard,restricted_view,,,',
  'Pit,,,,,,standing,,,300',
  '',
].join('\r\n')

/**
 * A layout as a table: a line for each seat, or for a zone that is a number of places. Paths of faults are
 * `/lines/12/x`, by the lines of the text.
 */
export function readCsvLayout(text: string, draft: LayoutDraft, report: ImportReport): Cursor {
  const root = Cursor.root(toDocument(text, report), report)
  const lines = root.member('lines')
  const zones = new Map<string, DraftZone>()
  const seatIds = new Set<string>()
  const companions: NamedCompanion[] = []
  const known = new Set<string>()
  for (const line of Object.keys(lines.value as object)) {
    if (draft.isFull) break
    const at = lines.member(line)
    const section = at.requiredText('section')
    if (section === null) continue
    const kind = at.text('kind')?.toLowerCase() ?? null
    if (kind === 'stage') {
      const point = pointAt(at)
      if (point) draft.addFocalPoint(at, at, point)
    } else if (kind === 'standing' || (at.text('row') === null && at.text('places') !== null)) {
      addPlaces(draft, at, section)
    } else {
      let zone = zones.get(section)
      if (!zone) {
        zone = draft.addZone(at, section, { zone_type: zoneTypeAt(at, true), ...levelAt(at) })
        zones.set(section, zone)
      }
      addSeat(draft, zone, at, { kind, seatIds, companions, known })
    }
  }
  pairByLabel(companions)
  return root
}

interface NamedCompanion {
  readonly zone: DraftZone
  readonly at: Cursor
  readonly config: SeatConfig
  readonly labels: readonly string[]
}

interface SeatContext {
  readonly kind: string | null
  readonly seatIds: Set<string>
  readonly companions: NamedCompanion[]
  /** Price categories that are listed already. */
  readonly known: Set<string>
}

function addSeat(draft: LayoutDraft, zone: DraftZone, at: Cursor, context: SeatContext): void {
  const row = at.requiredText('row')
  const seat = at.requiredText('seat')
  const coordinates = pointAt(at)
  if (row === null || seat === null) return
  const number = canonicalNumber(seat)
  const wanted = at.text('label') ?? defaultLabel(row, number)
  const label = zone.labels.take(wanted)
  if (label !== wanted) {
    const message = `Seat ${wanted} is there twice; this one is ${label} now.`
    at.report.warn('label_not_unique', at, at, message)
  }
  const config: SeatConfig = { row, number, ...(coordinates && { coordinates }) }
  if (label !== defaultLabel(row, number)) config.label = label
  const category = SEAT_CATEGORIES.find(candidate => candidate === context.kind)
  if (category && category !== 'standard') config.category = category
  if (!category && context.kind !== null) {
    const message = `A seat is one of ${SEAT_CATEGORIES.join(', ')}; "${context.kind}" was taken for standard.`
    at.report.warn('kind_unknown', zone.at, at, message)
  }
  const price = at.text('category')
  if (price !== null) {
    if (!context.known.has(price)) draft.listCategory(at, price, null, null)
    context.known.add(price)
    config.price_category = price
  }
  const aisle = at.text('aisle_after')
  if (aisle !== null) config.aisle_after = /^(?:yes|y|true|1|x|ja|j)$/i.test(aisle)
  const seatId = readSeatId(at, context.seatIds)
  if (seatId !== null) config.seat_id = seatId
  const labels = (at.text('companion') ?? '')
    .split('|')
    .map(text => text.trim())
    .filter(Boolean)
  if (labels.length > 0) context.companions.push({ zone, at, config, labels })
  draft.addSeat(zone, { config, at })
}

function addPlaces(draft: LayoutDraft, at: Cursor, section: string): void {
  const text = at.text('places')
  // "1,000" may be a thousand or one: digits alone are certain.
  const places = text !== null && /^\d+$/.test(text) ? Number(text) : 0
  if (text === null) {
    at.member('places').fault('missing', 'Say how many people fit in.')
  } else if (places < 1) {
    const message = 'Give the places as a whole number of at least 1, in digits alone: 1000, not 1,000.'
    at.member('places').fault('capacity_not_whole', message)
  } else if (places > LAYOUT_LIMITS.zoneCapacity) {
    const message = `Give at most ${LAYOUT_LIMITS.zoneCapacity} places, or split the zone.`
    at.member('places').fault('capacity_too_large', message)
  } else draft.addZone(at, section, { zone_type: zoneTypeAt(at, false), capacity: places, ...levelAt(at) })
}

function zoneTypeAt(at: Cursor, withSeats: boolean): (typeof ZONE_TYPES)[number] {
  const said = at.text('zone_type')
  const known = ZONE_TYPES.find(candidate => candidate === said && hasSeats(candidate) === withSeats)
  return known ?? (withSeats ? 'reserved_seating' : 'ga_standing')
}

/** Reads the level in the line that names the section first. */
function levelAt(at: Cursor): { level?: string } {
  const level = at.text('level')
  return level === null ? {} : { level: shorten(level, LAYOUT_LIMITS.labelLength) }
}

function readSeatId(at: Cursor, taken: Set<string>): string | null {
  const text = at.text('seat_id')?.toLowerCase() ?? null
  if (text === null) return null
  if (isUuid(text) && !taken.has(text)) {
    taken.add(text)
    return text
  }
  at.report.warn('seat_id_dropped', at, at, 'This id is no UUID, or another seat has it; it was left out.')
  return null
}

/** A wheelchair place names companion seats of its section; what does not fit is left out. */
function pairByLabel(named: readonly NamedCompanion[]): void {
  const byZone = new Map<DraftZone, Map<string, SeatConfig>>()
  const claimed = new Set<SeatConfig>()
  for (const { zone, at, config, labels } of named) {
    if (config.category === 'companion') continue
    const known = byZone.get(zone) ?? seatsByLabel(zone)
    byZone.set(zone, known)
    const fitting = labels.filter(label => {
      const other = known.get(label)
      const fits = config.category === 'wheelchair' && other?.category === 'companion' && !claimed.has(other)
      if (fits) claimed.add(other)
      else {
        const message = `Seat ${label} is no companion seat of this section that is free for this place.`
        at.report.warn('companion_dropped', at, at, message)
      }
      return fits
    })
    const few = fitting.slice(0, LAYOUT_LIMITS.companionsPerPlace)
    if (few.length > 1) config.companion_seat_labels = few
    else if (few.length === 1) config.companion_seat_label = few[0]!
  }
}

function seatsByLabel({ config }: DraftZone): Map<string, SeatConfig> {
  return new Map(config.seats?.map(seat => [seat.label ?? defaultLabel(seat.row, seat.number), seat]))
}

/** Both numbers, or none: then the seat gets a place. */
function pointAt(at: Cursor): { x: number; y: number } | null {
  const x = numberAt(at, 'x')
  const y = numberAt(at, 'y')
  if (x !== null && y !== null) return { x, y }
  const missing = at.member(x === null ? 'x' : 'y')
  if ((x !== null || y !== null) && missing.isAbsent) missing.fault('missing', 'Give both x and y, or none.')
  return null
}

/** Spreadsheets of some countries write a decimal comma. */
function numberAt(at: Cursor, column: CsvColumn): number | null {
  const text = at.text(column)
  if (text === null) return null
  const number = Number(text.replace(',', '.'))
  if (Number.isFinite(number)) return number
  at.member(column).fault('not_a_number', 'Expected a number here.')
  return null
}

/** Members by column; what a cell does not have is absent. */
function toDocument(text: string, report: ImportReport): { lines: Record<string, Record<string, string>> } {
  const lines: Record<string, Record<string, string>> = {}
  const { records, broken } = readCsv(text, LAYOUT_LIMITS.seats + LAYOUT_LIMITS.zones + 1)
  if (broken) {
    const message = 'A quote is not closed, or text follows a closed quote: the rest can not be read.'
    report.faults.add(`/lines/${broken.line}`, 'csv_broken', message)
    return { lines }
  }
  const header = records[0]?.cells.map(cell => columnOf(cell)) ?? []
  for (const column of ['section', 'row', 'seat'] as const) {
    if (!header.includes(column)) {
      report.faults.add('/lines/1', 'column_missing', `The first line needs a column "${column}".`)
    }
  }
  if (report.faults.count > 0) return { lines }
  for (const [index, cell] of records[0]!.cells.entries()) {
    if (header[index] !== null || cell.trim() === '') continue
    const at = { path: `/lines/1/${index}` }
    report.warn('column_ignored', at, at, `There is no column "${cell.trim().slice(0, 60)}" in a layout.`)
  }
  for (const { line, cells } of records.slice(1)) {
    const members: Record<string, string> = {}
    for (const [index, cell] of cells.entries()) {
      const column = header[index]
      const value = fromSpreadsheet(cell).trim()
      if (column && value !== '') members[column] = value
    }
    lines[String(line)] = members
  }
  return { lines }
}

function columnOf(cell: string): CsvColumn | null {
  const name = cell
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  const known = CSV_COLUMNS.find(column => column === name)
  return known ?? (Object.hasOwn(OTHER_NAMES, name) ? OTHER_NAMES[name]! : null)
}
