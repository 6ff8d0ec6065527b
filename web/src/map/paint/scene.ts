import type { Point } from '@voelgoed/core/layout/model'
import { isAisleBehind } from '../document/aisles.ts'
import { pointBounds } from '../document/geometry.ts'
import { isDrawn } from '../document/levels.ts'
import { BLOCKED, type Bounds, type MapModel, type MapRow, type MapZone } from '../document/model.ts'
import { compileScheme, layoutScheme, type PriceScheme } from '../document/price-scheme.ts'
import { SeatGrid } from '../document/seat-grid.ts'
import type { SeatStates } from '../document/seat-states.ts'
import { createMeasure } from './measure-name.ts'
import { type NamedHall, namedHall } from './named-hall.ts'
import { type Measure, type PlacedName, placeNames } from './place-names.ts'
import { TURNS } from './stamps.ts'
import { colorOfCategory, type MapTheme } from './theme.ts'

export interface MapWords {
  readonly zoomIn: string
  readonly zoomOut: string
  readonly fit: string
  /** Above the choice of a floor. */
  readonly level: string
  /** `312 free`, in the reader's language. */
  free(count: number): string
  readonly soldOut: string
  /** The colour of a section that is not for sale at all. Missing: `soldOut`. */
  readonly notOnSale?: string
  /** `rows A–F`, or `row A` when both are the same. */
  rows(first: string, last: string): string
  /** `from R350 · 120 left`, in brief `R350`: beside the name of a section. Missing: `free`. */
  section?(zoneIndex: number, free: number, isBrief: boolean): string
}

/** A polygon is drawn with this: once made, then used at every scale. */
export interface Figure {
  readonly path: Path2D
  readonly bounds: Bounds
}

const MOST_SCALES = 6

/** A zone on another floor is here: it touches nothing. */
const NOWHERE: Bounds = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity }

/** Before this seat or behind it its row begins, ends, or has an aisle. */
export const EDGE_BEFORE = 1
export const EDGE_BEHIND = 2

const NOT_TURNED_YET = 255

/** Everything that painting needs to know. Only theme, words, prices and what is dimmed are replaced. */
export class Scene {
  readonly model: MapModel
  readonly states: SeatStates
  readonly grid: SeatGrid
  readonly zones: readonly Figure[]
  readonly shapes: readonly Figure[]
  readonly rowEdges: Uint8Array
  /** The middle of all sections: where the stage looks to. */
  readonly audience: Point
  /** Names are placed by this. It is made with the first names. */
  #named: NamedHall | null = null
  readonly #measure: Measure
  readonly #front: Point
  readonly #pricesOf = new Map<number, number[]>()
  /** Names by scale: the few scales that there are pictures of. */
  readonly #names = new Map<number, readonly PlacedName[]>()
  #words: MapWords
  #theme: MapTheme
  #scheme: PriceScheme
  /** By zone and price category of the layout: the category of the scheme. */
  #categories: Int16Array
  #colors: string[] = []
  #shown: ReadonlySet<number> | null = null
  #openZones: ReadonlySet<number> = new Set()
  /** The price category of the layout that most seats of a zone have. */
  readonly #zonePrices: readonly number[]
  readonly #turns: Uint8Array

  /** `before`: the floor that was drawn until now, of the same hall. */
  constructor(model: MapModel, theme: MapTheme, words: MapWords, states: SeatStates, before?: Scene) {
    this.model = model
    this.states = states
    this.grid = new SeatGrid(model)
    this.#words = words
    const front = model.focalPoint ?? { x: (model.bounds.minX + model.bounds.maxX) / 2, y: model.bounds.minY }
    this.zones = model.zones.map(zone => figureOf(zone.outline))
    this.shapes = model.shapes.map(shape => figureOf(shape.points))
    this.#measure = createMeasure(document.createElement('canvas').getContext('2d')!)
    this.rowEdges = new Uint8Array(model.ordinalCount)
    for (const { rows } of model.zones) for (const row of rows) markEdges(model, row, this.rowEdges)
    this.#zonePrices = model.zones.map(zone => usualPrice(model, zone))
    this.#turns = new Uint8Array(model.ordinalCount).fill(NOT_TURNED_YET)
    this.#front = front
    this.audience = middleOfSeats(model)
    this.#theme = theme
    this.#scheme = before ? before.#scheme : layoutScheme(model)
    this.#shown = before ? before.#shown : null
    if (before) this.#openZones = before.#openZones
    this.#categories = compileScheme(model, this.#scheme)
    this.theme = theme
  }

  set scheme(scheme: PriceScheme) {
    this.#scheme = scheme
    this.#categories = compileScheme(this.model, scheme)
    this.theme = this.#theme
  }

  /** Categories that the buyer wants to see; null: all of them. */
  set shown(categories: ReadonlySet<number> | null) {
    this.#shown = categories
  }

