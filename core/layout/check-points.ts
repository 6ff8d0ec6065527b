import type { LayoutFaults } from './faults.ts'
import { LAYOUT_LIMITS, type Point } from './model.ts'

/** A copy with nothing but x and y, and without −0, which JSON doesn't have. */
export function compilePoint(faults: LayoutFaults, path: string, point: Point): Point {
  checkCoordinate(faults, path, 'x', point.x)
  checkCoordinate(faults, path, 'y', point.y)
  return { x: point.x + 0, y: point.y + 0 }
}

/** Points of an outline. An outline that is too long is refused as a whole: its points aren't looked at. */
export function compilePoints(
  faults: LayoutFaults,
  path: string,
  points: readonly Point[],
  atLeast: number,
): Point[] {
  if (points.length > LAYOUT_LIMITS.pointsPerOutline) {
    const message = `Draw this with at most ${LAYOUT_LIMITS.pointsPerOutline} points; it has ${points.length}.`
    faults.add(path, 'too_many_points', message)
    return []
  }
  if (points.length < atLeast) {
    faults.add(path, 'too_few_points', `Draw this with at least ${atLeast} points, or leave it out.`)
  }
  return points.map((point, index) => compilePoint(faults, `${path}/${index}`, point))
}

export function isCoordinate(value: number): boolean {
  // The schema lets anything through here, so that infinity can be told by its path:
  // text must not pass either.
  return typeof value === 'number' && Math.abs(value) <= LAYOUT_LIMITS.coordinate
}

function checkCoordinate(faults: LayoutFaults, path: string, axis: 'x' | 'y', value: number): void {
  if (isCoordinate(value)) return
  if (Number.isFinite(value)) {
    const message = `Move this to between −${LAYOUT_LIMITS.coordinate} and ${LAYOUT_LIMITS.coordinate}.`
    faults.add(`${path}/${axis}`, 'coordinate_too_large', message)
  } else {
    faults.add(`${path}/${axis}`, 'coordinate_not_finite', 'Give a finite number here.')
  }
}
