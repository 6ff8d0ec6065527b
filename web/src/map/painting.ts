import type { Bounds } from './model.ts'
import type { Rect, TileSet } from './tiles.ts'

/** Half of a seat’s side, as a share of the distance to its neighbour: a side is 78 % of it. */
export const HALF_OF_PITCH = 0.39
/** A seat and its edge are within this many pitches around its place. */
export const SEAT_REACH = 0.62

/** One piece of work: these pixels of a picture at this scale. */
export interface Painting {
  readonly set: TileSet<unknown>
  /** To paint, in the set's pixels. They may overlap: what lies in two of them is painted once. */
  readonly rects: readonly Rect[]
  /** Where the context's upper left corner is, in the set's pixels. */
  readonly corner: { readonly left: number; readonly top: number }
  /** Device pixels of a CSS pixel. */
  readonly ratio: number
  readonly withNames: boolean
}

/** The parts of the hall that a piece of work shows, in the hall's units. */
export class Parts {
  readonly each: readonly Bounds[]
  readonly #around: Bounds

  constructor(each: readonly Bounds[]) {
    this.each = each
    this.#around = {
      minX: Math.min(...each.map(({ minX }) => minX)),
      minY: Math.min(...each.map(({ minY }) => minY)),
      maxX: Math.max(...each.map(({ maxX }) => maxX)),
      maxY: Math.max(...each.map(({ maxY }) => maxY)),
    }
  }

  grownBy(by: number): Parts {
    return new Parts(
      this.each.map(({ minX, minY, maxX, maxY }) => ({
        minX: minX - by,
        minY: minY - by,
        maxX: maxX + by,
        maxY: maxY + by,
      })),
    )
  }

  /** Whether one of the parts has something of it. */
  touch(bounds: Bounds): boolean {
    return touches(this.#around, bounds) && this.each.some(part => touches(part, bounds))
  }
}

function touches(a: Bounds, b: Bounds): boolean {
  return a.minX <= b.maxX && a.maxX >= b.minX && a.minY <= b.maxY && a.maxY >= b.minY
}
