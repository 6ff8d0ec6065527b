import type { Point } from '../model.ts'
import { addPoints } from './draft.ts'

/** Enough for a circle of a few hundred pixels to look round. */
const CIRCLE_POINTS = 32

export function ellipse(centre: Point, radiusX: number, radiusY: number, degrees: number): Point[] {
  const points = Array.from({ length: CIRCLE_POINTS }, (_, index) => {
    const angle = (2 * Math.PI * index) / CIRCLE_POINTS
    return { x: radiusX * Math.cos(angle), y: radiusY * Math.sin(angle) }
  })
  return turned(points, centre, degrees)
}

/** `corner` is the upper left one, as seen from the point around which the rectangle is turned. */
export function rectangle(
  centre: Point,
  corner: Point,
  size: { width: number; height: number },
  degrees: number,
): Point[] {
  const { x, y } = corner
  const points = [
    { x, y },
    { x: x + size.width, y },
    { x: x + size.width, y: y + size.height },
    { x, y: y + size.height },
  ]
  return turned(points, centre, degrees)
}

export function turned(points: readonly Point[], centre: Point, degrees: number): Point[] {
  const angle = (degrees / 180) * Math.PI
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  return points.map(({ x, y }) => addPoints(centre, { x: x * cos - y * sin, y: x * sin + y * cos }))
}
