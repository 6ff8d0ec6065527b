import type { Outline, Point } from '@voelgoed/core/layout/model'
import type { Bounds, MapZone } from './model.ts'

interface SeatPlaces {
  readonly x: Float32Array
  readonly y: Float32Array
  readonly pitch: number
}

/** Every zone gets an outline: the hull of its seats, or, without seats, a place below the hall. */
export function completeOutlines(zones: readonly MapZone[], seats: SeatPlaces): MapZone[] {
  const { pitch } = seats
  const drawn = zones.map(zone =>
    zone.outline.length >= 3 || zone.seatCount === 0 ? zone : { ...zone, outline: hullOf(zone, seats) },
  )
  const missing = drawn.filter(zone => zone.outline.length < 3)
  if (missing.length === 0) return drawn
  const hall = pointBounds(drawn.flatMap(zone => zone.outline))
  const perLine = Math.ceil(Math.sqrt(missing.length))
  const width = Math.max((hall.maxX - hall.minX) / perLine, 20 * pitch)
  const height = Math.min(width / 2, 30 * pitch)
  return drawn.map(zone => {
    const place = missing.indexOf(zone)
    if (place === -1) return zone
    const left = hall.minX + (place % perLine) * width
    const top = hall.maxY + 2 * pitch + Math.floor(place / perLine) * height
    return { ...zone, outline: rectangle(left, top, left + 0.95 * width, top + 0.9 * height) }
  })
}

export function boundsOf(
  zones: readonly MapZone[],
  shapes: readonly Outline[],
  focalPoint: Point | null,
): Bounds {
  return pointBounds([
    ...zones.flatMap(zone => zone.outline),
    ...shapes.flatMap(shape => shape.points),
    ...(focalPoint ? [focalPoint] : []),
  ])
}

export function pointBounds(points: readonly Point[]): Bounds {
  if (points.length === 0) return { minX: 0, minY: 0, maxX: 100, maxY: 100 }
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of points) {
    if (x < minX) minX = x
    if (x > maxX) maxX = x
    if (y < minY) minY = y
    if (y > maxY) maxY = y
  }
  return { minX, minY, maxX, maxY }
}

export function isInside({ x, y }: Point, polygon: readonly Point[]): boolean {
  let inside = false
  for (let at = 0, before = polygon.length - 1; at < polygon.length; before = at, at += 1) {
    const a = polygon[at]!
    const b = polygon[before]!
    if (a.y > y !== b.y > y && x < ((b.x - a.x) * (y - a.y)) / (b.y - a.y) + a.x) inside = !inside
  }
  return inside
}

function hullOf(zone: MapZone, { x, y, pitch }: SeatPlaces): Point[] {
  const margin = 0.7 * pitch
  const corners: Point[] = []
  for (let at = zone.firstOrdinal; at < zone.firstOrdinal + zone.seatCount; at += 1) {
    for (const dx of [-margin, margin]) {
      for (const dy of [-margin, margin]) corners.push({ x: x[at]! + dx, y: y[at]! + dy })
    }
  }
  return convexHull(corners)
}

/** Andrew's monotone chain. */
function convexHull(points: Point[]): Point[] {
  points.sort((a, b) => a.x - b.x || a.y - b.y)
  const turn = (o: Point, a: Point, b: Point) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x)
  const half = (ordered: readonly Point[]) => {
    const chain: Point[] = []
    for (const point of ordered) {
      while (chain.length >= 2 && turn(chain.at(-2)!, chain.at(-1)!, point) <= 0) chain.pop()
      chain.push(point)
    }
    return chain.slice(0, -1)
  }
  return [...half(points), ...half([...points].reverse())]
}

function rectangle(left: number, top: number, right: number, bottom: number): Point[] {
  return [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ]
}
