import type { Point } from '@voelgoed/core/layout/model'
import { pointBounds } from '../document/geometry.ts'
import type { Bounds, MapModel } from '../document/model.ts'
import { type Camera, clamp, clampCamera, fitBounds, panBy, type Size, zoomTo } from '../paint/camera.ts'
import { type Detail, detailOf, LARGEST_PX } from '../paint/detail.ts'
import { cameraAt, glide, type Motion } from './motion.ts'
import { wholeView } from './whole-view.ts'

const ZONE_MARGIN_PX = 32
/** A zoom has come to rest when the buyer turned nothing for this long. */
const SETTLED_MS = 140

/**
 * Where the buyer looks: the camera within its limits, and the motion it is in. Calls `changed` when the next
 * frame will show something else; the frame then calls `advance`.
 */
export class Viewpoint {
  reducedMotion: boolean
  readonly #model: MapModel
  readonly #changed: () => void
  /** The camera comes nearer to this from the whole hall; null: to its middle. */
  readonly #towards: Point | null
  #size: Size
  #whole: Camera
  #camera: Camera
  #motion: Motion | null = null
  #zoomedAt = Number.NEGATIVE_INFINITY
  /** The buyer has not moved the map yet: a new size shows the whole hall again. */
  #isFitted = true

  constructor(
    model: MapModel,
    size: Size,
    reducedMotion: boolean,
    changed: () => void,
    towards: Point | null = null,
    covers: readonly Bounds[] = [],
  ) {
    this.#model = model
    this.#size = size
    this.reducedMotion = reducedMotion
    this.#changed = changed
    this.#towards = towards
    this.#whole = this.#fitWhole(covers)
    this.#camera = this.#whole
  }

  get camera(): Camera {
    return this.#camera
  }

  get size(): Size {
    return this.#size
  }

  /** Where the camera is, or where it is on its way to. */
  get rest(): Camera {
    return this.#motion?.kind === 'journey' ? this.#motion.to : this.#camera
  }

  /** The camera that has all of the hall in view. */
  get whole(): Camera {
    return this.#whole
  }

  get pitchPx(): number {
    return this.#model.pitch * this.#camera.scale
  }

  get detail(): Detail {
    return detailOf(this.pitchPx, this.#model.seatCount)
  }

  /** Nearer than the whole hall, so that not all of it is in view. */
  get isNearer(): boolean {
    return this.#camera.scale > 1.25 * this.whole.scale
  }

  get isMoving(): boolean {
    return this.#motion !== null
  }

  /** The buyer turns the wheel or spreads two fingers. */
  isTurning(now: number): boolean {
    return now - this.#zoomedAt < SETTLED_MS
  }

  /** The camera that has all of a zone in view. */
  onZone(zoneIndex: number): Camera {
    return fitBounds(pointBounds(this.#model.zones[zoneIndex]!.outline), this.#size, ZONE_MARGIN_PX)
  }

  travelTo(target: Camera): void {
    const to = clampCamera(target, this.#limits)
    this.#isFitted = false
    if (this.reducedMotion) {
      this.#motion = null
      this.#camera = to
    } else this.#motion = { kind: 'journey', from: this.#camera, to, startedAt: performance.now() }
    this.#changed()
  }

  jumpTo(target: Camera): void {
    this.#motion = null
    this.#isFitted = false
    this.#camera = clampCamera(target, this.#limits)
    this.#changed()
  }

  fit(): void {
    this.travelTo(this.whole)
    this.#isFitted = true
  }

  zoomBy(factor: number): void {
    const from = this.#isFitted && factor > 1 ? { ...this.rest, ...this.#towards } : this.rest
    this.travelTo({ ...from, scale: from.scale * factor })
  }

  /** Keeps the place under `at` where it is. It travels there; a gesture (`turn`) moves at once. */
  zoomAt(at: Point, factor: number): void {
    const scale = Math.min(this.rest.scale * factor, this.#limits.maxScale)
    this.travelTo(zoomTo(this.#camera, this.#size, at, scale))
  }

  turn(at: Point, factor: number): void {
    const { minScale, maxScale } = this.#limits
    const scale = clamp(this.#camera.scale * factor, minScale, maxScale)
    this.#zoomedAt = performance.now()
    this.jumpTo(zoomTo(this.#camera, this.#size, at, scale))
  }

  drag(dx: number, dy: number): void {
    this.jumpTo(panBy(this.#camera, dx, dy))
  }

  /** The hall goes on by itself after it was thrown. CSS pixels a millisecond. */
  fling(vx: number, vy: number): void {
    this.#motion = this.reducedMotion ? null : glide(this.#camera, vx, vy, performance.now())
    this.#changed()
  }

  halt(): void {
    this.#motion = null
  }

  /** A map that only becomes lower or higher, as above a sheet that grows, keeps its seats where they are. */
  resize(size: Size, covers: readonly Bounds[] = []): void {
    const isSheet = size.width === this.#size.width
    const lower = isSheet ? (size.height - this.#size.height) / 2 / this.#camera.scale : 0
    this.#size = size
    this.#whole = this.#fitWhole(covers)
    this.#motion = null
    const moved = { ...this.#camera, y: this.#camera.y + lower }
    this.#camera = this.#isFitted ? this.whole : clampCamera(moved, this.#limits)
  }

  /** Moves the camera to where its motion has it now. */
  advance(now: number): void {
    if (!this.#motion) return
    const { camera, isOver } = cameraAt(this.#motion, Math.max(now, performance.now()))
    this.#camera = clampCamera(camera, this.#limits)
    if (isOver) this.#motion = null
  }

  /** `covers`: what lies over the map, in CSS pixels. */
  #fitWhole(covers: readonly Bounds[]): Camera {
    return wholeView(this.#model, this.#size, this.#largestScale, covers)
  }

  get #largestScale(): number {
    return LARGEST_PX / this.#model.pitch
  }

  get #limits() {
    const { scale } = this.whole
    return {
      minScale: scale * 0.8,
      maxScale: Math.max(this.#largestScale, scale),
      bounds: this.#model.bounds,
    }
  }
}
