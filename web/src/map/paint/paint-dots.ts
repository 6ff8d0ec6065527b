import { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
import { AVAILABLE, BLOCKED, HELD } from '../document/model.ts'
import type { Context } from './measure-name.ts'
import type { Scene } from './scene.ts'
import { DIMMED, HALF_OF_PITCH } from './seat-shapes.ts'
import { Stamps, shapeOf } from './stamps.ts'
import { parseColor } from './theme.ts'
import { BAND_PX, type Painting, type Parts, TILE_PX } from './tiles.ts'

const SMALL_PX = 32

/** Seats as dots, stamped into pixels and laid over the ground. */
export class DotPainter {
  readonly #scene: Scene
  readonly #pixels = new Uint32Array(TILE_PX * TILE_PX)
  readonly #scratches = new Map<number, HTMLCanvasElement>()
  #stamps: { radius: number; stamps: Stamps } | null = null
  /** Pixels of a colour, as long as the theme stays. */
  readonly #pixelOf = new Map<string, number>()

  constructor(scene: Scene) {
    this.#scene = scene
  }

  paint(context: Context, { set, rects, corner }: Painting, parts: Parts): void {
    const { model, states, grid, theme } = this.#scene
    const { x, y, categoryOf, zoneOf } = model
    const scene = this.#scene
    const membersOf = model.zones.map((_, index) => scene.isMembers(index))
    const left = Math.min(...rects.map(rect => rect.left))
    const top = Math.min(...rects.map(rect => rect.top))
    const width = Math.max(...rects.map(rect => rect.right)) - left
    const height = Math.max(...rects.map(rect => rect.bottom)) - top
    if (width <= 0 || height <= 0) return
    const radius = HALF_OF_PITCH * model.pitch * set.scale
    const stamps = this.#stampsOf(radius)
    const pixels = this.#pixels.subarray(0, width * height).fill(0)
    const origin = set.toPixels({ minX: 0, minY: 0, maxX: 0, maxY: 0 })
    const at = { x: 0, y: 0 }
    grid.forEachInAny(parts.grownBy((radius + 2) / set.scale).each, ordinal => {
      const status = states.statuses[ordinal]!
      at.x = x[ordinal]! * set.scale + origin.left - left
      at.y = y[ordinal]! * set.scale + origin.top - top
      const color =
        status === AVAILABLE
          ? scene.colorOf(ordinal)
          : status === HELD
            ? theme.held
            : status === BLOCKED
              ? theme.blocked
              : theme.sold
      stamps.stamp(pixels, width, height, at, {
        shape: shapeOf(status, SEAT_CATEGORIES[categoryOf[ordinal]!]!, membersOf[zoneOf[ordinal]!]),
        turn: scene.turnOf(ordinal),
        rgb: this.#pixelsOf(color),
        opacity: status === AVAILABLE && scene.isDimmed(ordinal) ? DIMMED : 1,
      })
    })
    const scratch = this.#scratchFor(width, height)
    const image = new ImageData(
      new Uint8ClampedArray(pixels.buffer as ArrayBuffer, 0, width * height * 4),
      width,
      height,
    )
    scratch.getContext('2d')!.putImageData(image, 0, 0)
    context.setTransform(1, 0, 0, 1, 0, 0)
    context.drawImage(scratch, 0, 0, width, height, left - corner.left, top - corner.top, width, height)
  }

  /**
   * A canvas is copied whole when it is drawn and then written to again: for one seat a small one will do,
   * and a low one for a band.
   */
  #scratchFor(width: number, height: number): HTMLCanvasElement {
    const isSmall = Math.max(width, height) <= SMALL_PX
    const high = isSmall ? SMALL_PX : height <= BAND_PX ? BAND_PX : TILE_PX
    let scratch = this.#scratches.get(high)
    if (!scratch) {
      scratch = document.createElement('canvas')
      scratch.width = isSmall ? SMALL_PX : TILE_PX
      scratch.height = high
      this.#scratches.set(high, scratch)
    }
    return scratch
  }

  #stampsOf(radius: number): Stamps {
    if (this.#stamps?.radius !== radius) this.#stamps = { radius, stamps: new Stamps(radius) }
    return this.#stamps.stamps
  }

  #pixelsOf(color: string): number {
    let pixel = this.#pixelOf.get(color)
    if (pixel === undefined) {
      const [red, green, blue] = parseColor(color)!
      pixel = (blue << 16) | (green << 8) | red
      this.#pixelOf.set(color, pixel)
    }
    return pixel
  }
}
