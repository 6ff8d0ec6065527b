import type { Bounds } from '../document/model.ts'
import { type Camera, type Size, viewOf } from './camera.ts'
import { detailOf } from './detail.ts'
import { Painter } from './paint.ts'
import { piecesOf } from './place-names.ts'
import type { Scene } from './scene.ts'
import { SEAT_REACH } from './seat-shapes.ts'
import { bandsOf, evictTiles, rectOf, TILE_PX, type Tile, TileSet, takeDirty, tilesIn } from './tiles.ts'

type CanvasTile = Tile<HTMLCanvasElement>
type CanvasSet = TileSet<HTMLCanvasElement>

export interface Frame {
  readonly camera: Camera
  /** Where the camera will come to rest, as far as that is known. */
  readonly rest: Camera
  /** The scale is about to change again: what is there is stretched for now. */
  readonly isZooming: boolean
  /** The whole hall. */
  readonly overview: Camera
  readonly size: Size
  readonly ratio: number
  /** Painting stops after so long, and goes on in the next frame. */
  readonly budgetMs: number
  /** The context stays as it is unless all of the hall in view is painted. */
  readonly onlyWhole: boolean
}

/** So much of what is in view is painted and up to date: all of it, all but the names, or less. */
export type Painted = 'all' | 'hall' | 'less'

/** Beyond this a stretched picture is too coarse even while one zooms. */
const MOST_STRETCH = 1.6
const MARGIN_PX = 24

/**
 * The hall as pre-painted tiles. Panning copies them, a changed seat repaints its own place in them, and a
 * new scale is painted in the background while the old one is shown stretched.
 */
export class Picture {
  readonly #scene: Scene
  readonly #painter: Painter
  #current: CanvasSet | null = null
  #previous: CanvasSet | null = null
  #overview: CanvasSet | null = null
  #ratio = 1
  #frame = 0
  /** Until the hall was there for the first time, no name is painted: buyers see seats sooner. */
  #hasHall = false
  /** Painted before that. */
  readonly #unnamed = new Set<CanvasSet>()
  readonly #spare: HTMLCanvasElement[] = []

  constructor(scene: Scene) {
    this.#scene = scene
    this.#painter = new Painter(scene)
  }

