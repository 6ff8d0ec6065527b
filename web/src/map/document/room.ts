import type { Point } from '@voelgoed/core/layout/model'
import { pointBounds } from './geometry.ts'

/** Where a text about a polygon goes, in the hall's units. */
export interface Room {
  /** Inside of it, in the middle between its front and its rear. */
  readonly middle: Point
  /** On its edge, where it is nearest to the stage. */
  readonly front: Point
}

/**
 * Along the line from the front through the centre of mass: that crosses a straight block in its middle, and
 * a crescent too, whose centre of mass is outside of it.
 */
export function roomIn(polygon: readonly Point[], front: Point): Room {
  const centre = centroid(polygon)
  const dx = centre.x - front.x
  const dy = centre.y - front.y
  // Turned so that the way from the front is level: then it is a level line that cuts the edges.
  const turned = polygon.map(({ x, y }) => ({
    x: (x - front.x) * dx + (y - front.y) * dy,
    y: (y - front.y) * dx - (x - front.x) * dy,
  }))
  const cuts = crossings(turned, 0).map(cut => cut / (dx * dx + dy * dy))
  const at = (share: number) => ({ x: front.x + dx * share, y: front.y + dy * share })
  if (cuts.length < 2 || !Number.isFinite(cuts[0]!)) return { middle: centre, front: centre }
  return { middle: at((cuts.at(-2)! + cuts.at(-1)!) / 2), front: at(cuts.at(-2)!) }
}

function centroid(polygon: readonly Point[]): Point {
  let [area, x, y] = [0, 0, 0]
  // Relative to its first point: halls may lie far from the origin.
  const base = polygon[0] ?? { x: 0, y: 0 }
  for (let at = 0; at < polygon.length; at += 1) {
    const [ax, ay] = [polygon[at]!.x - base.x, polygon[at]!.y - base.y]
    const next = polygon[(at + 1) % polygon.length]!
    const [bx, by] = [next.x - base.x, next.y - base.y]
    const cross = ax * by - bx * ay
    area += cross
    x += (ax + bx) * cross
    y += (ay + by) * cross
  }
  if (area !== 0) return { x: base.x + x / (3 * area), y: base.y + y / (3 * area) }
  const { minX, minY, maxX, maxY } = pointBounds(polygon)
  return { x: (minX + maxX) / 2, y: (minY + maxY) / 2 }
}

/** Where a level line cuts the polygon's edges, from left to right. */
function crossings(polygon: readonly Point[], y: number): number[] {
  const found: number[] = []
  for (let at = 0; at < polygon.length; at += 1) {
    const a = polygon[at]!
    const b = polygon[(at + 1) % polygon.length]!
    if (a.y > y !== b.y > y) found.push(a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x))
  }
  return found.sort((a, b) => a - b)
}
