import { AVAILABLE, BLOCKED, HELD, SOLD, UNKNOWN } from './model.ts'

/**
 * Small seats are stamped into pixels: in a browser without a graphics card a hundred times quicker than as
 * many calls of a drawing context. A stamp is how much of each pixel a shape covers, at one of 16 offsets
 * within a pixel, so that rows stay even.
 */

const PHASES = 4

export type SeatShape = 'disc' | 'square' | 'ring' | 'speck' | 'dash' | 'hoop'

/** The shape tells the state, also without colour: full, hollow, a speck, a dash; unknown is a thin hoop. */
export function shapeOf(status: number, isAccessible: boolean): SeatShape {
  switch (status) {
    case AVAILABLE:
      return isAccessible ? 'square' : 'disc'
    case HELD:
      return 'ring'
    case SOLD:
      return 'speck'
    case BLOCKED:
      return 'dash'
    case UNKNOWN:
      return 'hoop'
    default:
      throw new Error(`impossible: status ${status}`)
  }
}

export class Stamps {
  readonly #radius: number
  readonly #size: number
  readonly #masks = new Map<SeatShape, Uint8Array[]>()

  /** `radius`: of a free seat, in device pixels. */
  constructor(radius: number) {
    this.#radius = radius
    this.#size = Math.ceil(2 * radius) + 2
  }

  /** `rgb`: blue, green and red from high to low, as little-endian pixels have them. */
  stamp(
    target: Uint32Array,
    width: number,
    height: number,
    at: { x: number; y: number },
    shape: SeatShape,
    rgb: number,
  ): void {
    const size = this.#size
    const half = size / 2
    const left = Math.floor(at.x - half)
    const top = Math.floor(at.y - half)
    const phaseX = Math.floor((at.x - half - left) * PHASES)
    const phaseY = Math.floor((at.y - half - top) * PHASES)
    const mask = this.#maskOf(shape)[phaseY * PHASES + phaseX]!
    const fromX = Math.max(0, -left)
    const toX = Math.min(size, width - left)
    const toY = Math.min(size, height - top)
    for (let y = Math.max(0, -top); y < toY; y += 1) {
      let pixel = (top + y) * width + left + fromX
      for (let x = fromX; x < toX; x += 1, pixel += 1) {
        const alpha = mask[y * size + x]!
        if (alpha > target[pixel]! >>> 24) target[pixel] = ((alpha << 24) | rgb) >>> 0
      }
    }
  }

  #maskOf(shape: SeatShape): Uint8Array[] {
    let masks = this.#masks.get(shape)
    if (!masks) {
      masks = Array.from({ length: PHASES * PHASES }, (_, phase) =>
        coverage(
          shape,
          this.#radius,
          this.#size,
          (phase % PHASES) / PHASES,
          Math.floor(phase / PHASES) / PHASES,
        ),
      )
      this.#masks.set(shape, masks)
    }
    return masks
  }
}

const SAMPLES = 4

function coverage(
  shape: SeatShape,
  radius: number,
  size: number,
  shiftX: number,
  shiftY: number,
): Uint8Array {
  const mask = new Uint8Array(size * size)
  // The middle of the range of places that share this stamp.
  const centreX = size / 2 + shiftX + 0.5 / PHASES
  const centreY = size / 2 + shiftY + 0.5 / PHASES
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      let inside = 0
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
        const dx = x + ((sample % SAMPLES) + 0.5) / SAMPLES - centreX
        const dy = y + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES - centreY
        if (isCovered(shape, radius, dx, dy)) inside += 1
      }
      mask[y * size + x] = Math.round((255 * inside) / (SAMPLES * SAMPLES))
    }
  }
  return mask
}

function isCovered(shape: SeatShape, radius: number, dx: number, dy: number): boolean {
  const distance = Math.hypot(dx, dy)
  switch (shape) {
    case 'disc':
      return distance <= radius
    case 'square':
      return Math.max(Math.abs(dx), Math.abs(dy)) <= 0.95 * radius
    case 'ring':
      return distance <= radius && distance >= radius - Math.max(1, 0.3 * radius)
    case 'hoop':
      return distance <= 0.7 * radius && distance >= 0.7 * radius - Math.max(0.6, 0.14 * radius)
    case 'speck':
      return distance <= Math.max(0.6, 0.4 * radius)
    case 'dash':
      return Math.abs(dx) <= 0.8 * radius && Math.abs(dy) <= Math.max(0.4, 0.16 * radius)
  }
}
