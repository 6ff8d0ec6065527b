import type { Point } from '@voelgoed/core/layout/model'
import {
  type Camera,
  type CameraLimits,
  clamp,
  clampCamera,
  fitBounds,
  panBy,
  type Size,
  toScreen,
  toWorld,
  zoomTo,
} from './camera.ts'
import { Controls } from './controls.ts'
import { COMFORTABLE_PX, canAim, type Detail, detailOf, LARGEST_PX } from './detail.ts'
import { pointBounds } from './geometry.ts'
import { listenToGestures } from './gestures.ts'
import { Minimap } from './minimap.ts'
import type { MapModel, SeatStatus, ShownStatus } from './model.ts'
import { cameraAt, glide, type Motion } from './motion.ts'
import {
  type Direction,
  nearestStop,
  neighbour,
  placeOfStop,
  rowEnd,
  rowStep,
  type Stop,
} from './neighbour.ts'
import { drawMarks } from './overlay.ts'
import { RADIUS_OF_PITCH } from './painting.ts'
import { Picture } from './picture.ts'
import { Pin } from './pin.ts'
import { type MapWords, Scene } from './scene.ts'
import type { PlaceCount } from './seat-states.ts'
import type { MapTheme } from './theme.ts'
import { underEye, zoneAround } from './under-eye.ts'
import './seat-map.css'

/** Middle of the view in the hall's units, CSS pixels a unit, and what is drawn at that scale. */
export interface View extends Camera {
  readonly detail: Detail
}

export interface SeatMapOptions {
  readonly theme: MapTheme
  readonly words: MapWords
  readonly reducedMotion: boolean
  /**
   * A seat was chosen. Where seats are too small to aim at, the map comes nearer instead; before the first
   * snapshot no seat can be chosen.
   */
  onSeat(ordinal: number, by: Means): void
  /** A zone was chosen. The map comes nearer by itself if the zone has seats. */
  onZone(zoneIndex: number): void
  /** The mouse is over a seat now, or over none. */
  onHover?(ordinal: number | null): void
  /** The keyboard is at a seat or at a zone without seats now; null: at none. */
  onStop?(stop: Stop | null): void
  /** A finger or a mouse was pressed where there is no seat. */
  onGround?(): void
  onView?(view: View): void
  /** Once: all that is in view is painted. */
  onPicture?(): void
}

/** In the browser's own timeline, where a measurement of the page finds it. */
const FIRST_PICTURE = 'seat-map-picture'
const MARGIN_PX = 16
/** The mouse may miss a seat by this much of its radius, a finger by more. */
const REACH_OF_PITCH = { mouse: 0.55, touch: 0.8 }
/** A zoom has come to rest when nothing was turned for this long. */
const SETTLED_MS = 140
/** Painting leaves the rest of a frame to the browser. */
const PAINT_MS = 7
/**
 * How full a zone is may be this old on the screen:
 * 1,000 seats a second would repaint all of them every frame.
 */
const ZONES_EVERY_MS = 250
const MINIMAP_EVERY_MS = 2_000
const DOUBLE_TAP_ZOOM = 2.2
/** The seat that the keyboard is at keeps this far from the edge, so that one sees what is next. */
const KEEP_FROM_EDGE_PX = 88

/** What a seat was chosen with. */
export type Means = 'mouse' | 'touch' | 'keys'