  /** Zones of members that are open to who looks: their seats have numbers like others. */
  get openZones(): ReadonlySet<number> {
    return this.#openZones
  }

  set openZones(zones: ReadonlySet<number>) {
    this.#openZones = zones
  }

  get theme(): MapTheme {
    return this.#theme
  }

  set theme(theme: MapTheme) {
    this.#theme = theme
    this.#colors = this.#scheme.colors.map((color, index) => colorOfCategory(color, index, theme))
  }

  get words(): MapWords {
    return this.#words
  }

  set words(words: MapWords) {
    this.#words = words
    this.#names.clear()
  }

  /**
   * Takes a step towards the names of a scale. False: they are known. The first text that a browser measures
   * takes as long as all the others.
   */
  prepareNames(scale: number): boolean {
    if (this.#names.has(scale)) return false
    if (this.#named) this.namesAt(scale)
    else {
      this.#named = namedHall(this.model, this.grid, this.#front)
      this.#measure(this.model.zones[0]?.name ?? '')
    }
    return true
  }

  /** `scale`: CSS pixels a unit. */
  namesAt(scale: number): readonly PlacedName[] {
    const known = this.#names.get(scale)
    if (known) return known
    this.#named ??= namedHall(this.model, this.grid, this.#front)
    const names = placeNames(this.#named, scale, this.#measure, (zone, isBrief) =>
      this.#longestCount(zone, isBrief),
    )
    for (const old of this.#names.keys()) if (this.#names.size >= MOST_SCALES) this.#names.delete(old)
    this.#names.set(scale, names)
    return names
  }

  /** So that a name keeps its place while seats are sold. */
  #longestCount(zoneIndex: number, isBrief: boolean): string {
    const { soldOut, notOnSale = '' } = this.#words
    const most = this.#textOf(zoneIndex, this.states.capacityOf(zoneIndex), isBrief)
    return [most, soldOut, notOnSale].reduce((longest, text) =>
      text.length > longest.length ? text : longest,
    )
  }

  #textOf(zoneIndex: number, free: number, isBrief: boolean): string {
    const { section, free: count } = this.#words
    return section ? section(zoneIndex, free, isBrief) : count(free)
  }

  /** Stands beside or below the name of a section; null: not known yet. */
  sectionText(zoneIndex: number, isBrief: boolean): string | null {
    const free = this.states.freeIn(zoneIndex)
    if (free === null) return null
    if (free > 0) return this.#textOf(zoneIndex, free, isBrief)
    const { soldOut, notOnSale = soldOut } = this.#words
    return this.isClosed(zoneIndex) ? notOnSale : soldOut
  }

  /** None of its seats is for sale. */
  isClosed(zoneIndex: number): boolean {
    const { firstOrdinal, seatCount } = this.model.zones[zoneIndex]!
    const { states } = this
    if (!states.isKnown || states.freeIn(zoneIndex) !== 0) return false
    if (seatCount === 0) return states.capacityOf(zoneIndex) === 0
    for (let at = firstOrdinal; at < firstOrdinal + seatCount; at += 1) {
      if (states.statuses[at] !== BLOCKED) return false
    }
    return true
  }

  categoryOf(ordinal: number): number {
    const { zoneOf, priceOf, priceCategories } = this.model
    return this.#categories[zoneOf[ordinal]! * (priceCategories.length + 1) + priceOf[ordinal]! + 1]!
  }

  colorOf(ordinal: number): string {
    return this.#colors[this.categoryOf(ordinal)] ?? this.#theme.free
  }

  isDimmed(ordinal: number): boolean {
    return this.#shown !== null && !this.#shown.has(this.categoryOf(ordinal))
  }

  /** The colour of a zone without seats, or of most seats of one with seats. */
  zoneColor(zoneIndex: number): string {
    const at = zoneIndex * (this.model.priceCategories.length + 1) + this.#zonePrices[zoneIndex]! + 1
    return this.#colors[this.#categories[at]!] ?? this.#theme.free
  }

  /** A zone that has nothing of what the buyer wants to see. */
  isZoneDimmed(zoneIndex: number): boolean {
    if (!this.#shown) return false
    const width = this.model.priceCategories.length + 1
    const { seatCount } = this.model.zones[zoneIndex]!
    if (seatCount === 0) return !this.#shown.has(this.#categories[zoneIndex * width]!)
    return !this.#pricesIn(zoneIndex).some(price =>
      this.#shown!.has(this.#categories[zoneIndex * width + price + 1]!),
    )
  }

  #pricesIn(zoneIndex: number): number[] {
    let prices = this.#pricesOf.get(zoneIndex)
    if (!prices) {
      const { firstOrdinal, seatCount } = this.model.zones[zoneIndex]!
      prices = [...new Set(this.model.priceOf.subarray(firstOrdinal, firstOrdinal + seatCount))]
      this.#pricesOf.set(zoneIndex, prices)
    }
    return prices
  }

