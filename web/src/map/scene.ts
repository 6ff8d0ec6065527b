import type { Point } from '@voelgoed/core/layout/model'
import { isAisleBehind } from './aisles.ts'
import { pointBounds } from './geometry.ts'
import { createMeasure } from './measure-name.ts'
import type { Bounds, MapModel, MapRow, MapZone } from './model.ts'
import { type Measure, type NamedHall, namedHall, type PlacedName, placeNames } from './place-names.ts'
import { SeatGrid } from './seat-grid.ts'
import { SeatStates } from './seat-states.ts'
import { type MapTheme, priceColor } from './theme.ts'

export interface MapWords {
  readonly zoomIn: string
  readonly zoomOut: string
  readonly fit: string
  /** `312 free`, in the reader's language. */
  free(count: number): string
  readonly soldOut: string
  /** `rows A–F`, or `row A` when both are the same. */
  rows(first: string, last: string): string
}

/** How a polygon is drawn: once made, then used at every scale. */
export interface Figure {
  readonly path: Path2D
  readonly bounds: Bounds
}

const MOST_SCALES = 6

/** Before this seat or behind it its row begins, ends, or has an aisle. */
export const EDGE_BEFORE = 1
export const EDGE_BEHIND = 2

/** Everything that painting needs to know. Only the theme and the words are ever replaced. */
export class Scene {
  readonly model: MapModel
  readonly states: SeatStates
  readonly grid: SeatGrid
  readonly zones: readonly Figure[]
  readonly shapes: readonly Figure[]
  readonly rowEdges: Uint8Array
  readonly #named: NamedHall
  readonly #measure: Measure
  /** Names by scale: the few scales that there are pictures of. */
  readonly #names = new Map<number, readonly PlacedName[]>()
  #words: MapWords
  #theme: MapTheme
  #priceColors: string[] = []
  /** Of the price category that most seats of a zone have. */
  #zonePrices: readonly number[]

  constructor(model: MapModel, theme: MapTheme, words: MapWords) {
    this.model = model
    this.states = new SeatStates(model)
    this.grid = new SeatGrid(model)
    this.#words = words
    const front = model.focalPoint ?? { x: (model.bounds.minX + model.bounds.maxX) / 2, y: model.bounds.minY }
    this.zones = model.zones.map(zone => figureOf(zone.outline))
    this.shapes = model.shapes.map(shape => figureOf(shape.points))
    this.#named = namedHall(model, this.grid, front)
    this.#measure = createMeasure(document.createElement('canvas').getContext('2d')!)
    this.rowEdges = new Uint8Array(model.ordinalCount)
    for (const { rows } of model.zones) for (const row of rows) markEdges(model, row, this.rowEdges)
    this.#zonePrices = model.zones.map(zone => usualPrice(model, zone))
    this.#theme = theme
    this.theme = theme
  }

  get theme(): MapTheme {
    return this.#theme
  }

  set theme(theme: MapTheme) {
    this.#theme = theme
    this.#priceColors = this.model.priceCategories.map((_, index) => priceColor(this.model, index, theme))
  }

  get words(): MapWords {
    return this.#words
  }

  set words(words: MapWords) {
    this.#words = words
    this.#names.clear()
  }

  /** `scale`: CSS pixels a unit. */
  namesAt(scale: number): readonly PlacedName[] {
    const known = this.#names.get(scale)
    if (known) return known
    const names = placeNames(this.#named, scale, this.#measure, zoneIndex => this.#longestCount(zoneIndex))
    for (const old of this.#names.keys()) if (this.#names.size >= MOST_SCALES) this.#names.delete(old)
    this.#names.set(scale, names)
    return names
  }

  /** So that a name keeps its place while seats are sold. */
  #longestCount(zoneIndex: number): string {
    const { soldOut } = this.#words
    const most = this.#words.free(this.states.capacityOf(zoneIndex))
    return most.length > soldOut.length ? most : soldOut
  }

  colorOf(ordinal: number): string {
    return this.#priceColors[this.model.priceOf[ordinal]!] ?? this.#theme.free
  }

  zoneColor(zoneIndex: number): string {
    return this.#priceColors[this.#zonePrices[zoneIndex]!] ?? this.#theme.free
  }
}

function figureOf(points: readonly Point[]): Figure {
  const path = new Path2D()
  for (const [index, { x, y }] of points.entries()) {
    if (index === 0) path.moveTo(x, y)
    else path.lineTo(x, y)
  }
  path.closePath()
  return { path, bounds: pointBounds(points) }
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
