import type { Point } from '@voelgoed/core/layout/model'
import { levelOfZone } from '../document/levels.ts'
import type { MapModel, SeatStatus, ShownStatus } from '../document/model.ts'
import type { PriceScheme } from '../document/price-scheme.ts'
import { type PlaceCount, SeatStates } from '../document/seat-states.ts'
import { type Camera, clamp, panBy, type Size, toScreen } from '../paint/camera.ts'
import { COMFORTABLE_PX } from '../paint/detail.ts'
import { useFont } from '../paint/measure-name.ts'
import type { MapWords } from '../paint/scene.ts'
import { HALF_OF_PITCH } from '../paint/seat-shapes.ts'
import type { MapTheme } from '../paint/theme.ts'
import { Controls } from './controls.ts'
import { coversOf } from './cover.ts'
import { Floor } from './floor.ts'
import { Hand } from './hand.ts'
import { LevelSwitch } from './level-switch.ts'
import { drawMarks, type Marks } from './overlay.ts'
import { Pin } from './pin.ts'
import { drawRowRail } from './row-rail.ts'
import type { SeatMapOptions, View } from './seat-map-options.ts'
import { underEye } from './under-eye.ts'
import './seat-map.css'

/** In the browser's own timeline, where a measurement of the page finds them. */
const FIRST_PICTURE = 'seat-map-picture'
const FIRST_NAMES = 'seat-map-names'
/** Painting leaves the rest of a frame to the browser. */
const PAINT_MS = 7
/**
 * Before the first picture there is nothing to show between two pieces of it, nor between two of its names.
 * They are painted one after the other, each in a task so short that a press is answered between them, and do
 * not wait for frames. A large map has a faster machine: there the browser's own work between shorter tasks
 * takes longer than a press would wait.
 */
const FIRST_PAINT_MS = { small: 6, large: 14 }
const LARGE_PX = 700
/**
 * A zone's figure may be this old on the screen: 1,000 seats a second would repaint all of them every frame.
 */
const ZONES_EVERY_MS = 250
const MINIMAP_EVERY_MS = 2_000

