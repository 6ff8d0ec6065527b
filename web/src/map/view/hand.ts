import type { Point } from '@voelgoed/core/layout/model'
import type { SeatStates } from '../document/seat-states.ts'
import { toWorld, zoomTo } from '../paint/camera.ts'
import { COMFORTABLE_PX, canAim } from '../paint/detail.ts'
import type { Floor } from './floor.ts'
import { listenToGestures } from './gestures.ts'
import { listenForPresses } from './press-focus.ts'
import type { SeatMapOptions } from './seat-map-options.ts'
import { zoneAround } from './under-eye.ts'

/** The mouse may miss a seat by this much of its radius, a finger by more. */
const REACH_OF_PITCH = { mouse: 0.55, touch: 0.8 }
const DOUBLE_TAP_ZOOM = 2.2

interface HandParts {
  readonly container: HTMLElement
  readonly canvas: HTMLCanvasElement
  readonly states: SeatStates
  readonly options: Pick<SeatMapOptions, 'onSeat' | 'onZone' | 'onHover' | 'onGround'>
  /** Returns the floor that is drawn now. */
  floor(): Floor
  /** The next frame will show something else. */
  changed(): void
}

/**
 * Turns what a mouse and fingers do into moves of the map, and keeps what is chosen with them or with the
 * keyboard.
 */
export class Hand {
  readonly #parts: HandParts
  #hover: number | null = null

  constructor(parts: HandParts) {
    this.#parts = parts
  }

  /** The seat under the mouse. */
  get hover(): number | null {
    return this.#hover
  }

  /** Returns what ends it. */
  listen(): () => void {
    const { container, canvas, floor } = this.#parts
    const stop = listenForPresses(container, () => floor().keys.putAway())
    const stopGestures = listenToGestures(canvas, {
      begin: () => floor().viewpoint.halt(),
      pan: (dx, dy) => floor().viewpoint.drag(dx, dy),
      zoom: (at, factor) => floor().viewpoint.turn(at, factor),
      fling: (vx, vy) => floor().viewpoint.fling(vx, vy),
      tap: (at, pointerType) => this.#tap(at, pointerType),
      doubleTap: (at, pointerType) => this.#doubleTap(at, pointerType),
      hover: at => this.hoverOver(at && this.#seatAt(at, 'mouse')),
    })
    return () => {
      stop()
      stopGestures()
    }
  }

  hoverOver(seat: number | null): void {
    const { canvas, states, options } = this.#parts
    canvas.style.cursor = seat !== null && states.isKnown ? 'pointer' : ''
    if (seat === this.#hover) return
    this.#hover = seat
    options.onHover?.(seat)
    this.#parts.changed()
  }

  /** Chooses the place that the keyboard is at. */
  chooseStop(): void {
    const { states, options } = this.#parts
    const { keys } = this.#parts.floor()
    const stop = keys.shown
    if (!stop) keys.begin()
    else if (stop.kind === 'zone') this.#chooseZone(stop.zoneIndex)
    else if (states.isKnown) options.onSeat(stop.ordinal, 'keys')
  }

  leave(): void {
    const { keys, viewpoint } = this.#parts.floor()
    keys.leave()
    viewpoint.fit()
  }

  #seatAt(at: Point, pointerType: string): number | null {
    const { viewpoint, scene, model } = this.#parts.floor()
    const { camera, size, pitchPx } = viewpoint
    if (!canAim(pitchPx, pointerType)) return null
    const place = toWorld(camera, size, at)
    const reach = pointerType === 'mouse' ? REACH_OF_PITCH.mouse : REACH_OF_PITCH.touch
    return scene.grid.nearest(place.x, place.y, reach * model.pitch)
  }

  #zoneAt(at: Point): number | null {
    const { model, viewpoint } = this.#parts.floor()
    const zone = zoneAround(model, toWorld(viewpoint.camera, viewpoint.size, at))
    return zone === -1 ? null : zone
  }

  #tap(at: Point, pointerType: string): void {
    const { container, options } = this.#parts
    container.focus({ preventScroll: true })
    const seat = this.#seatAt(at, pointerType)
    if (seat !== null) {
      this.#choose(seat, pointerType)
      return
    }
    options.onGround?.()
    const zone = this.#zoneAt(at)
    if (zone === null) return
    const { viewpoint, model } = this.#parts.floor()
    const isTooSmall = !canAim(viewpoint.pitchPx, pointerType)
    if (isTooSmall && model.zones[zone]!.seatCount > 0) this.#comeNearer(at, zone)
    this.#chooseZone(zone)
  }

  #doubleTap(at: Point, pointerType: string): void {
    const seat = this.#seatAt(at, pointerType)
    // Two quick taps on seats are two taps on seats.
    if (seat !== null) this.#choose(seat, pointerType)
    else this.#parts.floor().viewpoint.zoomAt(at, DOUBLE_TAP_ZOOM)
  }

  #choose(ordinal: number, pointerType: string): void {
    const { states, options, floor } = this.#parts
    floor().keys.putAt(ordinal)
    if (!states.isKnown) return
    options.onSeat(ordinal, pointerType === 'mouse' ? 'mouse' : 'touch')
  }

  #chooseZone(zoneIndex: number): void {
    const { states, options } = this.#parts
    if (states.freeIn(zoneIndex) !== null) options.onZone(zoneIndex)
  }

  /** From far to the whole zone, from there to where its seats can be aimed at. */
  #comeNearer(at: Point, zoneIndex: number): void {
    const { viewpoint, model } = this.#parts.floor()
    const { camera, size, detail } = viewpoint
    const zone = viewpoint.onZone(zoneIndex)
    const isFar = detail === 'zones' && zone.scale > 1.3 * camera.scale
    viewpoint.travelTo(isFar ? zone : zoomTo(camera, size, at, COMFORTABLE_PX / model.pitch))
  }
}
