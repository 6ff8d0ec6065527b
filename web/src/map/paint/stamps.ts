import { AVAILABLE, BLOCKED, HELD, type SeatCategory, SOLD, UNKNOWN } from '../document/model.ts'
import { CORNER, HELD_SIZE, isOnStar, SOLD_SIZE, TINT } from './seat-shapes.ts'

/**
 * Small seats are stamped into pixels: in a browser without a graphics card a hundred times quicker than as
 * many calls of a drawing context. A stamp is how much of each pixel a shape covers, at one of 16 offsets
 * within a pixel, so that rows stay even, and turned by one of a few angles.
 */

const PHASES = 4
/** A quarter turn of a square is the same square: these are the angles up to it. */
export const TURNS = 12
/** Half a seat of fewer device pixels looks the same however it is turned. */
const TURNED_FROM_PX = 2.2
const STARRED_FROM_PX = 4

const SHAPES = ['seat', 'square', 'outlined', 'tinted', 'starred', 'ring', 'speck', 'dash', 'hoop'] as const
export type SeatShape = (typeof SHAPES)[number]
const INDEX_OF = Object.fromEntries(SHAPES.map((shape, index) => [shape, index])) as Record<SeatShape, number>

/** The shape tells the state and the kind, also without colour. */
export function shapeOf(status: number, category: SeatCategory, isMembers = false): SeatShape {
  switch (status) {
    case AVAILABLE:
      if (category === 'wheelchair') return 'square'
      if (category === 'companion') return 'outlined'
      if (category === 'restricted_view') return 'tinted'
      return isMembers ? 'starred' : 'seat'
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

export interface Stamp {
  readonly shape: SeatShape
  /** 0 … TURNS − 1. */
  readonly turn: number
  /** Blue, green and red from high to low, as little-endian pixels have them. */
  readonly rgb: number
  /** 0 … 1. */
  readonly opacity: number
}

export class Stamps {
  readonly #half: number
  readonly #size: number
  /** By shape, turn and phase. */
  readonly #masks: (Uint8Array | undefined)[] = []
  readonly #isTurned: boolean

  /** `half`: of a seat's side, in device pixels. */
  constructor(half: number) {
    this.#half = half
    this.#isTurned = half >= TURNED_FROM_PX
    // A turned square reaches further, but its corners are round.
    this.#size = Math.ceil(2 * half * (this.#isTurned ? 1.2 : 1)) + 2
  }

  stamp(
    target: Uint32Array,
    width: number,
    height: number,
    at: { x: number; y: number },
    { shape, turn, rgb, opacity }: Stamp,
  ): void {
    const size = this.#size
    const half = size / 2
    const left = Math.floor(at.x - half)
    const top = Math.floor(at.y - half)
    const phaseX = Math.floor((at.x - half - left) * PHASES)
    const phaseY = Math.floor((at.y - half - top) * PHASES)
    const mask = this.#maskOf(shape, this.#isTurned ? turn : 0, phaseY * PHASES + phaseX)
    const fromX = Math.max(0, -left)
    const toX = Math.min(size, width - left)
    const toY = Math.min(size, height - top)
    for (let y = Math.max(0, -top); y < toY; y += 1) {
      let pixel = (top + y) * width + left + fromX
      for (let x = fromX; x < toX; x += 1, pixel += 1) {
        const alpha = opacity === 1 ? mask[y * size + x]! : (mask[y * size + x]! * opacity) | 0
        if (alpha > target[pixel]! >>> 24) target[pixel] = ((alpha << 24) | rgb) >>> 0
      }
    }
  }

  #maskOf(shape: SeatShape, turn: number, phase: number): Uint8Array {
    const key = (INDEX_OF[shape] * TURNS + turn) * PHASES * PHASES + phase
    let mask = this.#masks[key]
    if (!mask) {
      const shiftX = (phase % PHASES) / PHASES
      const shiftY = Math.floor(phase / PHASES) / PHASES
      mask = coverage(shape, this.#half, this.#size, (turn * Math.PI) / 2 / TURNS, shiftX, shiftY)
      this.#masks[key] = mask
    }
    return mask
  }
}

function coverage(
  shape: SeatShape,
  half: number,
  size: number,
  angle: number,
  shiftX: number,
  shiftY: number,
): Uint8Array {
  const mask = new Uint8Array(size * size)
  const form = formOf(shape, half)
  // The middle of the range of places that share this stamp.
  const centreX = size / 2 + shiftX + 0.5 / PHASES
  const centreY = size / 2 + shiftY + 0.5 / PHASES
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const dx = x + 0.5 - centreX
      const dy = y + 0.5 - centreY
      const covered = coverOf(form, dx * cos + dy * sin, dy * cos - dx * sin)
      if (covered > 0) mask[y * size + x] = Math.round(255 * covered)
    }
  }
  return mask
}

