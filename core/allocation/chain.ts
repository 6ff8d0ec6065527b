import type { Point } from '../layout/model.ts'

interface Numbered extends Point {
  readonly number: number | string
}

/**
 * The seats of a row in order along it. Rows are drawn and numbered in many ways: from one side to the other,
 * odd numbers on one side and even ones on the other, along an arc, around a table. So several orders are
 * tried, and the one with the shortest way from seat to seat is taken; of equal ones the first:
 *
 *   as the layout lists them · by number · along the line that fits best · around the middle
 */
export function chainOf(seats: readonly Numbered[], ordinals: readonly number[]): number[] {
  let best = [...ordinals]
  if (isSmooth(seats, best)) return best
  let shortest = lengthOf(seats, best)
  for (const key of [numberOf(seats, ordinals), alongLine(seats, ordinals), aroundMiddle(seats, ordinals)]) {
    if (key === null) continue
    const order = [...ordinals].sort((a, b) => key(seats[a]!) - key(seats[b]!) || a - b)
    const length = lengthOf(seats, order)
    // A little shorter is the same: coordinates come from drawings.
    if (length < shortest * 0.999) {
      best = order
      shortest = length
    }
  }
  return best
}

/** No step goes back: nearly every layout lists its rows like that. */
function isSmooth(seats: readonly Point[], ordinals: readonly number[]): boolean {
  for (let along = 2; along < ordinals.length; along += 1) {
    const [a, b, c] = [seats[ordinals[along - 2]!]!, seats[ordinals[along - 1]!]!, seats[ordinals[along]!]!]
    if ((b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) < 0) return false
  }
  return true
}

export function distanceOf(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y)
}

function lengthOf(seats: readonly Point[], ordinals: readonly number[]): number {
  let length = 0
  for (let along = 1; along < ordinals.length; along += 1) {
    length += distanceOf(seats[ordinals[along - 1]!]!, seats[ordinals[along]!]!)
  }
  return length
}

type Key = (seat: Numbered) => number

function numberOf(seats: readonly Numbered[], ordinals: readonly number[]): Key | null {
  const areNumbers = ordinals.every(ordinal => typeof seats[ordinal]!.number === 'number')
  return areNumbers ? ({ number }) => number as number : null
}

/** The line through the middle along which the seats are spread most. */
function alongLine(seats: readonly Point[], ordinals: readonly number[]): Key {
  const middle = middleOf(seats, ordinals)
  let xx = 0
  let xy = 0
  let yy = 0
  for (const ordinal of ordinals) {
    const dx = seats[ordinal]!.x - middle.x
    const dy = seats[ordinal]!.y - middle.y
    xx += dx * dx
    xy += dx * dy
    yy += dy * dy
  }
  const angle = Math.atan2(2 * xy, xx - yy) / 2
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return ({ x, y }) => x * cos + y * sin
}

function aroundMiddle(seats: readonly Point[], ordinals: readonly number[]): Key {
  const middle = middleOf(seats, ordinals)
  return ({ x, y }) => Math.atan2(y - middle.y, x - middle.x)
}

function middleOf(seats: readonly Point[], ordinals: readonly number[]): Point {
  let x = 0
  let y = 0
  for (const ordinal of ordinals) {
    x += seats[ordinal]!.x
    y += seats[ordinal]!.y
  }
  return { x: x / ordinals.length, y: y / ordinals.length }
}
