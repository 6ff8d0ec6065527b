import type { Point } from '@voelgoed/core/layout/model'
import { isInside } from './geometry.ts'
import type { Bounds } from './model.ts'

export function around({ x, y }: Point, half: Point): Bounds {
  return { minX: x - half.x, minY: y - half.y, maxX: x + half.x, maxY: y + half.y }
}

export function grown({ minX, minY, maxX, maxY }: Bounds, dx: number, dy: number): Bounds {
  return { minX: minX - dx, minY: minY - dy, maxX: maxX + dx, maxY: maxY + dy }
}

export function contains(outer: Bounds, inner: Bounds): boolean {
  return (
    inner.minX >= outer.minX &&
    inner.maxX <= outer.maxX &&
    inner.minY >= outer.minY &&
    inner.maxY <= outer.maxY
  )
}

export function boxesMeet(a: Bounds, b: Bounds): boolean {
  return a.minX < b.maxX && a.maxX > b.minX && a.minY < b.maxY && a.maxY > b.minY
}

/** No edge crosses the box, and its middle is inside: then all of it is. */
export function isBoxInside(box: Bounds, points: readonly Point[]): boolean {
  return isInside(middleOf(box), points) && !anyEdgeMeets(box, points)
}

/** No edge crosses the box, and its middle is outside. */
export function isBoxApart(box: Bounds, points: readonly Point[]): boolean {
  return !isInside(middleOf(box), points) && !anyEdgeMeets(box, points)
}

export function middleOf({ minX, minY, maxX, maxY }: Bounds): Point {
  return { x: (minX + maxX) / 2, y: (minY + maxY) / 2 }
}

function anyEdgeMeets(box: Bounds, points: readonly Point[]): boolean {
  for (let at = 0; at < points.length; at += 1) {
    if (edgeMeets(box, points[at]!, points[(at + 1) % points.length]!)) return true
  }
  return false
}

/** Liang and Barsky: what of the edge is left when each side of the box has cut it. */
function edgeMeets({ minX, minY, maxX, maxY }: Bounds, a: Point, b: Point): boolean {
  let from = 0
  let to = 1
  const dx = b.x - a.x
  const dy = b.y - a.y
  for (const [slope, room] of [
    [-dx, a.x - minX],
    [dx, maxX - a.x],
    [-dy, a.y - minY],
    [dy, maxY - a.y],
  ] as const) {
    if (slope === 0) {
      if (room <= 0) return false
      continue
    }
    const cut = room / slope
    if (slope < 0) from = Math.max(from, cut)
    else to = Math.min(to, cut)
    if (from >= to) return false
  }
  return true
}
