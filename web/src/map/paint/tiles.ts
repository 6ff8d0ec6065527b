import type { Bounds } from '../document/model.ts'

/** Device pixels. Large enough that few of them make a picture, small enough to be painted within a frame. */
export const TILE_PX = 512
/** A tile that is not there yet is painted in bands of this height: a whole one would block a phone. */
export const BAND_PX = 128
/** More dirty places than this in one tile, or more of its pixels, and it is painted whole. */
const MOST_DIRTY = 256
const MOST_DIRTY_PX = TILE_PX ** 2 / 2

/** A part of a picture in device pixels from the hall's upper left corner. */
export interface Rect {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Tile<Surface> {
  readonly column: number
  readonly row: number
  readonly surface: Surface
  /** This must be painted before the tile is true: all of it, or some places, or nothing. */
  dirty: 'all' | Rect[]
  /** Painted at least once: can be shown, even when something of it is out of date. */
  isShown: boolean
  usedAt: number
}

/** The hall as pictures at one scale (device pixels a unit), in tiles that are made when they are seen. */
export class TileSet<Surface> {
  readonly scale: number
  readonly #origin: { readonly x: number; readonly y: number }
  readonly #tiles = new Map<string, Tile<Surface>>()

  constructor(scale: number, bounds: Bounds) {
    this.scale = scale
    this.#origin = { x: bounds.minX, y: bounds.minY }
  }

  get tiles(): IterableIterator<Tile<Surface>> {
    return this.#tiles.values()
  }

  get size(): number {
    return this.#tiles.size
  }

  /** From the hall's units to this set's pixels. */
  toPixels({ minX, minY, maxX, maxY }: Bounds): Rect {
    return {
      left: (minX - this.#origin.x) * this.scale,
      top: (minY - this.#origin.y) * this.scale,
      right: (maxX - this.#origin.x) * this.scale,
      bottom: (maxY - this.#origin.y) * this.scale,
    }
  }

  toUnits({ left, top, right, bottom }: Rect): Bounds {
    return {
      minX: left / this.scale + this.#origin.x,
      minY: top / this.scale + this.#origin.y,
      maxX: right / this.scale + this.#origin.x,
      maxY: bottom / this.scale + this.#origin.y,
    }
  }

  find(column: number, row: number): Tile<Surface> | undefined {
    return this.#tiles.get(`${column} ${row}`)
  }

  add(column: number, row: number, surface: Surface): Tile<Surface> {
    const tile: Tile<Surface> = { column, row, surface, dirty: 'all', isShown: false, usedAt: 0 }
    this.#tiles.set(`${column} ${row}`, tile)
    return tile
  }

  remove(tile: Tile<Surface>): void {
    this.#tiles.delete(`${tile.column} ${tile.row}`)
  }

  /** Something in these bounds looks different now. */
  invalidate(bounds: Bounds): void {
    const rect = outwards(this.toPixels(bounds))
    for (const { column, row } of tilesIn(rect)) {
      const tile = this.find(column, row)
      if (!tile || tile.dirty === 'all') continue
      if (tile.dirty.length >= MOST_DIRTY) tile.dirty = 'all'
      else tile.dirty.push(intersection(rect, rectOf(tile)))
    }
  }

  invalidateAll(): void {
    for (const tile of this.#tiles.values()) tile.dirty = 'all'
  }
}

export function rectOf({ column, row }: { column: number; row: number }): Rect {
  return {
    left: column * TILE_PX,
    top: row * TILE_PX,
    right: (column + 1) * TILE_PX,
    bottom: (row + 1) * TILE_PX,
  }
}

/** Returns what has to be painted of a tile, which is then clean. */
export function takeDirty<Surface>(tile: Tile<Surface>): Rect[] {
  const { dirty } = tile
  tile.dirty = []
  if (dirty === 'all') return [rectOf(tile)]
  const pixels = dirty.reduce((sum, { left, top, right, bottom }) => sum + (right - left) * (bottom - top), 0)
  return pixels > MOST_DIRTY_PX ? [rectOf(tile)] : dirty
}

/** All of a tile, from top to bottom. */
export function bandsOf(tile: { column: number; row: number }): Rect[] {
  const { left, top, right } = rectOf(tile)
  return Array.from({ length: TILE_PX / BAND_PX }, (_, band) => ({
    left,
    top: top + band * BAND_PX,
    right,
    bottom: top + (band + 1) * BAND_PX,
  }))
}

/** The tiles that a part of the picture touches, line by line. */
export function* tilesIn({ left, top, right, bottom }: Rect): Generator<{ column: number; row: number }> {
  for (let row = Math.floor(top / TILE_PX); row * TILE_PX < bottom; row += 1) {
    for (let column = Math.floor(left / TILE_PX); column * TILE_PX < right; column += 1) yield { column, row }
  }
}

/** Takes the tiles that were not used for longest, until so many are left. Those used at `now` stay. */
export function evictTiles<Surface>(sets: Iterable<TileSet<Surface>>, most: number, now: number): Surface[] {
  const all = [...sets].flatMap(set => [...set.tiles].map(tile => ({ set, tile })))
  if (all.length <= most) return []
  const idle = all.filter(({ tile }) => tile.usedAt < now).sort((a, b) => a.tile.usedAt - b.tile.usedAt)
  return idle.slice(0, all.length - most).map(({ set, tile }) => {
    set.remove(tile)
    return tile.surface
  })
}

function outwards({ left, top, right, bottom }: Rect): Rect {
  return {
    left: Math.floor(left) - 1,
    top: Math.floor(top) - 1,
    right: Math.ceil(right) + 1,
    bottom: Math.ceil(bottom) + 1,
  }
}

function intersection(a: Rect, b: Rect): Rect {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
}

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

  /** Returns if one of the parts has something of it. */
  touch(bounds: Bounds): boolean {
    return touches(this.#around, bounds) && this.each.some(part => touches(part, bounds))
  }
}

function touches(a: Bounds, b: Bounds): boolean {
  return a.minX <= b.maxX && a.maxX >= b.minX && a.minY <= b.maxY && a.maxY >= b.minY
}
