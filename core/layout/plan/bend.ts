import type { Point } from '../model.ts'

/** The bend of a hall at its fullest: rows are so much of a circle. */
const FULLEST_ANGLE = (150 / 180) * Math.PI

/**
 * Where places are: how far along a row, from its middle, and how far behind the first row. A straight hall
 * is a grid; in a curved one rows are arcs around a point before the stage.
 */
export class Bend {
  /** It is that of the first row; infinite: straight. */
  readonly #radius: number
  /** The first row is a part of this circle. */
  readonly #angle: number

  /** `width`: of the first row. */
  constructor(curve: number, width: number) {
    this.#angle = (curve / 100) * FULLEST_ANGLE
    this.#radius = curve === 0 ? Number.POSITIVE_INFINITY : width / this.#angle
  }

  get isStraight(): boolean {
    return this.#radius === Number.POSITIVE_INFINITY
  }

  /** By how much a row at this depth may be longer than the first one and be no more of a circle. */
  lengthGainedBy(depth: number): number {
    return this.isStraight ? 0 : depth * this.#angle
  }

  /** Half the room between the ends of the first row, so far before it. */
  halfWidthAt(distance: number): number {
    if (this.isStraight || distance >= this.#radius) return this.#radius
    return Math.sqrt(this.#radius ** 2 - (this.#radius - distance) ** 2)
  }

  /** Returns how much a length takes of a row, in a measure that is the same for all rows. */
  share(length: number, depth: number): number {
    return this.isStraight ? length : length / (this.#radius + depth)
  }

  /** `middle`: in the measure of `share`; `along`: a length from there on, on the row itself. */
  place(middle: number, along: number, depth: number): Point {
    if (this.isStraight) return rounded(middle + along, depth)
    const radius = this.#radius + depth
    const angle = middle + along / radius
    return rounded(radius * Math.sin(angle), radius * Math.cos(angle) - this.#radius)
  }
}

/** A hundredth is finer than any drawing. */
function rounded(x: number, y: number): Point {
  return { x: Math.round(x * 100) / 100 + 0, y: Math.round(y * 100) / 100 + 0 }
}