export class SeatMap {
  readonly #container: HTMLElement
  readonly #hall: MapModel
  readonly #states: SeatStates
  readonly #options: SeatMapOptions
  #reducedMotion: boolean
  #floor: Floor
  readonly #levels: LevelSwitch | null
  readonly #controls: Controls
  readonly #pin = new Pin()
  readonly #canvas = document.createElement('canvas')
  readonly #context: CanvasRenderingContext2D
  readonly #observer: ResizeObserver
  readonly #hand: Hand
  readonly #stopHand: () => void
  #ratio = 1
  /** Takes back the next frame, if one was asked for. */
  #takeBack: (() => void) | null = null
  #marks: Omit<Marks, 'focus' | 'hover'> = {
    mine: new Set(),
    pending: new Set(),
    offered: new Set(),
    alone: new Set(),
    chosen: null,
  }
  readonly #staleZones = new Set<number>()
  #zonesPaintedAt = Number.NEGATIVE_INFINITY
  #zoneTimer: ReturnType<typeof setTimeout> | undefined
  #minimapPaintedAt = Number.NEGATIVE_INFINITY
  #hasPicture = false
  #hasNames = false
  /** The camera of the last frame. */
  #shown: Camera | null = null
  /** The pin was made from these. */
  #pinned: { readonly camera: Camera; readonly words: MapWords } | null = null

  constructor(container: HTMLElement, model: MapModel, options: SeatMapOptions) {
    this.#container = container
    container.classList.add('seat-map')
    this.#hall = model
    this.#states = new SeatStates(model)
    this.#options = options
    this.#reducedMotion = options.reducedMotion
    useFont(getComputedStyle(container).fontFamily)
    this.#canvas.className = 'seat-map-canvas'
    this.#canvas.setAttribute('aria-hidden', 'true')
    // Until there is a hall on it. Its ground is the container's.
    this.#canvas.style.visibility = 'hidden'
    this.#context = this.#canvas.getContext('2d', { alpha: false })!
    this.#levels =
      model.levels.length === 0
        ? null
        : new LevelSwitch(model.levels, options.words, level => this.setLevel(level))
    container.append(this.#canvas)
    if (this.#levels) {
      container.append(this.#levels.element)
      this.#levels.show(0)
    }
    this.#controls = new Controls(container, options.words, {
      zoomBy: factor => this.zoomBy(factor),
      panBy: (dx, dy) => this.#viewpoint.travelTo(panBy(this.#viewpoint.rest, dx, dy)),
      fit: () => this.fit(),
      move: direction => this.#keys.move(direction),
      toRowEnd: end => this.#keys.toRowEnd(end),
      byRow: step => this.#keys.byRow(step),
      choose: () => this.#hand.chooseStop(),
      leave: () => this.#hand.leave(),
    })
    // The buttons stand by what is beside them, and cover more or less by how they stand.
    container.append(this.#pin.element, this.#controls.element)
    this.#floor = this.#open(0, options.theme, options.words)
    this.#hand = new Hand({
      container,
      canvas: this.#canvas,
      states: this.#states,
      options,
      floor: () => this.#floor,
      changed: () => this.#requestFrame(),
    })
    if (!container.hasAttribute('tabindex')) container.tabIndex = 0
    this.#controls.element.before(this.#minimap.canvas)
    this.#showTheme()

    this.#observer = new ResizeObserver(() => this.#resize())
    this.#observer.observe(container)
    this.#stopHand = this.#hand.listen()
    this.#requestFrame()
  }

  get #scene() {
    return this.#floor.scene
  }
  get #picture() {
    return this.#floor.picture
  }
  get #viewpoint() {
    return this.#floor.viewpoint
  }
  get #keys() {
    return this.#floor.keys
  }
  get #minimap() {
    return this.#floor.minimap
  }
  get #model() {
    return this.#floor.model
  }

  #open(level: number, theme: MapTheme, words: MapWords, before?: Floor): Floor {
    return new Floor(
      this.#hall,
      level,
      this.#states,
      {
        theme,
        words,
        reducedMotion: this.#reducedMotion,
        size: this.#readSize(),
        covers: this.#covers(),
        changed: () => this.#requestFrame(),
        onStop: stop => this.#options.onStop?.(stop),
      },
      before,
    )
  }

  /** Returns what lies over the hall, whole or not. */
  #covers() {
    return coversOf([this.#levels?.element, this.#controls.element])
  }

  /** The hall, or the floor of it that is drawn. Ordinals and zones are those of the hall. */
  get shown(): MapModel {
    return this.#model
  }

  /** Shows one floor, all of it. */
  setLevel(level: number): void {
    if (level === this.#floor.level || this.#hall.levels[level] === undefined) return
    const before = this.#floor
    before.keys.leave()
    before.minimap.destroy()
    this.#hand.hoverOver(null)
    this.#levels?.show(level)
    this.#floor = this.#open(level, before.scene.theme, before.scene.words, before)
    before.minimap.canvas.replaceWith(this.#minimap.canvas)
    this.#staleZones.clear()
    this.#requestFrame()
  }

  /** Shows the floor that a zone is on, if it is on one. */
  #toLevelOf(zoneIndex: number): void {
    const level = levelOfZone(this.#hall, zoneIndex)
    if (level !== null) this.setLevel(level)
  }

  /** One byte a seat. Not to be written to. */
  get statuses(): Uint8Array {
    return this.#states.statuses
  }

  statusOf(ordinal: number): ShownStatus {
    return this.#states.statuses[ordinal] as ShownStatus
  }

  /** Where a seat is on the screen now, in CSS pixels of the container; null: out of view. */
  placeOf(ordinal: number): (Point & { readonly radius: number }) | null {
    if (!this.#model.has(ordinal)) return null
    const { x, y } = this.#model
    const { camera, size, pitchPx } = this.#viewpoint
    const at = toScreen(camera, size, { x: x[ordinal]!, y: y[ordinal]! })
    const isSeen = at.x >= 0 && at.y >= 0 && at.x <= size.width && at.y <= size.height
    return isSeen ? { ...at, radius: HALF_OF_PITCH * pitchPx } : null
  }

  /** The same of the middle of a zone, which is pointed to from the edge where it is out of view. */
  placeOfZone(zoneIndex: number): Point & { readonly radius: number } {
    const { camera, size } = this.#viewpoint
    const { minX, minY, maxX, maxY } = this.#scene.zones[zoneIndex]!.bounds
    const at = toScreen(camera, size, { x: (minX + maxX) / 2, y: (minY + maxY) / 2 })
    return { x: clamp(at.x, 0, size.width), y: clamp(at.y, 0, size.height), radius: 0 }
  }

  get view(): View {
    return { ...this.#viewpoint.camera, detail: this.#viewpoint.detail }
  }

  /** A whole snapshot: two bits a seat, as the availability answer has them. */
  setStatuses(bits: Uint8Array): void {
    const wasKnown = this.#states.isKnown
    const changed = this.#states.setAll(bits)
    if (changed.length > 2_000 || !wasKnown) {
      this.#picture.invalidateAll()
      this.#minimap.invalidate()
      this.#requestFrame()
    } else this.#repaint(changed)
  }

  setStatus(changes: Iterable<readonly [ordinal: number, status: SeatStatus]>): void {
    const changed: number[] = []
    for (const [ordinal, status] of changes) if (this.#states.set(ordinal, status)) changed.push(ordinal)
    this.#repaint(changed)
  }

  setMine(ordinals: ReadonlySet<number>): void {
    this.#mark({ mine: new Set(ordinals) })
  }

  /** Asked for, not yet granted. */
  setPending(ordinals: ReadonlySet<number>): void {
    this.#mark({ pending: new Set(ordinals) })
  }

  /** Proposed to the buyer: nothing is held yet. Of several floors, one that has such seats is shown. */
  setOffered(ordinals: ReadonlySet<number>): void {
    const [first] = ordinals
    const isSeen = [...ordinals].some(ordinal => this.#model.has(ordinal))
    if (first !== undefined && !isSeen) this.#toLevelOf(this.#hall.zoneOf[first]!)
    this.#mark({ offered: new Set(ordinals) })
  }

  /** Would be left alone by what the buyer holds. */
  setAlone(ordinals: ReadonlySet<number>): void {
    this.#mark({ alone: new Set(ordinals) })
  }

  /** The seat that the buyer is told about. */
  setChosen(ordinal: number | null): void {
    this.#mark({ chosen: ordinal })
  }

  #mark(marks: Partial<Marks>): void {
    this.#marks = { ...this.#marks, ...marks }
    this.#requestFrame()
  }

  /** Colours places by their price. Without it the layout's own price categories are shown. */
  setPrices(scheme: PriceScheme): void {
    this.#scene.scheme = scheme
    this.#repaintAll()
  }

  /** Free places of other categories than these are faint; null: none is. Indices of the price scheme. */
  setShown(categories: ReadonlySet<number> | null): void {
    this.#scene.shown = categories
    this.#repaintAll()
  }

  /** Zones of members that are open to the buyer. */
  setOpenZones(zones: ReadonlySet<number>): void {
    if (zones.size + this.#scene.openZones.size === 0) return
    this.#scene.openZones = zones
    this.#repaintAll()
  }

  #repaintAll(): void {
    this.#picture.invalidateAll()
    this.#minimap.invalidate()
    this.#requestFrame()
  }

  /** By zone index; null where it is not known yet. Zones with seats are counted from their seats. */
  setZoneCounts(counts: readonly PlaceCount[]): void {
    for (const zoneIndex of this.#states.setPlaces(counts)) this.#staleZones.add(zoneIndex)
    this.#requestFrame()
  }

  setTheme(theme: MapTheme): void {
    if (theme === this.#scene.theme) return
    this.#scene.theme = theme
    this.#showTheme()
    this.#repaintAll()
  }

  setWords(words: MapWords): void {
    if (words === this.#scene.words) return
    this.#scene.words = words
    this.#controls.setWords(words)
    this.#levels?.setWords(words)
    this.#picture.invalidateAll()
    this.#requestFrame()
  }

  setReducedMotion(isReduced: boolean): void {
    this.#reducedMotion = isReduced
    this.#viewpoint.reducedMotion = isReduced
  }

  showSeat(ordinal: number): void {
    if (!this.#hall.has(ordinal)) return
    this.#toLevelOf(this.#hall.zoneOf[ordinal]!)
    this.showPlace({ x: this.#hall.x[ordinal]!, y: this.#hall.y[ordinal]! })
  }

  /** Goes near to the middle of seats, as far as they are on the floor that is drawn. */
  showSeats(ordinals: readonly number[]): void {
    const seen = ordinals.filter(ordinal => this.#model.has(ordinal))
    const middle = (values: Float32Array) => {
      const all = seen.map(ordinal => values[ordinal]!)
      return (Math.min(...all) + Math.max(...all)) / 2
    }
    if (seen.length > 0) this.showPlace({ x: middle(this.#model.x), y: middle(this.#model.y) })
  }

  /** Goes near to a place of the hall, whether or not a seat is there. */
  showPlace({ x, y }: Point): void {
    const scale = Math.max(this.#viewpoint.rest.scale, COMFORTABLE_PX / this.#model.pitch)
    this.#viewpoint.travelTo({ x, y, scale })
  }

  /** Moves the hall only as far as needed for a seat, and a card beside it, to be well in view. */
  reveal(ordinal: number): void {
    if (!this.#model.has(ordinal)) return
    const { rest, size } = this.#viewpoint
    const at = toScreen(rest, size, { x: this.#model.x[ordinal]!, y: this.#model.y[ordinal]! })
    const [marginX, marginY] = [Math.min(64, size.width / 4), Math.min(64, size.height / 4)]
    const dx = clamp(at.x, marginX, size.width - marginX) - at.x
    const dy = clamp(at.y, marginY, size.height - marginY) - at.y
    if (dx !== 0 || dy !== 0) this.#viewpoint.travelTo(panBy(rest, dx, dy))
  }

  showZone(zoneIndex: number): void {
    if (!this.#hall.zones[zoneIndex]) return
    this.#toLevelOf(zoneIndex)
    this.#viewpoint.travelTo(this.#viewpoint.onZone(zoneIndex))
  }

  fit(): void {
    this.#viewpoint.fit()
  }

  zoomBy(factor: number): void {
    this.#viewpoint.zoomBy(factor)
  }

  destroy(): void {
    this.#takeBack?.()
    clearTimeout(this.#zoneTimer)
    this.#observer.disconnect()
    this.#stopHand()
    this.#controls.destroy()
    this.#minimap.destroy()
    const { element: pin } = this.#pin
    const elements = [this.#canvas, pin, this.#minimap.canvas, this.#controls.element, this.#levels?.element]
    for (const element of elements) element?.remove()
  }

  #repaint(ordinals: readonly number[]): void {
    if (ordinals.length === 0) return
    for (const ordinal of ordinals) {
      if (!this.#model.has(ordinal)) continue
      this.#picture.invalidateSeat(ordinal)
      this.#staleZones.add(this.#model.zoneOf[ordinal]!)
    }
    this.#requestFrame()
  }

  /** The size of the container, which the canvas gets as well. */
  #readSize(): Size {
    const { clientWidth, clientHeight } = this.#container
    const size = { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight) }
    this.#ratio = ratioOf()
    this.#canvas.width = Math.round(size.width * this.#ratio)
    this.#canvas.height = Math.round(size.height * this.#ratio)
    return size
  }

  #resize(): void {
    const { clientWidth, clientHeight } = this.#container
    const { width, height } = this.#viewpoint.size
    const isSame = clientWidth === width && clientHeight === height && ratioOf() === this.#ratio
    // An observer begins with the size that the map began with: all of it would be drawn twice.
    if (isSame) return
    this.#viewpoint.resize(this.#readSize(), this.#covers())
    // The page's words about the seat may have taken the room in which the seat was.
    if (this.#marks.chosen !== null) this.reveal(this.#marks.chosen)
    // A canvas that was given a size is empty: what it shows must be there before the browser shows it.
    this.#takeBack?.()
    this.#drawFrame(performance.now(), this.#hasPicture)
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

  /** The map is not all there yet, and the buyer looks on. */
  get #isBeginning(): boolean {
    return !this.#hasNames && !this.#viewpoint.isMoving
  }

  #requestFrame(): void {
    this.#takeBack ??= this.#isBeginning
      ? inNextTask(() => this.#drawFrame(performance.now()))
      : inNextFrame(now => this.#drawFrame(now))
  }

  /** `mayBePart`: the canvas is empty, and what there is is better than nothing. */
  #drawFrame(now: number, mayBePart = false): void {
    this.#takeBack = null
    this.#viewpoint.advance(now)
    this.#refreshZones(now)
    const { camera, rest, size, isMoving, whole: overview } = this.#viewpoint
    const isTurning = this.#viewpoint.isTurning(now)
    const ratio = this.#ratio
    // The hall is shown at once, and then all of its names.
    const onlyWhole = this.#isBeginning && !mayBePart
    const painted = this.#picture.draw(this.#context, {
      camera,
      rest,
      isZooming: isTurning || rest.scale !== camera.scale,
      overview,
      size,
      ratio,
      budgetMs: this.#isBeginning ? FIRST_PAINT_MS[size.width < LARGE_PX ? 'small' : 'large'] : PAINT_MS,
      onlyWhole,
    })
    if (painted === 'less' && onlyWhole) {
      this.#requestFrame()
      return
    }
    const marks = { ...this.#marks, focus: this.#keys.shown, hover: this.#hand.hover }
    drawMarks(this.#context, this.#scene, marks, { camera, size, ratio })
    if (this.#viewpoint.isNearer) drawRowRail(this.#context, this.#scene, { camera, size, ratio })
    this.#minimap.draw(camera, size, ratio, this.#viewpoint.isNearer)
    if (camera !== this.#shown || !this.#hasPicture) this.#options.onView?.(this.view)
    this.#shown = camera
    if (!isMoving && !isTurning) this.#showPin()
    if (painted !== 'less') this.#hasShown(painted)
    if (painted !== 'all' || isMoving || isTurning) this.#requestFrame()
    else if (this.#staleZones.size > 0) {
      const dueMs = this.#zonesPaintedAt + ZONES_EVERY_MS - now
      clearTimeout(this.#zoneTimer)
      this.#zoneTimer = setTimeout(() => this.#requestFrame(), Math.max(0, dueMs))
    }
  }

  #hasShown(painted: 'hall' | 'all'): void {
    if (!this.#hasPicture) {
      this.#hasPicture = true
      this.#canvas.style.visibility = ''
      performance.mark(FIRST_PICTURE)
    }
    if (painted === 'hall' || this.#hasNames) return
    this.#hasNames = true
    performance.mark(FIRST_NAMES)
  }

  /** From far every section has its name. */
  #showPin(): void {
    const { camera, size, isNearer, detail } = this.#viewpoint
    const isShown = isNearer && detail !== 'zones'
    if (this.#pinned?.camera === camera && this.#pinned.words === this.#scene.words) return
    this.#pinned = { camera, words: this.#scene.words }
    const seen = isShown ? underEye(this.#model, this.#scene.grid, camera, size) : null
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

/** The eye sees nothing finer than this, and every tile would cost more. */
function ratioOf(): number {
  return Math.min(globalThis.devicePixelRatio || 1, 2.5)
}

/** Takes back work that has not begun. */
type Later = () => void

function inNextFrame(work: (now: number) => void): Later {
  const frame = requestAnimationFrame(work)
  return () => cancelAnimationFrame(frame)
}

/** Begins as soon as the browser has nothing more urgent to do. A timer would wait for 4 ms each time. */
function inNextTask(work: () => void): Later {
  const { port1, port2 } = new MessageChannel()
  const close = () => port1.close()
  port1.onmessage = () => {
    close()
    work()
  }
  port2.postMessage(null)
  return close
}
