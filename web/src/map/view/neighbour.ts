import type { Point } from '@voelgoed/core/layout/model'
import { pointBounds } from '../document/geometry.ts'
import { isDrawn } from '../document/levels.ts'
import type { Bounds, MapModel, MapZone } from '../document/model.ts'
import type { SeatGrid } from '../document/seat-grid.ts'
import { rowIndexOf } from './under-eye.ts'

/** The keyboard can stand on one of these: a seat, or a zone that has places without seats. */
export type Stop =
  | { readonly kind: 'seat'; readonly ordinal: number }
  | { readonly kind: 'zone'; readonly zoneIndex: number }

export type Direction = 'left' | 'right' | 'up' | 'down'

const VECTORS: Readonly<Record<Direction, Point>> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
}
/**
 * Something is in a direction when it is at least this much of a pitch ahead, and not more aside than ahead.
 */
const LEAST_AHEAD = 0.3
/** Aside counts so much more than ahead: straight on is what an arrow means. */
const ASIDE_COUNTS = 2
/** The first look goes so far, in pitches. Each further one goes twice as far. */
const FIRST_LOOK = 4

/**
 * The next stop in a direction, as it is on the screen. Along the row first, if the row runs that way more
 * than across; else the nearest seat or zone ahead. Null: nothing is there.
 *
 * The search looks into the seat grid in windows that double, so it costs what is near,
 * not what is in the hall.
 */
export function neighbour(model: MapModel, grid: SeatGrid, from: Stop, direction: Direction): Stop | null {
  const way = VECTORS[direction]
  if (from.kind === 'seat') {
    const along = alongRow(model, from.ordinal, way)
    if (along !== null) return { kind: 'seat', ordinal: along }
  }
  return ahead(model, grid, from, way)
}

/** First and last seat of a row, also where the row is cut into several runs of one label. */
export function rowEnd(model: MapModel, from: Stop, end: 'first' | 'last'): Stop {
  if (from.kind === 'zone') return from
  const zone = model.zones[model.zoneOf[from.ordinal]!]!
  const { label } = zone.rows[rowIndexOf(zone, from.ordinal)]!
  const runs = zone.rows.filter(row => row.label === label)
  const { firstOrdinal, seatCount } = end === 'first' ? runs[0]! : runs.at(-1)!
  return { kind: 'seat', ordinal: end === 'first' ? firstOrdinal : firstOrdinal + seatCount - 1 }
}

/** The nearest seat of the row before or behind; the same stop at the first and the last row of a zone. */
export function rowStep(model: MapModel, from: Stop, step: -1 | 1): Stop {
  if (from.kind === 'zone') return from
  const { x, y, zoneOf } = model
  const zone = model.zones[zoneOf[from.ordinal]!]!
  const label = labelOf(zone, from.ordinal)
  let index = rowIndexOf(zone, from.ordinal) + step
  while (zone.rows[index]?.label === label) index += step
  const target = zone.rows[index]?.label
  let found = from
  let best = Infinity
  for (const row of target === undefined ? [] : zone.rows.filter(candidate => candidate.label === target)) {
    for (let at = row.firstOrdinal; at < row.firstOrdinal + row.seatCount; at += 1) {
      const distance = Math.hypot(x[at]! - x[from.ordinal]!, y[at]! - y[from.ordinal]!)
      if (distance >= best) continue
      best = distance
      found = { kind: 'seat', ordinal: at }
    }
  }
  return found
}

/** The keyboard begins at the stop that this finds, the nearest to a place. */
export function nearestStop(model: MapModel, grid: SeatGrid, { x, y }: Point): Stop | null {
  let zone: { zoneIndex: number; distance: number } | null = null
  for (const [zoneIndex, area] of model.zones.entries()) {
    if (area.seatCount > 0 || !isDrawn(area)) continue
    const distance = distanceTo(pointBounds(area.outline), { x, y })
    if (!zone || distance < zone.distance) zone = { zoneIndex, distance }
  }
  const { minX, minY, maxX, maxY } = model.bounds
  const farthest = Math.hypot(maxX - minX, maxY - minY) + distanceTo(model.bounds, { x, y })
  for (let within = FIRST_LOOK * model.pitch; ; within *= 2) {
    const ordinal = grid.nearest(x, y, within)
    if (ordinal !== null) {
      const distance = Math.hypot(model.x[ordinal]! - x, model.y[ordinal]! - y)
      if (!zone || distance <= zone.distance) return { kind: 'seat', ordinal }
    }
    if (zone && zone.distance <= within) return { kind: 'zone', zoneIndex: zone.zoneIndex }
    if (within > farthest) return zone ? { kind: 'zone', zoneIndex: zone.zoneIndex } : null
  }
}