export class SeatMap {
  readonly #container: HTMLElement
  readonly #model: MapModel
  readonly #options: SeatMapOptions
  readonly #scene: Scene
  readonly #picture: Picture
  readonly #minimap: Minimap
  readonly #controls: Controls
  readonly #pin = new Pin()
  readonly #canvas = document.createElement('canvas')
  readonly #context: CanvasRenderingContext2D
  readonly #observer: ResizeObserver
  readonly #stopGestures: () => void
  #reducedMotion: boolean
  #camera: Camera
  #size: Size = { width: 1, height: 1 }
  #ratio = 1
  #motion: Motion | null = null
  #zoomedAt = Number.NEGATIVE_INFINITY
  /** The buyer has not moved the map yet: a new size shows the whole hall again. */
  #isFitted = true
  #frame = 0
  #marks: { readonly mine: ReadonlySet<number>; readonly pending: ReadonlySet<number> } = {
    mine: new Set(),
    pending: new Set(),
  }
  /** Where the keyboard is. A press puts it there as well; its ring is drawn once a key is used. */
  #stop: Stop | null = null
  #usesKeys = false
  #hover: number | null = null
  readonly #staleZones = new Set<number>()
  #zonesPaintedAt = Number.NEGATIVE_INFINITY
  #zoneTimer: ReturnType<typeof setTimeout> | undefined
  #minimapPaintedAt = Number.NEGATIVE_INFINITY
  #hasPicture = false
  /** What the pin was made from. */
  #pinned: { readonly camera: Camera; readonly words: MapWords } | null = null

  constructor(container: HTMLElement, model: MapModel, options: SeatMapOptions) {
    this.#container = container
    this.#model = model
    this.#options = options
    this.#reducedMotion = options.reducedMotion
    this.#scene = new Scene(model, options.theme, options.words)
    this.#picture = new Picture(this.#scene)
    this.#canvas.className = 'seat-map-canvas'
    this.#canvas.setAttribute('aria-hidden', 'true')
    this.#context = this.#canvas.getContext('2d', { alpha: false })!
    this.#minimap = new Minimap(this.#scene, container.clientWidth, place =>
      this.#jumpTo({ ...this.#camera, ...place }),
    )
    this.#minimap.canvas.setAttribute('aria-hidden', 'true')
    this.#controls = new Controls(container, options.words, {
      zoomBy: factor => this.zoomBy(factor),
      panBy: (dx, dy) => this.#travelTo(panBy(this.#rest, dx, dy)),
      fit: () => this.fit(),
      move: direction => this.#move(direction),
      toRowEnd: end => this.#stepFrom(stop => rowEnd(this.#model, stop, end)),
      byRow: step => this.#stepFrom(stop => rowStep(this.#model, stop, step)),
      choose: () => this.#chooseStop(),
      leave: () => this.#leave(),
    })
    container.classList.add('seat-map')
    if (!container.hasAttribute('tabindex')) container.tabIndex = 0
    container.append(this.#canvas, this.#pin.element, this.#minimap.canvas, this.#controls.element)
    this.#showTheme()

    this.#readSize()
    this.#camera = this.#whole
    this.#observer = new ResizeObserver(() => this.#resize())
    this.#observer.observe(container)
    this.#stopGestures = this.#listen()
    this.#requestFrame()
  }

  /** One byte a seat. Not to be written to. */
  get statuses(): Uint8Array {
    return this.#scene.states.statuses
  }

  statusOf(ordinal: number): ShownStatus {
    return this.#scene.states.statuses[ordinal] as ShownStatus
  }

  /** Where a seat is on the screen now, in CSS pixels of the container; null: out of view. */
  placeOf(ordinal: number): (Point & { readonly radius: number }) | null {
    if (!this.#model.has(ordinal)) return null
    const { x, y } = this.#model
    const at = toScreen(this.#camera, this.#size, { x: x[ordinal]!, y: y[ordinal]! })
    const isSeen = at.x >= 0 && at.y >= 0 && at.x <= this.#size.width && at.y <= this.#size.height
    return isSeen ? { ...at, radius: RADIUS_OF_PITCH * this.#pitchPx } : null
  }

  get view(): View {
    return { ...this.#camera, detail: detailOf(this.#pitchPx) }
  }

  /** A whole snapshot: two bits a seat, as the availability answer has them. */
  setStatuses(bits: Uint8Array): void {
    const wasKnown = this.#scene.states.isKnown
    const changed = this.#scene.states.setAll(bits)
    if (changed.length > 2_000 || !wasKnown) {
      this.#picture.invalidateAll()
      this.#minimap.invalidate()
      this.#requestFrame()
    } else this.#repaint(changed)
  }

  setStatus(changes: Iterable<readonly [ordinal: number, status: SeatStatus]>): void {
    const changed: number[] = []
    for (const [ordinal, status] of changes)
      if (this.#scene.states.set(ordinal, status)) changed.push(ordinal)
    this.#repaint(changed)
  }

  setMine(ordinals: ReadonlySet<number>): void {
    this.#marks = { ...this.#marks, mine: new Set(ordinals) }
    this.#requestFrame()
  }

  /** Asked for, not yet granted. */
  setPending(ordinals: ReadonlySet<number>): void {
    this.#marks = { ...this.#marks, pending: new Set(ordinals) }
    this.#requestFrame()
  }

  /** By zone index; null where it is not known yet. Zones with seats are counted from their seats. */
  setZoneCounts(counts: readonly PlaceCount[]): void {
    for (const zoneIndex of this.#scene.states.setPlaces(counts)) this.#staleZones.add(zoneIndex)
    this.#requestFrame()
  }

  setTheme(theme: MapTheme): void {
    if (theme === this.#scene.theme) return
    this.#scene.theme = theme
    this.#showTheme()
    this.#picture.invalidateAll()
    this.#minimap.invalidate()
    this.#requestFrame()
  }

  setWords(words: MapWords): void {
    if (words === this.#scene.words) return
    this.#scene.words = words
    this.#controls.setWords(words)
    this.#picture.invalidateAll()
    this.#requestFrame()
  }

  setReducedMotion(isReduced: boolean): void {
    this.#reducedMotion = isReduced
  }

  showSeat(ordinal: number): void {
    if (!this.#model.has(ordinal)) return
    const scale = Math.max(this.#rest.scale, COMFORTABLE_PX / this.#model.pitch)
    this.#travelTo({ x: this.#model.x[ordinal]!, y: this.#model.y[ordinal]!, scale })
  }

  showZone(zoneIndex: number): void {
    const zone = this.#model.zones[zoneIndex]
    if (!zone) return
    this.#travelTo(fitBounds(pointBounds(zone.outline), this.#size, 2 * MARGIN_PX))
  }

  fit(): void {
    this.#travelTo(this.#whole)
    this.#isFitted = true
  }

  zoomBy(factor: number): void {
    const rest = this.#rest
    this.#travelTo({ ...rest, scale: rest.scale * factor })
  }

  destroy(): void {
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#zoneTimer)
    this.#observer.disconnect()
    this.#stopGestures()
    this.#controls.destroy()
    this.#minimap.destroy()
    const { element: pin } = this.#pin
    for (const element of [this.#canvas, pin, this.#minimap.canvas, this.#controls.element]) element.remove()
  }

  get #pitchPx(): number {
    return this.#model.pitch * this.#camera.scale
  }

  /** Nearer than the whole hall, so that not all of it is in view. */
  get #isNearer(): boolean {
    return this.#camera.scale > 1.25 * this.#whole.scale
  }

  get #whole(): Camera {
    const whole = fitBounds(this.#model.bounds, this.#size, MARGIN_PX)
    return { ...whole, scale: Math.min(whole.scale, this.#largestScale) }
  }

  get #largestScale(): number {
    return LARGEST_PX / this.#model.pitch
  }

  /** Where the camera is, or where it is on its way to. */
  get #rest(): Camera {
    return this.#motion?.kind === 'journey' ? this.#motion.to : this.#camera
  }

  #limits(): CameraLimits {
    const { scale } = this.#whole
    return {
      minScale: scale * 0.8,
      maxScale: Math.max(this.#largestScale, scale),
      bounds: this.#model.bounds,
    }
  }

  #travelTo(target: Camera): void {
    const to = clampCamera(target, this.#limits())
    this.#isFitted = false
    if (this.#reducedMotion) {
      this.#motion = null
      this.#camera = to
    } else this.#motion = { kind: 'journey', from: this.#camera, to, startedAt: performance.now() }
    this.#requestFrame()
  }

  #jumpTo(target: Camera): void {
    this.#motion = null
    this.#isFitted = false
    this.#camera = clampCamera(target, this.#limits())
    this.#requestFrame()
  }

  #listen(): () => void {
    const stop = this.#listenForPointers()
    const stopGestures = this.#listenToGestures()
    return () => {
      stop()
      stopGestures()
    }
  }

  /**
   * A press gives the map the focus, for its keys. Browsers disagree whether that is `:focus-visible`; a
   * buyer who touches a seat asked for no ring around the hall,
   * so the attribute takes it away until a key is pressed.
   */
  #listenForPointers(): () => void {
    const stop = new AbortController()
    const { signal } = stop
    const container = this.#container
    container.addEventListener('pointerdown', () => container.setAttribute('data-pressed', ''), { signal })
    for (const name of ['keydown', 'blur']) {
      container.addEventListener(name, () => container.removeAttribute('data-pressed'), { signal })
    }
    for (const name of ['pointerdown', 'blur']) {
      container.addEventListener(name, () => this.#putKeysAway(), { signal })
    }
    return () => stop.abort()
  }

  #listenToGestures(): () => void {
    return listenToGestures(this.#canvas, {
      begin: () => {
        this.#motion = null
      },
      pan: (dx, dy) => this.#jumpTo(panBy(this.#camera, dx, dy)),
      zoom: (at, factor) => {
        const { minScale, maxScale } = this.#limits()
        const scale = clamp(this.#camera.scale * factor, minScale, maxScale)
        this.#zoomedAt = performance.now()
        this.#jumpTo(zoomTo(this.#camera, this.#size, at, scale))
      },
      fling: (vx, vy) => {
        this.#motion = this.#reducedMotion ? null : glide(this.#camera, vx, vy, performance.now())
        this.#requestFrame()
      },
      tap: (at, pointerType) => this.#tap(at, pointerType),
      doubleTap: (at, pointerType) => this.#doubleTap(at, pointerType),
      hover: at => this.#hoverAt(at),
    })
  }

  #seatAt(at: Point, pointerType: string): number | null {
    if (!canAim(this.#pitchPx, pointerType)) return null
    const place = toWorld(this.#camera, this.#size, at)
    const reach = pointerType === 'mouse' ? REACH_OF_PITCH.mouse : REACH_OF_PITCH.touch
    return this.#scene.grid.nearest(place.x, place.y, reach * this.#model.pitch)
  }

  #zoneAt(at: Point): number | null {
    const zone = zoneAround(this.#model, toWorld(this.#camera, this.#size, at))
    return zone === -1 ? null : zone
  }

  #tap(at: Point, pointerType: string): void {
    this.#container.focus({ preventScroll: true })
    const seat = this.#seatAt(at, pointerType)
    if (seat !== null) {
      this.#choose(seat, pointerType)
      return
    }
    this.#options.onGround?.()
    const zone = this.#zoneAt(at)
    if (zone === null) return
    const isTooSmall = !canAim(this.#pitchPx, pointerType)
    if (isTooSmall && this.#model.zones[zone]!.seatCount > 0) this.#comeNearer(at, zone)
    this.#chooseZone(zone)
  }

  #choose(ordinal: number, pointerType: string): void {
    this.#stop = { kind: 'seat', ordinal }
    if (!this.#scene.states.isKnown) return
    this.#options.onSeat(ordinal, pointerType === 'mouse' ? 'mouse' : 'touch')
  }

  #move(direction: Direction): void {
    this.#stepFrom(stop => neighbour(this.#model, this.#scene.grid, stop, direction) ?? stop)
  }

  /** The first key goes to what is in the middle of the view, every other one on from there. */
  #stepFrom(next: (stop: Stop) => Stop): void {
    const isFirst = !this.#stop || (!this.#usesKeys && !this.#isInView(this.#stop))
    const stop = isFirst ? nearestStop(this.#model, this.#scene.grid, this.#rest) : next(this.#stop!)
    if (!stop) return
    this.#usesKeys = true
    this.#stop = stop
    this.#follow(stop)
    this.#options.onStop?.(stop)
    this.#requestFrame()
  }

  #isInView(stop: Stop, margin = 0): boolean {
    const { x, y } = toScreen(this.#rest, this.#size, placeOfStop(this.#model, stop))
    const { width, height } = this.#size
    return x >= margin && y >= margin && x <= width - margin && y <= height - margin
  }

  /**
   * The camera goes along: so near that seats can be told apart,
   * and never so that the stop is at the very edge.
   */
  #follow(stop: Stop): void {
    const rest = this.#rest
    const place = placeOfStop(this.#model, stop)
    if (stop.kind === 'seat' && detailOf(this.#model.pitch * rest.scale) !== 'seats') {
      this.#travelTo({ ...place, scale: COMFORTABLE_PX / this.#model.pitch })
      return
    }
    const margin = Math.min(KEEP_FROM_EDGE_PX, this.#size.width / 3, this.#size.height / 3)
    if (this.#isInView(stop, margin)) return
    const at = toScreen(rest, this.#size, place)
    const dx = clamp(at.x, margin, this.#size.width - margin) - at.x
    const dy = clamp(at.y, margin, this.#size.height - margin) - at.y
    this.#travelTo(panBy(rest, dx, dy))
  }

  #chooseStop(): void {
    const stop = this.#stop
    if (!stop || !this.#usesKeys) this.#stepFrom(same => same)
    else if (stop.kind === 'zone') this.#chooseZone(stop.zoneIndex)
    else if (this.#scene.states.isKnown) this.#options.onSeat(stop.ordinal, 'keys')
  }

  #leave(): void {
    this.#stop = null
    this.#putKeysAway()
    this.fit()
  }

  /** The ring and what is said of its seat go; where the keyboard was is remembered. */
  #putKeysAway(): void {
    if (!this.#usesKeys) return
    this.#usesKeys = false
    this.#options.onStop?.(null)
    this.#requestFrame()
  }

  #chooseZone(zoneIndex: number): void {
    if (this.#scene.states.freeIn(zoneIndex) !== null) this.#options.onZone(zoneIndex)
  }

  /** From far to the whole zone, from there to where its seats can be aimed at. */
  #comeNearer(at: Point, zoneIndex: number): void {
    const zone = fitBounds(pointBounds(this.#model.zones[zoneIndex]!.outline), this.#size, 2 * MARGIN_PX)
    const isFar = detailOf(this.#pitchPx) === 'zones' && zone.scale > 1.3 * this.#camera.scale
    const near = COMFORTABLE_PX / this.#model.pitch
    this.#travelTo(isFar ? zone : zoomTo(this.#camera, this.#size, at, near))
  }

  #doubleTap(at: Point, pointerType: string): void {
    const seat = this.#seatAt(at, pointerType)
    // Two quick taps on seats are two taps on seats.
    if (seat !== null) {
      this.#choose(seat, pointerType)
      return
    }
    const { maxScale } = this.#limits()
    const scale = Math.min(this.#rest.scale * DOUBLE_TAP_ZOOM, maxScale)
    this.#travelTo(zoomTo(this.#camera, this.#size, at, scale))
  }

  #hoverAt(at: Point | null): void {
    const seat = at && this.#seatAt(at, 'mouse')
    this.#canvas.style.cursor = seat !== null && this.#scene.states.isKnown ? 'pointer' : ''
    if (seat === this.#hover) return
    this.#hover = seat
    this.#options.onHover?.(seat)
    this.#requestFrame()
  }

  #repaint(ordinals: readonly number[]): void {
    if (ordinals.length === 0) return
    for (const ordinal of ordinals) {
      this.#picture.invalidateSeat(ordinal)
      this.#staleZones.add(this.#model.zoneOf[ordinal]!)
    }
    this.#requestFrame()
  }

  #readSize(): void {
    const { clientWidth, clientHeight } = this.#container
    this.#size = { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) }
    // The eye sees nothing finer than this, and every tile would cost more.
    this.#ratio = Math.min(globalThis.devicePixelRatio || 1, 2.5)
    this.#canvas.width = Math.round(this.#size.width * this.#ratio)
    this.#canvas.height = Math.round(this.#size.height * this.#ratio)
  }

  #resize(): void {
    const wasFitted = this.#isFitted
    this.#readSize()
    this.#motion = null
    this.#camera = wasFitted ? this.#whole : clampCamera(this.#camera, this.#limits())
    // A canvas that was given a size is empty: what it shows must be there before the browser shows it.
    cancelAnimationFrame(this.#frame)
    this.#drawFrame(performance.now())
  }

  #showTheme(): void {
    const { theme } = this.#scene
    const style = this.#container.style
    style.setProperty('--map-surface', theme.zone)
    style.setProperty('--map-ink', theme.text)
    style.setProperty('--map-edge', theme.zoneEdge)
    style.setProperty('--map-focus', theme.focus)
    style.setProperty('background-color', theme.background)
  }

  #requestFrame(): void {
    this.#frame ||= requestAnimationFrame(now => this.#drawFrame(now))
  }

  #drawFrame(now: number): void {
    this.#frame = 0
    const before = this.#camera
    if (this.#motion) {
      const { camera, isOver } = cameraAt(this.#motion, Math.max(now, performance.now()))
      this.#camera = clampCamera(camera, this.#limits())
      if (isOver) this.#motion = null
    }
    this.#refreshZones(now)
    const isTurning = now - this.#zoomedAt < SETTLED_MS
    const size = this.#size
    const ratio = this.#ratio
    const rest = this.#rest
    const isComplete = this.#picture.draw(this.#context, {
      camera: this.#camera,
      rest,
      isZooming: isTurning || rest.scale !== this.#camera.scale,
      overview: this.#whole,
      size,
      ratio,
      budgetMs: this.#hasPicture ? PAINT_MS : 4 * PAINT_MS,
    })
    const marks = { ...this.#marks, focus: this.#usesKeys ? this.#stop : null, hover: this.#hover }
    drawMarks(this.#context, this.#scene, marks, { camera: this.#camera, size, ratio })
    this.#minimap.draw(this.#camera, size, ratio, this.#isNearer)
    if (before !== this.#camera || !this.#hasPicture) this.#options.onView?.(this.view)
    if (!this.#motion && !isTurning) this.#showPin()
    if (isComplete && !this.#hasPicture) {
      this.#hasPicture = true
      performance.mark(FIRST_PICTURE)
      this.#options.onPicture?.()
    }
    if (!isComplete || this.#motion || isTurning) this.#requestFrame()
    else if (this.#staleZones.size > 0) {
      const dueMs = this.#zonesPaintedAt + ZONES_EVERY_MS - now
      clearTimeout(this.#zoneTimer)
      this.#zoneTimer = setTimeout(() => this.#requestFrame(), Math.max(0, dueMs))
    }
  }

  /** From far every section has its name. */
  #showPin(): void {
    const isShown = this.#isNearer && detailOf(this.#pitchPx) !== 'zones'
    if (this.#pinned?.camera === this.#camera && this.#pinned.words === this.#scene.words) return
    this.#pinned = { camera: this.#camera, words: this.#scene.words }
    const seen = isShown ? underEye(this.#model, this.#scene.grid, this.#camera, this.#size) : null
    this.#pin.show(this.#model, seen, this.#scene.words)
  }

  #refreshZones(now: number): void {
    if (this.#staleZones.size === 0 || now - this.#zonesPaintedAt < ZONES_EVERY_MS) return
    this.#zonesPaintedAt = now
    for (const zoneIndex of this.#staleZones) this.#picture.invalidateZone(zoneIndex)
    this.#staleZones.clear()
    if (now - this.#minimapPaintedAt < MINIMAP_EVERY_MS) return
    this.#minimapPaintedAt = now
    this.#minimap.invalidate()
  }
}
