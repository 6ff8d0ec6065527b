import { writeCsv } from '../csv.ts'
import { CSV_COLUMNS, type CsvColumn } from './import/csv.ts'
import type { Layout, Seat } from './model.ts'
import { defaultLabel } from './seat-number.ts'
import { CompanionLabels } from './to-config.ts'

/**
 * A layout as a table that can be read again: seats and places, without access, groups and drawings, which
 * the export as JSON has.
 */
export function toCsv(layout: Layout): string {
  const companions = new CompanionLabels(layout.seats.filter(seat => seat.companionOrdinal !== null))
  const rows: string[][] = [[...CSV_COLUMNS]]
  for (const zone of layout.zones) {
    const section = { section: zone.name, zone_type: zone.zoneType, level: zone.level ?? '' }
    if (zone.seatCount === 0) rows.push(line({ ...section, places: String(zone.capacity) }))
    for (let ordinal = zone.firstOrdinal; ordinal < zone.firstOrdinal + zone.seatCount; ordinal += 1) {
      const seat = layout.seats[ordinal]!
      const named = seat.category === 'wheelchair' ? companions.of(seat).join('|') : ''
      rows.push(line({ ...section, ...cellsOf(seat), companion: named }))
    }
  }
  const { focalPoint: stage } = layout
  if (stage) {
    // Every line names a section; that of the stage makes none.
    const section = layout.zones[0]?.name ?? 'Stage'
    rows.push(line({ section, kind: 'stage', x: String(stage.x), y: String(stage.y) }))
  }
  return writeCsv(rows)
}

function cellsOf(seat: Seat): Partial<Record<CsvColumn, string>> {
  return {
    row: seat.row,
    seat: String(seat.number),
    x: String(seat.x),
    y: String(seat.y),
    category: seat.priceCategory ?? '',
    kind: seat.category,
    label: seat.label === defaultLabel(seat.row, seat.number) ? '' : seat.label,
    aisle_after: seat.aisleAfter === null ? '' : seat.aisleAfter ? 'yes' : 'no',
    seat_id: seat.seatId,
  }
}

function line(cells: Partial<Record<CsvColumn, string>>): string[] {
  return CSV_COLUMNS.map(column => cells[column] ?? '')
}
