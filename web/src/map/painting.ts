import type { Rect, TileSet } from './tiles.ts'

/** Half of a seat’s side, as a share of the distance to its neighbour: a side is 78 % of it. */
export const HALF_OF_PITCH = 0.39

/** One piece of work: these pixels of a picture at this scale. */
export interface Painting {
  readonly set: TileSet<unknown>
  /** To paint, in the set's pixels. */
  readonly rect: Rect
  /** Where the context's upper left corner is, in the set's pixels. */
  readonly corner: { readonly left: number; readonly top: number }
  /** Device pixels of a CSS pixel. */
  readonly ratio: number
}
