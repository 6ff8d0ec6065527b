import type { Point } from '@voelgoed/core/layout/model'
import { pointBounds } from './geometry.ts'

/** Where in a polygon a line of text has most room: along the height of its centre of mass. */
export function roomIn(polygon: readonly Point[]): Point & { width: number; height: number } {
  const centre = centroid(polygon)
  const across = widest(crossings(polygon, centre.y), centre.x)
  const x = (across[0] + across[1]) / 2
  const turned = polygon.map(point => ({ x: point.y, y: point.x }))
  const down = widest(crossings(turned, x), centre.y)
  return { x, y: (down[0] + down[1]) / 2, width: across[1] - across[0], height: down[1] - down[0] }
}

/** Where one comes out of the polygon when one walks from the front straight through its centre of mass. */
export function rearOf(polygon: readonly Point[], front: Point): Point {
  const centre = centroid(polygon)
  const way = { x: centre.x - front.x, y: centre.y - front.y }
  let farthest = 1
  for (let at = 0; at < polygon.length; at += 1) {
    const a = polygon[at]!
    const b = polygon[(at + 1) % polygon.length]!
    const edge = { x: b.x - a.x, y: b.y - a.y }
    const across = way.x * edge.y - way.y * edge.x
    if (across === 0) continue
    const start = { x: a.x - front.x, y: a.y - front.y }
    const alongWay = (start.x * edge.y - start.y * edge.x) / across
    const alongEdge = (start.x * way.y - start.y * way.x) / across
    if (alongEdge >= 0 && alongEdge <= 1 && alongWay > farthest) farthest = alongWay
  }
  return { x: front.x + way.x * farthest, y: front.y + way.y * farthest }
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

/** The longest stretch inside; nothing at all around `otherwise` where there is none. */
function widest(cuts: readonly number[], otherwise: number): [from: number, to: number] {
  let best: [number, number] = [otherwise, otherwise]
  for (let at = 0; at + 1 < cuts.length; at += 2) {
    const [from, to] = [cuts[at]!, cuts[at + 1]!]
    if (to - from > best[1] - best[0]) best = [from, to]
  }
  return best
}
