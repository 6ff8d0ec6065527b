import type { Point } from '@voelgoed/core/layout/model'
import { isInside } from '../document/geometry.ts'
import type { MapModel, MapZone } from '../document/model.ts'
import type { SeatGrid } from '../document/seat-grid.ts'
import { type Camera, type Size, viewOf } from '../paint/camera.ts'

export interface UnderEye {
  readonly zoneIndex: number
  /** Labels of the first and the last of its rows that are in view; null: none is. */
  readonly rows: { readonly first: string; readonly last: string } | null
}

/**
 * The section that one looks at: that of the seat nearest to the middle of the view,
 * or the one around the middle.
 */
export function underEye(model: MapModel, grid: SeatGrid, camera: Camera, size: Size): UnderEye | null {
  const view = viewOf(camera, size)
  const reach = Math.min(view.maxX - view.minX, view.maxY - view.minY) / 2
  const nearest = grid.nearest(camera.x, camera.y, reach)
  const zoneIndex = nearest === null ? zoneAround(model, camera) : model.zoneOf[nearest]!
  const zone = model.zones[zoneIndex]
  if (!zone) return null
  let first = Infinity
  let last = -1
  grid.forEachIn(view, ordinal => {
    if (model.zoneOf[ordinal] !== zoneIndex) return
    const row = rowIndexOf(zone, ordinal)
    if (row < first) first = row
    if (row > last) last = row
  })
  if (last < 0) return { zoneIndex, rows: null }
  return { zoneIndex, rows: { first: zone.rows[first]!.label, last: zone.rows[last]!.label } }
}

/** Returns the zone that is seen at a place: of zones that overlap, the one that is drawn last. −1: none. */
export function zoneAround({ zones }: MapModel, place: Point): number {
  for (let index = zones.length - 1; index >= 0; index -= 1) {
    if (isInside(place, zones[index]!.outline)) return index
  }
  return -1
}

/** Rows of a zone follow each other by ordinals. */
export function rowIndexOf({ rows }: MapZone, ordinal: number): number {
  let low = 0
  let high = rows.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (rows[middle]!.firstOrdinal <= ordinal) low = middle
    else high = middle - 1
  }
  return low
}