/** A square with round corners, full or hollow. Sizes are in pixels. */
interface Form {
  readonly half: number
  /** The radius of its corners, as a share of its half. */
  readonly corner: number
  /** Half of its hollow; 0: it is full. */
  readonly hollow: number
  /** The part of the hollow that is covered. */
  readonly within: number
  readonly hasStar: boolean
  /** Half of the height of what is no square. */
  readonly flat: number
}

function formOf(shape: SeatShape, half: number): Form {
  const full = (size: number, corner: number, more: Partial<Form> = {}) => ({
    ...{ half: size, corner, hollow: 0, within: 0, hasStar: false, flat: size },
    ...more,
  })
  const hollow = (size: number, corner: number, width: number, within = 0) =>
    full(size, corner, { hollow: Math.max(0, size - width), within })
  switch (shape) {
    case 'seat':
      return full(half, 2 * CORNER)
    case 'starred':
      return full(half, 2 * CORNER, { hasStar: half >= STARRED_FROM_PX })
    case 'square':
      return full(half, 0.2)
    case 'outlined':
      return hollow(half, 0.3, Math.max(1, 0.24 * half))
    case 'tinted':
      return hollow(half, 2 * CORNER, Math.max(0.9, 0.22 * half), 1.6 * TINT)
    case 'ring':
      return hollow(Math.max(1, HELD_SIZE * half), 2 * CORNER, Math.max(0.8, 0.24 * half))
    case 'hoop':
      return hollow(0.75 * half, 2 * CORNER, Math.max(0.5, 0.14 * half))
    case 'speck':
      return full(Math.max(0.6, SOLD_SIZE * half), 2 * CORNER)
    case 'dash':
      return full(SOLD_SIZE * half, 0, { flat: Math.max(0.4, 0.15 * half) })
  }
}

/** Returns how much of a pixel a form covers, 0 … 1, by how far its middle is from the form's edges. */
function coverOf({ half, flat, corner, hollow, within, hasStar }: Form, dx: number, dy: number): number {
  let covered = squareCover(half, flat, corner * half, dx, dy)
  if (covered === 0) return 0
  if (hollow > 0) covered -= (1 - within) * squareCover(hollow, hollow, corner * hollow, dx, dy)
  if (hasStar) covered -= starCover(half, dx, dy)
  return Math.max(0, covered)
}

/**
 * Covers a pixel with a square with round corners, or with a bar. A form thinner than a pixel covers its
 * width at most.
 */
function squareCover(halfWidth: number, halfHeight: number, radius: number, dx: number, dy: number): number {
  const x = Math.abs(dx) - (halfWidth - radius)
  const y = Math.abs(dy) - (halfHeight - radius)
  const outside = x <= 0 || y <= 0 ? Math.max(x, y) : Math.sqrt(x * x + y * y)
  const covered = Math.min(1, 0.5 - (outside - radius))
  return covered <= 0 ? 0 : Math.min(covered, 2 * halfWidth, 2 * halfHeight)
}

const SAMPLES = 4

function starCover(half: number, dx: number, dy: number): number {
  if (Math.hypot(dx, dy) > half) return 0
  let sum = 0
  for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
    const x = dx + ((sample % SAMPLES) + 0.5) / SAMPLES - 0.5
    const y = dy + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES - 0.5
    if (isOnStar(x / half, y / half)) sum += 1
  }
  return sum / (SAMPLES * SAMPLES)
}
