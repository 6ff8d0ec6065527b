export interface ChartPoint {
  readonly x: number
  readonly y: number
}

/** The path of an SVG line. */
export function pathOf(points: readonly ChartPoint[]): string {
  return points
    .map(({ x, y }, index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)},${y.toFixed(1)}`)
    .join(' ')
}

const HOUR = 3_600_000
const STEPS = [
  HOUR / 4,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  24 * HOUR,
  48 * HOUR,
  72 * HOUR,
  168 * HOUR,
]

/** Round moments from `from` to `to`, at most `most` of them. */
export function timeTicks(from: number, to: number, most: number): number[] {
  const span = Math.max(1, to - from)
  const step =
    STEPS.find(candidate => span / candidate <= most) ?? Math.ceil(span / most / (168 * HOUR)) * 168 * HOUR
  const ticks: number[] = []
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at)
  return ticks
}
