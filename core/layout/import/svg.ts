import { LAYOUT_LIMITS, type Point, SEAT_CATEGORIES, type SeatConfig } from '../model.ts'
import { canonicalNumber, defaultLabel } from '../seat-number.ts'
import { Cursor } from './cursor.ts'
import { addPoints, type DraftZone, type LayoutDraft } from './draft.ts'
import type { ImportReport } from './report.ts'
import type { SvgOptions } from './svg-labels.ts'
import { readShapes, type SvgShape } from './svg-shapes.ts'

/**
 * A drawing: circles are seats, and so are other shapes that are marked with the class `seat` or with
 * `data-seat`. A shape with `data-capacity` is a zone of so many places, one that is called stage is the
 * stage. Paths of faults are `/shapes/12`.
 */
export function readSvgLayout(
  text: string,
  options: SvgOptions,
  draft: LayoutDraft,
  report: ImportReport,
): Cursor {
  const { shapes, ignored, broken } = readShapes(text, options)
  const root = Cursor.root({ shapes }, report)
  if (broken !== null) {
    root.fault('svg_broken', broken)
    return root
  }
  const colors = new Set(shapes.flatMap(shape => (shape.kind === 'seat' ? [shape.fill] : [])))
  const zones = new Map<string, DraftZone>()
  const known = new Set<string>()
  for (const at of root.objects('shapes')) {
    if (draft.isFull) break
    const shape = at.value as SvgShape
    if (shape.kind === 'stage') addStage(draft, at, shape)
    else if (shape.kind === 'places') addPlaces(draft, at, shape)
    else addSeat(draft, at, shape, { zones, known, byColor: colors.size > 1 })
  }
  if (ignored > 0) {
    const message = `${ignored} shapes are neither circles nor marked as seats; they were left out.`
    report.warn('shape_ignored', root, root, message)
  }
  return root
}

interface SeatContext {
  readonly zones: Map<string, DraftZone>
  /** Price categories that are listed already. */
  readonly known: Set<string>
  /** Seats of several colours: each colour is a category. */
  readonly byColor: boolean
}

function addSeat(
  draft: LayoutDraft,
  at: Cursor,
  shape: SvgShape,
  { zones, known, byColor }: SeatContext,
): void {
  const coordinates = addPoints(shape.middle)
  if (shape.name === null) {
    const said = shape.label === null ? 'has no label' : `is called "${shape.label.slice(0, 60)}"`
    const message = `A seat ${said}, which says no row and seat; it was left out.`
    leaveOut(at, coordinates, message)
    return
  }
  const { section, row, seat } = shape.name
  let zone = zones.get(section)
  if (!zone) {
    zone = draft.addZone(at, section, { zone_type: 'reserved_seating' })
    zones.set(section, zone)
  }
  const number = canonicalNumber(seat)
  const wanted = defaultLabel(row, number)
  const label = zone.labels.take(wanted)
  if (label !== wanted) {
    const message = `Seat ${wanted} is there twice; this one is ${label} now.`
    at.report.warn('label_not_unique', at, at, message)
  }
  const config: SeatConfig = { row, number, coordinates, ...(label !== wanted && { label }) }
  const category = SEAT_CATEGORIES.find(candidate => shape.marks.includes(candidate))
  if (category && category !== 'standard') config.category = category
  const price = shape.category ?? (byColor ? shape.fill : null)
  if (price !== null) {
    if (!known.has(price)) draft.listCategory(at, price, null, shape.fill)
    known.add(price)
    config.price_category = price
  }
  draft.addSeat(zone, { config, at })
}

/** One warning a shape, as long as there are few; the list of warnings has a bound of its own. */
function leaveOut(at: Cursor, point: Point, message: string): void {
  at.report.warn('shape_without_label', at, at, message)
  if (at.report.leftOut.size < MOST_LEFT_OUT) at.report.leftOut.set(at.path, point)
}
const MOST_LEFT_OUT = 1_000

function addPlaces(draft: LayoutDraft, at: Cursor, shape: SvgShape): void {
  const places = shape.capacity ?? Number.NaN
  if (!Number.isInteger(places) || places < 1) {
    at.fault('capacity_not_whole', 'Give data-capacity as a whole number of at least 1.')
  } else if (places > LAYOUT_LIMITS.zoneCapacity) {
    at.fault('capacity_too_large', `Give at most ${LAYOUT_LIMITS.zoneCapacity} places, or split the zone.`)
  } else {
    const outline = shape.points.length >= 3 ? shape.points.map(point => addPoints(point)) : null
    draft.addZone(at, shape.label ?? 'Standing', {
      zone_type: 'ga_standing',
      capacity: places,
      ...(outline && outline.length <= LAYOUT_LIMITS.pointsPerOutline && { outline }),
    })
  }
}

function addStage(draft: LayoutDraft, at: Cursor, shape: SvgShape): void {
  const points = shape.points.map(point => addPoints(point))
  draft.addOutline(at, at, { kind: 'stage', label: shape.label, points })
  draft.addFocalPoint(at, at, shape.middle)
}
