import { isCoordinate } from '../check-points.ts'
import type { Point } from '../model.ts'
import type { Cursor } from './cursor.ts'
import { addPoints, type LayoutDraft } from './draft.ts'

/** How much the draft held before a floor was read. */
interface Mark {
  readonly zones: number
  readonly outlines: number
  readonly focalPoint: Point | null
}

/**
 * Floors lie on top of each other in the chart; a layout is flat. Moves all that was read since the mark
 * below the floor before it, and returns the new lower edge.
 */
export function moveBelow(
  draft: LayoutDraft,
  floor: Cursor,
  mark: Mark,
  above: number | null,
): number | null {
  const zones = draft.zones.slice(mark.zones).map(({ config }) => config)
  const outlines = draft.outlines.slice(mark.outlines)
  let top = Number.POSITIVE_INFINITY
  let bottom = Number.NEGATIVE_INFINITY
  const include = ({ y }: Point) => {
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  for (const { outline, seats } of zones) {
    outline?.forEach(include)
    for (const { coordinates } of seats ?? []) if (coordinates) include(coordinates)
  }
  for (const { points } of outlines) points.forEach(include)
  const focalPoint = mark.focalPoint === null ? draft.focalPoint : null
  if (focalPoint) include(focalPoint)
  if (top > bottom) return above
  if (above === null) return bottom

  const gap = Math.max(20, (bottom - top) / 10)
  const shift = { x: 0, y: above + gap - top }
  const moved = (point: Point) => addPoints(point, shift)
  if (!isCoordinate(bottom + shift.y)) {
    floor.fault('coordinate_too_large', 'The floors are too large to be drawn one below the other.')
    return above
  }
  for (const zone of zones) {
    if (zone.outline) zone.outline = zone.outline.map(moved)
    for (const seat of zone.seats ?? []) if (seat.coordinates) seat.coordinates = moved(seat.coordinates)
  }
  for (const outline of outlines) outline.points = outline.points.map(moved)
  if (focalPoint) draft.focalPoint = moved(focalPoint)
  return addPoints({ x: 0, y: bottom }, shift).y
}
