import type { MapModel } from '../document/model.ts'
import type { SeatGrid } from '../document/seat-grid.ts'
import { clamp, panBy, toScreen } from '../paint/camera.ts'
import { COMFORTABLE_PX, detailOf } from '../paint/detail.ts'
import {
  type Direction,
  nearestStop,
  neighbour,
  placeOfStop,
  rowEnd,
  rowStep,
  type Stop,
} from './neighbour.ts'
import type { Viewpoint } from './viewpoint.ts'

/** The seat that the keyboard is at keeps this far from the edge, so that the buyer sees what is next. */
const KEEP_FROM_EDGE_PX = 88

/**
 * Where the keyboard is in the hall, and its steps from there. The camera goes along. Calls `changed` with
 * the stop whose ring the next frame shows; null: none.
 */
export class KeyWalk {
  readonly #model: MapModel
  readonly #grid: SeatGrid
  readonly #viewpoint: Viewpoint
  readonly #changed: (shown: Stop | null) => void
  /** A press puts it there as well; its ring is drawn once a key is used. */
  #stop: Stop | null = null
  #usesKeys = false

  constructor(
    hall: { readonly model: MapModel; readonly grid: SeatGrid },
    viewpoint: Viewpoint,
    changed: (shown: Stop | null) => void,
  ) {
    this.#model = hall.model
    this.#grid = hall.grid
    this.#viewpoint = viewpoint
    this.#changed = changed
  }

  /** The stop that has a ring around it. */
  get shown(): Stop | null {
    return this.#usesKeys ? this.#stop : null
  }

  /** The buyer pressed a seat: the next key goes on from there. */
  putAt(ordinal: number): void {
    this.#stop = { kind: 'seat', ordinal }
  }

  /** Shows where the keyboard is. */
  begin(): void {
    this.#stepFrom(stop => stop)
  }

  move(direction: Direction): void {
    this.#stepFrom(stop => neighbour(this.#model, this.#grid, stop, direction) ?? stop)
  }

  toRowEnd(end: 'first' | 'last'): void {
    this.#stepFrom(stop => rowEnd(this.#model, stop, end))
  }

  byRow(step: -1 | 1): void {
    this.#stepFrom(stop => rowStep(this.#model, stop, step))
  }

  leave(): void {
    this.#stop = null
    this.putAway()
  }

  /** The ring and what is said of its seat go; where the keyboard was is remembered. */
  putAway(): void {
    if (!this.#usesKeys) return
    this.#usesKeys = false
    this.#changed(null)
  }

  /** The first key goes to what is in the middle of the view, every other one on from there. */
  #stepFrom(next: (stop: Stop) => Stop): void {
    const isFirst = !this.#stop || (!this.#usesKeys && !this.#isInView(this.#stop))
    const stop = isFirst ? nearestStop(this.#model, this.#grid, this.#viewpoint.rest) : next(this.#stop!)
    if (!stop) return
    this.#usesKeys = true
    this.#stop = stop
    this.#follow(stop)
    this.#changed(stop)
  }

  #isInView(stop: Stop, margin = 0): boolean {
    const { rest, size } = this.#viewpoint
    const { x, y } = toScreen(rest, size, placeOfStop(this.#model, stop))
    return x >= margin && y >= margin && x <= size.width - margin && y <= size.height - margin
  }

  /**
   * The camera goes along: so near that seats can be told apart,
   * and never so that the stop is at the very edge.
   */
  #follow(stop: Stop): void {
    const { rest, size } = this.#viewpoint
    const place = placeOfStop(this.#model, stop)
    const { pitch, seatCount } = this.#model
    if (stop.kind === 'seat' && detailOf(pitch * rest.scale, seatCount) !== 'seats') {
      this.#viewpoint.travelTo({ ...place, scale: COMFORTABLE_PX / this.#model.pitch })
      return
    }
    const margin = Math.min(KEEP_FROM_EDGE_PX, size.width / 3, size.height / 3)
    if (this.#isInView(stop, margin)) return
    const at = toScreen(rest, size, place)
    const dx = clamp(at.x, margin, size.width - margin) - at.x
    const dy = clamp(at.y, margin, size.height - margin) - at.y
    this.#viewpoint.travelTo(panBy(rest, dx, dy))
  }
}