  isMembers(zoneIndex: number): boolean {
    return this.model.zones[zoneIndex]!.accessMode !== 'public' && !this.#openZones.has(zoneIndex)
  }

  /**
   * Returns how a seat is turned, in steps of a quarter turn: along its row, or, without neighbours, towards
   * the stage. It is found when it is first asked for: of a large hall few seats are ever seen so large.
   */
  turnOf(ordinal: number): number {
    const known = this.#turns[ordinal]!
    if (known !== NOT_TURNED_YET) return known
    const { x, y } = this.model
    const edge = this.rowEdges[ordinal]!
    const before = edge & EDGE_BEFORE ? ordinal : ordinal - 1
    const behind = edge & EDGE_BEHIND ? ordinal : ordinal + 1
    const isAlone = before === behind
    const dx = isAlone ? y[ordinal]! - this.#front.y : x[behind]! - x[before]!
    const dy = isAlone ? this.#front.x - x[ordinal]! : y[behind]! - y[before]!
    const quarters = Math.atan2(dy, dx) / (Math.PI / 2)
    const turn = Math.round((quarters - Math.floor(quarters)) * TURNS) % TURNS
    this.#turns[ordinal] = turn
    return turn
  }

  /** In radians, at most an eighth of a circle to either side: signs stay upright. */
  angleOf(ordinal: number): number {
    const turn = this.turnOf(ordinal)
    return ((turn > TURNS / 2 ? turn - TURNS : turn) * Math.PI) / 2 / TURNS
  }
}

/** Corners stay corners; where an outline bends a little at each of its points, it is drawn as a curve. */
function figureOf(points: readonly Point[]): Figure {
  const path = new Path2D()
  const at = (index: number) => points[(index + points.length) % points.length]!
  const bends = points.map((_, index) => isBend(at(index - 1), at(index), at(index + 1)))
  for (const [index, point] of points.entries()) {
    const next = at(index + 1)
    const middle = { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 }
    if (index === 0) {
      const before = at(-1)
      path.moveTo((before.x + point.x) / 2, (before.y + point.y) / 2)
    }
    if (bends[index]) path.quadraticCurveTo(point.x, point.y, middle.x, middle.y)
    else {
      path.lineTo(point.x, point.y)
      path.lineTo(middle.x, middle.y)
    }
  }
  path.closePath()
  return { path, bounds: points.length === 0 ? NOWHERE : pointBounds(points) }
}

const LARGEST_BEND = (35 / 180) * Math.PI

function isBend(before: Point, point: Point, next: Point): boolean {
  const turn =
    Math.atan2(next.y - point.y, next.x - point.x) - Math.atan2(point.y - before.y, point.x - before.x)
  return Math.abs(Math.atan2(Math.sin(turn), Math.cos(turn))) < LARGEST_BEND
}

function middleOfSeats({ zones: all, bounds }: MapModel): Point {
  const zones = all.filter(isDrawn)
  const boxes = zones.map(({ outline }) => pointBounds(outline))
  const places = zones.reduce((sum, zone) => sum + zone.capacity, 0)
  if (places === 0) return { x: (bounds.minX + bounds.maxX) / 2, y: (bounds.minY + bounds.maxY) / 2 }
  const share = (index: number) => zones[index]!.capacity / places
  return {
    x: boxes.reduce((sum, { minX, maxX }, index) => sum + ((minX + maxX) / 2) * share(index), 0),
    y: boxes.reduce((sum, { minY, maxY }, index) => sum + ((minY + maxY) / 2) * share(index), 0),
  }
}

function markEdges(model: MapModel, { firstOrdinal, seatCount }: MapRow, edges: Uint8Array): void {
  const last = firstOrdinal + seatCount - 1
  edges[firstOrdinal]! |= EDGE_BEFORE
  edges[last]! |= EDGE_BEHIND
  for (let at = firstOrdinal; at < last; at += 1) {
    if (!isAisleBehind(model, at)) continue
    edges[at]! |= EDGE_BEHIND
    edges[at + 1]! |= EDGE_BEFORE
  }
}

function usualPrice(model: MapModel, zone: MapZone): number {
  const counts: number[] = []
  // The first category is at 1: none is −1.
  for (let at = zone.firstOrdinal; at < zone.firstOrdinal + zone.seatCount; at += 1) {
    const place = model.priceOf[at]! + 1
    counts[place] = (counts[place] ?? 0) + 1
  }
  let usual = 0
  for (const place of counts.keys()) if ((counts[place] ?? 0) > (counts[usual] ?? 0)) usual = place
  return usual - 1
}
