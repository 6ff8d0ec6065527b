import { LAYOUT_LIMITS, type Outline, type Point } from '../model.ts'
import { canonicalNumber, defaultLabel } from '../seat-number.ts'
import type { Cursor } from './cursor.ts'
import { addPoints, type DraftZone, type LayoutDraft } from './draft.ts'
import { ellipse, rectangle, turned } from './polygons.ts'

/**
 * A pretix seating plan. Each zone with seats becomes a reserved zone; a seat's place is the sum of its
 * zone's, its row's and its own position. A gap in a row is an aisle, by its distance. pretix knows no
 * capacities and no wheelchair places, so there are none to carry over.
 */
export function readPretix(root: Cursor, draft: LayoutDraft): void {
  for (const category of root.objects('categories')) {
    const name = category.requiredText('name')
    if (name !== null) draft.listCategory(category, name, null, category.text('color'))
  }

  const guids = new Map<string, Cursor>()
  for (const [index, zone] of root.objects('zones').entries()) {
    const origin = zone.point('position') ?? ORIGIN
    const name = zone.text('name') ?? zone.text('zone_id') ?? `Zone ${index + 1}`
    readRows(draft, zone, { name, origin, guids })
    const areas = zone.objects('areas')
    for (const area of areas) readArea(draft, zone, area, origin)
  }
}

const ORIGIN: Point = { x: 0, y: 0 }

interface ZoneContext {
  readonly name: string
  readonly origin: Point
  /** All seat_guids of the document so far. */
  readonly guids: Map<string, Cursor>
}

function readRows(draft: LayoutDraft, zone: Cursor, { name, origin, guids }: ZoneContext): void {
  let target: DraftZone | null = null
  const rows = zone.objects('rows')
  for (const [index, row] of rows.entries()) {
    const rowNumber = row.text('row_number') ?? positionInstead(zone, row, index)
    const rowName = fillIn(row.text('row_label'), rowNumber)
    const seatTemplate = row.text('seat_label')
    const rowOrigin = addPoints(origin, row.point('position') ?? ORIGIN)
    for (const [seatIndex, seat] of row.objects('seats').entries()) {
      if (draft.isFull) return
      target ??= draft.addZone(zone, name, { zone_type: 'reserved_seating' })
      const guid = readGuid(seat, guids)
      const seatNumber = seat.text('seat_number') ?? positionInstead(zone, seat, seatIndex)
      const number = canonicalNumber(seatNumber)
      const label = uniqueLabel(target, seat, `${rowName}-${fillIn(seatTemplate, seatNumber)}`, guid)
      const priceCategory = seat.text('category')
      if (priceCategory !== null) draft.useCategory(zone, seat.member('category'), priceCategory)
      const position = seat.member('position')
      const coordinates = position.isObject() ? addPoints(rowOrigin, position.xy()) : ORIGIN
      draft.addSeat(target, {
        at: seat,
        config: {
          row: rowName,
          number,
          ...(label === defaultLabel(rowName, number) ? {} : { label }),
          ...(priceCategory === null ? {} : { price_category: priceCategory }),
          coordinates,
        },
      })
    }
  }
  if (!target && rows.length > 0) {
    zone.report.warn('empty_section', zone, zone, `Zone ${name} has no seats and was left out.`)
  }
}

function positionInstead(place: Cursor, at: Cursor, index: number): string {
  at.report.warn('label_missing', place, at, 'A row or seat has no number; its position was taken instead.')
  return String(index + 1)
}

function readGuid(seat: Cursor, guids: Map<string, Cursor>): string | null {
  const at = seat.member('seat_guid')
  const guid = seat.requiredText('seat_guid')
  if (guid === null) return null
  if (guid.length < 2 || guid.length > 190) {
    at.fault('seat_guid_length', 'A seat_guid has 2 to 190 characters.')
  }
  const earlier = guids.get(guid)
  if (earlier)
    at.fault('duplicate_seat_guid', `Give each seat its own seat_guid: ${earlier.path} has this one.`)
  else guids.set(guid, seat)
  return guid
}

/** `Row %s` becomes `Row 12`. */
function fillIn(template: string | null, value: string): string {
  if (template === null) return value
  return template.includes('%s') ? template.split('%s').join(value) : `${template} ${value}`
}

/** Two rows of one zone may have the same number: then the guid tells the seats apart. */
function uniqueLabel(zone: DraftZone, seat: Cursor, label: string, guid: string | null): string {
  if (!zone.labels.has(label)) return zone.labels.take(label)
  const withGuid = `${label} (${guid})`
  const fits = guid !== null && withGuid.length <= LAYOUT_LIMITS.labelLength
  const message = `Seat ${label} is there twice; its label was made unique.`
  seat.report.warn('label_not_unique', zone.at, seat, message)
  return zone.labels.take(fits ? withGuid : label)
}

/** Areas are drawings: a stage, a wall, a word. */
function readArea(draft: LayoutDraft, zone: Cursor, area: Cursor, zoneOrigin: Point): void {
  const origin = addPoints(zoneOrigin, area.point('position') ?? ORIGIN)
  const label = readAreaText(area)
  const isStage = label !== null && /\b(?:stage|bühne)\b/iu.test(label)
  const shape = area.text('shape')
  if (shape === 'text') {
    const offset = area.member('text').isAbsent ? ORIGIN : (textPosition(area) ?? ORIGIN)
    if (label !== null) {
      draft.addOutline(zone, area, { kind: 'text', label, points: [addPoints(origin, offset)] })
    }
    return
  }
  const points = areaPoints(area, shape, origin)
  const outline: Outline = { kind: isStage ? 'stage' : 'shape', label, points: points ?? [] }
  draft.addOutline(zone, area, outline)
  if (isStage && points && points.length > 0) draft.addFocalPoint(zone, area, middleOf(points))
}

/** The numbers of a shape are in a member named like it, in older plans in the area itself. */
function areaPoints(area: Cursor, shape: string | null, origin: Point): Point[] | null {
  const own = area.member(shape ?? 'rectangle')
  const numbers = own.isAbsent || typeof own.value !== 'object' ? area : own
  const degrees = area.number('rotation') ?? 0
  if (shape === 'polygon')
    return turned(
      numbers.objects('points').map(point => point.xy()),
      origin,
      degrees,
    )
  if (shape === 'circle') {
    const radius = numbers.number('radius')
    return radius === null ? null : ellipse(origin, radius, radius, degrees)
  }
  if (shape === 'ellipse') {
    const radius = numbers.point('radius')
    return radius && ellipse(origin, radius.x, radius.y, degrees)
  }
  if (shape === 'rectangle' || shape === null) {
    const width = numbers.number('width')
    const height = numbers.number('height')
    return width === null || height === null ? null : rectangle(origin, ORIGIN, { width, height }, degrees)
  }
  return null
}

/** Text is an object in newer plans and plain in older ones. */
function readAreaText(area: Cursor): string | null {
  const text = area.member('text')
  return typeof text.value === 'object' && text.value !== null ? text.text('text') : area.text('text')
}

function textPosition(area: Cursor): Point | null {
  const text = area.member('text')
  return typeof text.value === 'object' ? text.point('position') : null
}

function middleOf(points: readonly Point[]): Point {
  const x = points.reduce((sum, point) => sum + point.x, 0) / points.length
  const y = points.reduce((sum, point) => sum + point.y, 0) / points.length
  return { x, y }
}