  get #sets(): CanvasSet[] {
    return [...new Set([this.#current, this.#previous, this.#overview])].filter(set => set !== null)
  }

  invalidateSeat(ordinal: number): void {
    const { x, y, pitch } = this.#scene.model
    const reach = SEAT_REACH * pitch
    const place: Bounds = {
      minX: x[ordinal]! - reach,
      minY: y[ordinal]! - reach,
      maxX: x[ordinal]! + reach,
      maxY: y[ordinal]! + reach,
    }
    for (const set of this.#sets) if (!this.#showsZones(set)) set.invalidate(place)
  }

  /** Only a view from far shows the fill of a zone with seats; one without seats shows it always. */
  invalidateZone(zoneIndex: number): void {
    const { bounds } = this.#scene.zones[zoneIndex]!
    const isArea = this.#scene.model.zones[zoneIndex]!.seatCount === 0
    for (const set of this.#sets) {
      if (isArea || this.#showsZones(set)) set.invalidate(bounds)
      else this.#invalidateName(set, zoneIndex)
    }
  }

  /** Beside it stands how much is left. */
  #invalidateName(set: CanvasSet, zoneIndex: number): void {
    const scale = set.scale / this.#ratio
    for (const name of this.#scene.namesAt(scale)) {
      if (name.kind !== 'zone' || name.index !== zoneIndex || !name.hasCount) continue
      for (const piece of piecesOf(name, scale)) set.invalidate(piece)
    }
  }

  invalidateAll(): void {
    for (const set of this.#sets) set.invalidateAll()
  }

  draw(context: CanvasRenderingContext2D, frame: Frame): Painted {
    this.#frame += 1
    this.#chooseSets(frame)
    const painted = this.#paint(frame)
    if (painted !== 'less' || !frame.onlyWhole) this.#compose(context, frame)
    const inView = (frame.size.width * frame.size.height * frame.ratio ** 2) / TILE_PX ** 2
    const evicted = evictTiles(this.#sets, Math.ceil(4 * inView) + 24, this.#frame)
    this.#spare.push(...evicted.slice(0, 8 - this.#spare.length))
    return painted
  }

  #showsZones(set: CanvasSet): boolean {
    const { pitch, seatCount } = this.#scene.model
    return detailOf((pitch * set.scale) / this.#ratio, seatCount) === 'zones'
  }

  #chooseSets({ rest, isZooming, overview, ratio }: Frame): void {
    if (ratio !== this.#ratio) {
      this.#ratio = ratio
      this.#unnamed.clear()
      this.#current = null
      this.#previous = null
      this.#overview = null
    }
    const overviewScale = overview.scale * ratio
    if (!isNear(this.#overview?.scale, overviewScale)) this.#overview = this.#tilesAt(overviewScale)
    const scale = rest.scale * ratio
    if (isNear(this.#current?.scale, scale)) return
    const stretch = this.#current
      ? Math.max(scale / this.#current.scale, this.#current.scale / scale)
      : Infinity
    if (isZooming && stretch < MOST_STRETCH) return
    const known = this.#sets.find(set => isNear(set.scale, scale))
    if (this.#current && [...this.#current.tiles].some(tile => tile.isShown)) this.#previous = this.#current
    this.#current = known ?? this.#tilesAt(scale)
  }

  /** The first tile begins where anything can be, so that a small hall is one tile and not four. */
  #tilesAt(scale: number): CanvasSet {
    // A whole number of pixels, so that seats lie on the pixels as they do without it; and one more, for what
    // is lost when numbers are rounded.
    const margin = (Math.ceil(MARGIN_PX * this.#ratio) + 1) / scale
    return new TileSet(scale, grown(this.#scene.model.bounds, margin))
  }

  /** Paints what is in view first, then what may come into it. */
  #paint({ camera, rest, size, ratio, overview, isZooming, budgetMs }: Frame): Painted {
    const until = performance.now() + budgetMs
    const set = this.#current!
    if (this.#hasHall) {
      // Once for each scale, and not on top of the first tile.
      while (this.#scene.prepareNames(set.scale / ratio)) if (performance.now() > until) return 'less'
      this.#addNames()
    } else this.#unnamed.add(set)
    // While one zooms, the camera has the scale of no set:
    // what it sees is painted at the scale that there is.
    const seen = [...this.#tilesOf(set, viewOf(rest, size))]
    if (isZooming) seen.push(...this.#tilesOf(set, viewOf(camera, size)))
    if (!this.#paintTiles(set, seen, ratio, until)) return 'less'
    if (!this.#hasHall) {
      this.#hasHall = true
      return 'hall'
    }
    const around = viewOf({ ...rest, scale: rest.scale / 1.5 }, size)
    const whole = [...this.#tilesOf(this.#overview!, viewOf(overview, size))]
    for (const tile of whole) tile.usedAt = this.#frame
    const isIdle = !isZooming && performance.now() < until
    // Behind everything else an old overview will do.
    const missing = whole.filter(tile => !tile.isShown)
    if (isIdle && this.#paintTiles(this.#overview!, missing, ratio, until)) {
      this.#paintTiles(set, this.#tilesOf(set, around), ratio, until)
    }
    return 'all'
  }

  /** Where the names belong, what was painted without them is out of date. */
  #addNames(): void {
    for (const set of this.#unnamed) {
      const scale = set.scale / this.#ratio
      for (const name of this.#scene.namesAt(scale)) {
        for (const piece of piecesOf(name, scale)) set.invalidate(piece)
      }
    }
    this.#unnamed.clear()
  }

  #paintTiles(set: CanvasSet, tiles: Iterable<CanvasTile>, ratio: number, until: number): boolean {
    let painted = 0
    for (const tile of tiles) {
      tile.usedAt = this.#frame
      const corner = rectOf(tile)
      // A tile that is shown changes at once: half of it would be out of date. The ground below twenty seats
      // is painted once, not twenty times.
      if (tile.dirty === 'all') tile.dirty = tile.isShown ? [corner] : bandsOf(tile)
      const context = tile.surface.getContext('2d', { alpha: false })!
      while (tile.dirty.length > 0) {
        if (painted > 0 && performance.now() > until) return false
        painted += 1
        const rects = tile.isShown ? takeDirty(tile) : [tile.dirty.shift()!]
        this.#painter.paint(context, { set, rects, corner, ratio, withNames: this.#hasHall })
      }
      tile.isShown = true
    }
    return true
  }

  /** Tiles of a part of the hall; those that are not there yet are made. Nothing is made beside the hall. */
  *#tilesOf(set: CanvasSet, view: Bounds): Generator<CanvasTile> {
    for (const { column, row } of tilesIn(set.toPixels(this.#inHall(set, view)))) {
      yield set.find(column, row) ?? set.add(column, row, this.#spare.pop() ?? createTile())
    }
  }

  /** Cuts a view down to where anything can be: names stand a little out of the hall. */
  #inHall(set: CanvasSet, view: Bounds): Bounds {
    const reach = grown(this.#scene.model.bounds, (MARGIN_PX * this.#ratio) / set.scale)
    return {
      minX: Math.max(view.minX, reach.minX),
      minY: Math.max(view.minY, reach.minY),
      maxX: Math.min(view.maxX, reach.maxX),
      maxY: Math.min(view.maxY, reach.maxY),
    }
  }

  #compose(context: CanvasRenderingContext2D, { camera, size, ratio }: Frame): void {
    const width = size.width * ratio
    const height = size.height * ratio
    const view = viewOf(camera, size)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.fillStyle = this.#scene.theme.background
    context.fillRect(0, 0, width, height)
    const current = this.#current!
    const isCovered = [...tilesIn(current.toPixels(this.#inHall(current, view)))].every(
      ({ column, row }) => current.find(column, row)?.isShown,
    )
    const layers = isCovered ? [current] : this.#layersBelow(current)
    for (const set of layers) this.#copyTiles(context, set, view, camera.scale * ratio)
  }

  /** Coarse ones first. */
  #layersBelow(current: CanvasSet): CanvasSet[] {
    const below = this.#sets.filter(set => set !== current).sort((a, b) => a.scale - b.scale)
    return [...below, current]
  }

  #copyTiles(context: CanvasRenderingContext2D, set: CanvasSet, view: Bounds, scale: number): void {
    const { left, top, right, bottom } = set.toPixels(view)
    const stretch = scale / set.scale
    const isExact = Math.abs(stretch - 1) < 1e-6
    for (const { column, row } of tilesIn({ left, top, right, bottom })) {
      const tile = set.find(column, row)
      if (!tile?.isShown) continue
      tile.usedAt = this.#frame
      if (isExact) {
        const x = column * TILE_PX - Math.round(left)
        const y = row * TILE_PX - Math.round(top)
        context.drawImage(tile.surface, x, y)
        continue
      }
      // Whole pixels, so that there is no seam between two tiles.
      const x = Math.floor((column * TILE_PX - left) * stretch)
      const y = Math.floor((row * TILE_PX - top) * stretch)
      const toX = Math.floor(((column + 1) * TILE_PX - left) * stretch)
      const toY = Math.floor(((row + 1) * TILE_PX - top) * stretch)
      context.drawImage(tile.surface, x, y, toX - x, toY - y)
    }
  }
}

function grown({ minX, minY, maxX, maxY }: Bounds, by: number): Bounds {
  return { minX: minX - by, minY: minY - by, maxX: maxX + by, maxY: maxY + by }
}

function isNear(a: number | undefined, b: number): boolean {
  return a !== undefined && Math.abs(a / b - 1) < 1e-6
}

function createTile(): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = TILE_PX
  canvas.height = TILE_PX
  return canvas
}
