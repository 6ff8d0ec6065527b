/**
 * Coordinates as whole steps of a grid, and what is left of them when the next place in a row is foreseen.
 */

interface Grid {
  readonly origin: readonly [x: number, y: number]
  readonly perUnit: number
  readonly x: Int32Array
  readonly y: Int32Array
}

/** Finer than anyone can see at the largest zoom. */
const STEPS_PER_PITCH = 50
/** Differences of differences of such numbers still fit 32 bits. */
const MOST_STEPS = 2 ** 28

/** Steps are a power of ten, so that coordinates with few decimals come back as they were. */
export function gridOf(x: readonly number[], y: readonly number[], pitch: number): Grid {
  const [minX, maxX] = extent(x)
  const [minY, maxY] = extent(y)
  const fine = Math.floor(Math.log10(pitch / STEPS_PER_PITCH))
  const coarse = Math.ceil(Math.log10(Math.max(maxX - minX, maxY - minY) / MOST_STEPS))
  const perUnit = 10 ** -Math.max(fine, coarse)
  // An origin on the grid, else its own decimals would be added to every coordinate.
  const onGrid = (value: number) => Math.floor(value * perUnit) / perUnit
  const origin: [number, number] = [onGrid(minX), onGrid(minY)]
  const steps = (values: readonly number[], from: number) =>
    Int32Array.from(values, value => Math.round((value - from) * perUnit))
  return { origin, perUnit, x: steps(x, origin[0]), y: steps(y, origin[1]) }
}

/** The usual distance between neighbours in a row. */
export function typicalPitch(
  x: readonly number[],
  y: readonly number[],
  rowLengths: readonly number[],
): number {
  const distances: number[] = []
  let at = 0
  for (const length of rowLengths) {
    for (let seat = at + 1; seat < at + length; seat += 1) {
      const distance = Math.hypot(x[seat]! - x[seat - 1]!, y[seat]! - y[seat - 1]!)
      if (distance > 0) distances.push(distance)
    }
    at += length
  }
  return distances.length === 0 ? 10 : distances.sort((a, b) => a - b)[distances.length >> 1]!
}

/**
 * A row goes on as its last two seats did; its second seat lies as in the row before; its first one as far
 * from the first of the row before as that was from the one before it. Along a curve little is left.
 */
export function predictAlongRows(
  steps: Int32Array,
  rowLengths: readonly number[],
  residual: (value: number) => void,
): void {
  let at = 0
  let first = 0
  let betweenRows = 0
  let betweenSeats = 0
  for (const length of rowLengths) {
    let expected = first + betweenRows
    for (let index = 0; index < length; index += 1, at += 1) {
      const value = steps[at]!
      residual(value - expected)
      if (index === 0) {
        betweenRows = value - first
        first = value
        expected = value + betweenSeats
      } else {
        const step = value - steps[at - 1]!
        if (index === 1) betweenSeats = step
        expected = value + step
      }
    }
  }
}

function extent(values: readonly number[]): [min: number, max: number] {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < min) min = value
    if (value > max) max = value
  }
  return values.length === 0 ? [0, 0] : [min, max]
}