/** The camera goes there to show a stop. */
export function placeOfStop(model: MapModel, stop: Stop): Point {
  if (stop.kind === 'seat') return { x: model.x[stop.ordinal]!, y: model.y[stop.ordinal]! }
  const { minX, minY, maxX, maxY } = pointBounds(model.zones[stop.zoneIndex]!.outline)
  return { x: (minX + maxX) / 2, y: (minY + maxY) / 2 }
}

function alongRow(model: MapModel, ordinal: number, way: Point): number | null {
  const { x, y, zoneOf } = model
  const zone = model.zones[zoneOf[ordinal]!]!
  const label = labelOf(zone, ordinal)
  for (const other of [ordinal - 1, ordinal + 1]) {
    if (!model.has(other) || zoneOf[other] !== zoneOf[ordinal] || labelOf(zone, other) !== label) continue
    const dx = x[other]! - x[ordinal]!
    const dy = y[other]! - y[ordinal]!
    const forward = dx * way.x + dy * way.y
    // A row follows just one of the two axes: arrows of the other axis always leave it.
    if (forward > Math.abs(dx * way.y + dy * way.x)) return other
  }
  return null
}

function ahead(model: MapModel, grid: SeatGrid, from: Stop, way: Point): Stop | null {
  const { x, y, zoneOf, pitch, bounds } = model
  const origin = edgeOf(model, from, way)
  const own = from.kind === 'seat' ? model.zones[zoneOf[from.ordinal]!]! : null
  const ownRow = own && from.kind === 'seat' ? labelOf(own, from.ordinal) : null
  const costOf = (place: Point): number => {
    const dx = place.x - origin.x
    const dy = place.y - origin.y
    const forward = dx * way.x + dy * way.y
    const aside = Math.abs(dx * way.y - dy * way.x)
    return forward < LEAST_AHEAD * pitch || aside > forward ? Infinity : forward + ASIDE_COUNTS * aside
  }
  let best: Stop | null = null
  let least = Infinity
  for (const [zoneIndex, zone] of model.zones.entries()) {
    if (zone.seatCount > 0 || !isDrawn(zone) || (from.kind === 'zone' && from.zoneIndex === zoneIndex))
      continue
    const cost = costOf(nearestIn(pointBounds(zone.outline), origin, way))
    if (cost >= least) continue
    least = cost
    best = { kind: 'zone', zoneIndex }
  }
  const farthest = Math.max(bounds.maxX - bounds.minX, bounds.maxY - bounds.minY)
  for (let look = FIRST_LOOK * pitch; ; look *= 2) {
    grid.forEachIn(windowAhead(origin, way, look), ordinal => {
      const cost = costOf({ x: x[ordinal]!, y: y[ordinal]! })
      if (cost >= least) return
      if (
        own &&
        zoneOf[ordinal] === zoneOf[(from as { ordinal: number }).ordinal] &&
        labelOf(own, ordinal) === ownRow
      )
        return
      least = cost
      best = { kind: 'seat', ordinal }
    })
    // Beyond the window nothing costs less than the window is deep.
    if (least <= look || look > farthest) return best
  }
}

/** From a seat its place; from a zone the middle of that side of its box. */
function edgeOf(model: MapModel, from: Stop, way: Point): Point {
  const middle = placeOfStop(model, from)
  if (from.kind === 'seat') return middle
  const { minX, minY, maxX, maxY } = pointBounds(model.zones[from.zoneIndex]!.outline)
  return { x: middle.x + (way.x * (maxX - minX)) / 2, y: middle.y + (way.y * (maxY - minY)) / 2 }
}

function windowAhead({ x, y }: Point, way: Point, look: number): Bounds {
  const aside = { x: Math.abs(way.y) * look, y: Math.abs(way.x) * look }
  return {
    minX: x - aside.x + Math.min(0, way.x * look),
    maxX: x + aside.x + Math.max(0, way.x * look),
    minY: y - aside.y + Math.min(0, way.y * look),
    maxY: y + aside.y + Math.max(0, way.y * look),
  }
}

/**
 * The point of a box that is nearest; of a box that one stands beside, a point inside,
 * so that it counts as ahead.
 */
function nearestIn(box: Bounds, { x, y }: Point, way: Point): Point {
  const middle = { x: (box.minX + box.maxX) / 2, y: (box.minY + box.maxY) / 2 }
  return {
    x: way.x === 0 ? clampTo(x, box.minX, box.maxX) : middle.x,
    y: way.y === 0 ? clampTo(y, box.minY, box.maxY) : middle.y,
  }
}

function distanceTo(box: Bounds, { x, y }: Point): number {
  return Math.hypot(x - clampTo(x, box.minX, box.maxX), y - clampTo(y, box.minY, box.maxY))
}

function clampTo(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

function labelOf(zone: MapZone, ordinal: number): string {
  return zone.rows[rowIndexOf(zone, ordinal)]!.label
}
