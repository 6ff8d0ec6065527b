import { levelsOf } from '@voelgoed/core/layout/levels'
import type { Point } from '@voelgoed/core/layout/model'
import {
  GROUP_SALES,
  type HeaderZone,
  MAP_COLUMNS,
  MAP_MAGIC,
  type MapColumn,
  type MapHeader,
} from '@voelgoed/core/map/format'
import { ByteReader, eachRun, MapFormatError } from './byte-reader.ts'
import { boundsOf, completeOutlines } from './geometry.ts'
import { type MapGroup, type MapModel, type MapRow, type MapZone, NO_ZONE } from './model.ts'
import { SeatNames } from './seat-names.ts'

/** Reads a map document (docs/map-format.md). Throws MapFormatError at anything else. */
export function decodeMap(document: ArrayBuffer | Uint8Array): MapModel {
  const bytes = document instanceof Uint8Array ? document : new Uint8Array(document)
  const { header, columns } = split(bytes)
  const ordinalCount = header.ordinals
  const zoneOf = new Uint16Array(ordinalCount).fill(NO_ZONE)
  /** Seat number n of the columns has this ordinal. */
  const ordinals = ordinalsOf(header.zones, ordinalCount, zoneOf)
  const seatCount = ordinals.length

  const rows = readRows(columns.rows, header, ordinals)
  const readPlaces = <Places extends Float32Array | Float64Array>(x: Places, y: Places) => {
    readCoordinates(columns.x, rows, ordinals, x, header.origin[0], header.per_unit)
    readCoordinates(columns.y, rows, ordinals, y, header.origin[1], header.per_unit)
    return { x, y }
  }
  const { x, y } = readPlaces(new Float32Array(ordinalCount), new Float32Array(ordinalCount))

  const categoryOf = new Uint8Array(ordinalCount)
  eachRun(columns.categories, seatCount, (value, from, count) =>
    fill(categoryOf, ordinals, value, from, count),
  )
  const priceOf = new Int32Array(ordinalCount).fill(-1)
  eachRun(columns.prices, seatCount, (value, from, count) => fill(priceOf, ordinals, value - 1, from, count))

  const zoneRows: MapRow[][] = header.zones.map(() => [])
  for (const row of rows) zoneRows[zoneOf[row.firstOrdinal]!]!.push(row)
  const { pitch } = header
  const zones = completeOutlines(
    header.zones.map((zone, index) => toZone(zone, zoneRows[index]!)),
    { x, y, pitch },
  )
  const shapes = header.shapes.map(shape => ({ ...shape, points: toPoints(shape.points) }))
  const focalPoint = header.focal_point && { x: header.focal_point[0], y: header.focal_point[1] }
  const levels = levelsOf(zones)
  const names = new SeatNames(header, columns, ordinals, rows, zones, zoneOf)
  const aisles = readAisles(columns.aisles)

  return {
    layoutId: header.layout_id,
    version: header.version,
    ordinalCount,
    seatCount,
    zones,
    levels: levels.length > 1 ? levels : [],
    x,
    y,
    zoneOf,
    categoryOf,
    priceOf,
    priceCategories: header.price_categories,
    shapes,
    focalPoint,
    bounds: boundsOf(zones, shapes, focalPoint),
    pitch,
    groups: readGroups(columns.groups, zoneOf),
    has: ordinal => ordinal >= 0 && ordinal < ordinalCount && zoneOf[ordinal] !== NO_ZONE,
    rowOf: ordinal => names.rowOf(ordinal),
    numberOf: ordinal => names.numberOf(ordinal),
    labelOf: ordinal => names.labelOf(ordinal),
    companionOf: ordinal => names.companionOf(ordinal),
    aisleAfter: ordinal => aisles.get(ordinal) ?? null,
    exactPlaces: () => readPlaces(new Float64Array(ordinalCount), new Float64Array(ordinalCount)),
    seatIdOf: ordinal => names.seatIdOf(ordinal),
    ordinalOf: (seatId, hint) => names.ordinalOf(seatId, hint),
  }
}

function split(bytes: Uint8Array): { header: MapHeader; columns: Record<MapColumn, Uint8Array> } {
  if (bytes.length < 8) throw new MapFormatError('it is too short')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0, true) !== MAP_MAGIC) throw new MapFormatError('it does not begin with VGM1')
  const headerEnd = 8 + view.getUint32(4, true)
  if (headerEnd > bytes.length) throw new MapFormatError('its header is cut off')
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, headerEnd))) as MapHeader
  const ends: number[] = []
  for (const length of header.columns) ends.push((ends.at(-1) ?? headerEnd) + length)
  if (ends.at(-1) !== bytes.length) throw new MapFormatError('its columns are cut off')
  // An older document has fewer columns, a newer one has more.
  const columns = Object.fromEntries(
    MAP_COLUMNS.map((name, index) => {
      const begin = index === 0 ? headerEnd : (ends[index - 1] ?? bytes.length)
      return [name, bytes.subarray(begin, ends[index] ?? bytes.length)]
    }),
  ) as Record<MapColumn, Uint8Array>
  return { header, columns }
}

function readAisles(bytes: Uint8Array): Map<number, boolean> {
  const aisles = new Map<number, boolean>()
  const reader = new ByteReader(bytes)
  let ordinal = 0
  while (!reader.isAtEnd) {
    const entry = reader.unsigned()
    ordinal += entry >>> 1
    aisles.set(ordinal, (entry & 1) === 1)
  }
  return aisles
}

function readGroups(bytes: Uint8Array, zoneOf: Uint16Array): MapGroup[] {
  const groups: MapGroup[] = []
  const reader = new ByteReader(bytes)
  let first = 0
  while (!reader.isAtEnd) {
    const sale = GROUP_SALES[reader.unsigned()]
    if (sale === undefined) throw new MapFormatError('a group is sold in an unknown way')
    const count = reader.unsigned()
    first += reader.signed()
    const ordinals = [first]
    while (ordinals.length < count) ordinals.push(ordinals.at(-1)! + reader.unsigned())
    if (ordinals.some(ordinal => (zoneOf[ordinal] ?? NO_ZONE) === NO_ZONE)) {
      throw new MapFormatError('a group has seats that do not exist')
    }
    groups.push({ sale, ordinals })
  }
  return groups
}

function ordinalsOf(zones: readonly HeaderZone[], ordinalCount: number, zoneOf: Uint16Array): Uint32Array {
  const seatCount = zones.reduce((sum, zone) => sum + zone.seat_count, 0)
  const ordinals = new Uint32Array(seatCount)
  let at = 0
  for (const [index, zone] of zones.entries()) {
    const end = zone.first_ordinal + zone.seat_count
    if (end > ordinalCount) throw new MapFormatError('a zone has seats that do not exist')
    zoneOf.fill(index, zone.first_ordinal, end)
    for (let ordinal = zone.first_ordinal; ordinal < end; ordinal += 1) ordinals[at++] = ordinal
  }
  return ordinals
}

/** A run of a row never goes on in the next zone, so its seats' ordinals follow each other. */
function readRows(bytes: Uint8Array, header: MapHeader, ordinals: Uint32Array): MapRow[] {
  const rows: MapRow[] = []
  eachRun(bytes, ordinals.length, (value, from, seatCount) => {
    const label = header.row_labels[value]
    if (label === undefined) throw new MapFormatError('a row has no label')
    rows.push({ label, firstOrdinal: ordinals[from]!, seatCount })
  })
  return rows
}

/** The other half of predictAlongRows in core/map/quantise.ts. */
function readCoordinates(
  bytes: Uint8Array,
  rows: readonly MapRow[],
  ordinals: Uint32Array,
  target: Float32Array | Float64Array,
  origin: number,
  perUnit: number,
): void {
  const reader = new ByteReader(bytes)
  let at = 0
  let first = 0
  let betweenRows = 0
  let betweenSeats = 0
  for (const { seatCount } of rows) {
    let expected = first + betweenRows
    let last = 0
    for (let index = 0; index < seatCount; index += 1, at += 1) {
      const value = expected + reader.signed()
      target[ordinals[at]!] = origin + value / perUnit
      if (index === 0) {
        betweenRows = value - first
        first = value
        expected = value + betweenSeats
      } else {
        const step = value - last
        if (index === 1) betweenSeats = step
        expected = value + step
      }
      last = value
    }
  }
}

function fill(
  target: Uint8Array | Int32Array,
  ordinals: Uint32Array,
  value: number,
  from: number,
  count: number,
): void {
  for (let at = from; at < from + count; at += 1) target[ordinals[at]!] = value
}

function toZone(zone: HeaderZone, rows: readonly MapRow[]): MapZone {
  return {
    zoneId: zone.zone_id,
    name: zone.name,
    zoneType: zone.zone_type,
    capacity: zone.capacity,
    accessMode: zone.access_mode,
    membershipTier: zone.membership_tier,
    allowedRoles: zone.allowed_roles,
    pricingRuleId: zone.pricing_rule_id,
    outline: zone.outline ? toPoints(zone.outline) : [],
    firstOrdinal: zone.first_ordinal,
    seatCount: zone.seat_count,
    rows,
    rank: zone.rank ?? 0,
    level: zone.level ?? null,
  }
}

function toPoints(flat: readonly number[]): Point[] {
  return Array.from({ length: flat.length >> 1 }, (_, index) => ({
    x: flat[index * 2]!,
    y: flat[index * 2 + 1]!,
  }))
}
