import type { Point } from '@voelgoed/core/layout/model'
import { around, boxesMeet, contains, grown, isBoxApart, isBoxInside, middleOf } from '../document/boxes.ts'
import { pointBounds } from '../document/geometry.ts'
import type { Bounds } from '../document/model.ts'
import { type Detail, detailOf, showsRowLetters } from './detail.ts'
import { movedTowards, type NameArc, piecesOn } from './name-arc.ts'
import { linesOf, type NameText } from './name-lines.ts'
import type { NamedHall, NamedShape, NamedZone } from './named-hall.ts'

/**
 * Finds the places of names. A name is a level box that stays inside its section's box, is either wholly
 * inside the section or wholly outside of it, and touches no other name, no other section, no stage, and no
 * seat where seats are drawn. A name that finds no such place gives way: first it loses the count below it,
 * then it is broken into two lines or shortened, then it becomes smaller, then it goes.
 *
 * Sections of one kind ("Section 101", "Section 102" …) share one form, so that they look alike.
 *
 * Where seats are dots and fill their section to the edge, the name lies beneath them, large and faint: the
 * seats cover the name, not the name the seats. Beside names that can be read it would look like a stain:
 * where one section has such a name, the others have one of that kind or none.
 */
export function placeNames(hall: NamedHall, scale: number, measure: Measure, countOf: CountOf): PlacedName[] {
  const detail = detailOf(hall.pitch * scale, hall.seatCount)
  const names = new Names(hall, scale, measure, countOf, detail)
  for (const [index, shape] of hall.shapes.entries()) names.addShape(shape, index)
  for (const family of hall.families) names.addFamily(family)
  const isReadable = names.placed.some(({ kind, isBeneath }) => kind === 'zone' && !isBeneath)
  return isReadable ? names.placed.filter(({ isBeneath }) => !isBeneath) : names.placed
}

/** CSS pixels of a text in the bold face of names, at a size of one pixel. */
export type Measure = (text: string) => number

/** The longest text about what is free that a zone may get; null: none. */
export type CountOf = (zoneIndex: number, isBrief: boolean) => string | null

export interface PlacedName {
  readonly kind: 'zone' | 'shape'
  /** The index of the zone or the shape. */
  readonly index: number
  readonly lines: readonly string[]
  readonly px: number
  /** True if the count of free places is written below the name. */
  readonly hasCount: boolean
  /** In its short form. */
  readonly isBrief: boolean
  /** Under the seats. */
  readonly isBeneath: boolean
  /** The middle of its box, in the hall's units. */
  readonly x: number
  readonly y: number
  /** The width of its box, in CSS pixels. */
  readonly width: number
  readonly height: number
  /** It is one line that follows a row; its box is around that. */
  readonly arc?: NameArc
  /** The length of the line on the arc, in CSS pixels. */
  readonly length?: number
}

/** Returns what a name covers, in the hall's units. */
export function piecesOf(name: PlacedName, scale: number): readonly Bounds[] {
  if (name.arc) return piecesOn(name.arc, name.length! / scale, (name.px * NAME_LINE) / scale)
  return [around(name, { x: name.width / 2 / scale, y: name.height / 2 / scale })]
}

export const COUNT_PX = 11
export const NAME_LINE = 1.25
/** Around the text, to its box. */
const PAD_PX = 2
/** Between two names. */
const APART_PX = 3
/** A section's name may stand so far in front of it, in steps of a tenth of its height. */
const FRONT_STEPS = 80
/**
 * A form that does not fit this share of a family is given up for a smaller one.
 * Small sections are tried first.
 */
const MOST_MISSING = 0.1
/** Names along rows: their forms, the room beside them, and how large the count is. */
const ARC_FORMS = [
  { px: 14, hasCount: true },
  { px: 14, hasCount: false },
  { px: 11, hasCount: false },
] as const
export const ARC_GAP_PX = 8
export const COUNT_OF_ARC = 0.93
const ARC_STEPS = 14
const BENEATH_PX = { largest: 96, smallest: 22, step: 0.85 }
const STAGE_PX = { largest: 18, smallest: 8 }

interface Spot extends Point {
  readonly mayBeOutside?: boolean
}

interface Form {
  readonly text: NameText
  readonly px: number
  readonly hasCount: boolean
  readonly isBrief?: boolean
}

const FORMS: readonly Form[] = [
  { text: 'whole', px: 13, hasCount: true },
  { text: 'broken', px: 13, hasCount: true },
  { text: 'short', px: 13, hasCount: true },
  { text: 'whole', px: 13, hasCount: true, isBrief: true },
  { text: 'short', px: 13, hasCount: true, isBrief: true },
  { text: 'whole', px: 13, hasCount: false },
  { text: 'broken', px: 13, hasCount: false },
  { text: 'short', px: 13, hasCount: false },
  { text: 'whole', px: 11, hasCount: false },
  { text: 'broken', px: 11, hasCount: false },
  { text: 'short', px: 11, hasCount: false },
  { text: 'short', px: 9, hasCount: false },
]

/** One attempt at one scale. Boxes are in the hall's units. */
class Names {
  readonly placed: PlacedName[] = []
  readonly #boxes: Bounds[] = []
  readonly #hall: NamedHall
  readonly #scale: number
  readonly #measure: Measure
  readonly #countOf: CountOf
  readonly #detail: Detail
  /** A name may come so near to the middle of a seat. */
  readonly #reach: number

  constructor(hall: NamedHall, scale: number, measure: Measure, countOf: CountOf, detail: Detail) {
    this.#hall = hall
    this.#scale = scale
    this.#measure = measure
    this.#countOf = countOf
    this.#detail = detail
    // From near, the letters of the rows stand beside the seats.
    this.#reach = (showsRowLetters(hall.pitch * scale) ? 1.4 : 0.5) * hall.pitch
  }

  /** A stage has its name in its middle, as large as there is room. */
  addShape({ label, bounds }: NamedShape, index: number): void {
    if (!label) return
    const scale = this.#scale
    const wide = (bounds.maxX - bounds.minX) * scale
    const high = (bounds.maxY - bounds.minY) * scale
    const px = Math.min(STAGE_PX.largest, high * 0.34, (wide - 8) / this.#measure(label))
    if (px < STAGE_PX.smallest) return
    const middle = { x: (bounds.minX + bounds.maxX) / 2, y: (bounds.minY + bounds.maxY) / 2 }
    this.#keep({
      kind: 'shape',
      index,
      lines: [label],
      px,
      hasCount: false,
      isBrief: false,
      isBeneath: false,
      ...middle,
      width: this.#measure(label) * px + 2 * PAD_PX,
      height: px * NAME_LINE,
    })
  }

  addFamily(family: readonly number[]): void {
    const isAmongSeats = this.#detail !== 'zones' && this.#hall.zones[family[0]!]!.hasSeats
    const onArcs = isAmongSeats ? this.#alongRows(family) : []
    const found = onArcs.length > 0 ? onArcs : this.#bestForm(family, isAmongSeats)
    for (const name of found) this.#keep(name)
    if (this.#detail !== 'dots' || !isAmongSeats) return
    if (found.length === 0) for (const name of this.#beneath(family)) this.#keep(name)
  }

  /** Each along its first row, with what is free where that fits for all of them; else none. */
  #alongRows(family: readonly number[]): PlacedName[] {
    for (const { px, hasCount } of ARC_FORMS) {
      const before = this.#boxes.length
      const found: PlacedName[] = []
      for (const index of family) {
        const name = this.#placeOnArc(index, px, hasCount)
        if (!name) break
        found.push(name)
        this.#boxes.push(...piecesOf(name, this.#scale))
      }
      this.#boxes.length = before
      if (found.length === family.length) return found
    }
    return []
  }

  #placeOnArc(index: number, px: number, hasCount: boolean): PlacedName | null {
    const zone = this.#hall.zones[index]!
    const count = hasCount ? this.#countOf(index, false) : null
    if (!zone.arc || (hasCount && count === null)) return null
    const scale = this.#scale
    const length = measureLine(this.#measure, zone.name, count, px)
    const height = (px * NAME_LINE) / scale
    const reach = 0.5 * this.#hall.pitch
    for (let step = 0; step < ARC_STEPS; step += 1) {
      const arc = movedTowards(zone.arc, this.#hall.front, reach + height * (0.6 + 0.2 * step))
      if (arc.radius <= 0 || length / scale > arc.radius) return null
      const pieces = piecesOn(arc, length / scale, height)
      if (!pieces.every(box => this.#isFree(index, box, true, reach))) continue
      const box = pointBounds(
        pieces.flatMap(({ minX, minY, maxX, maxY }) => [
          { x: minX, y: minY },
          { x: maxX, y: maxY },
        ]),
      )
      return {
        kind: 'zone',
        index,
        lines: [zone.name],
        px,
        hasCount,
        isBrief: false,
        isBeneath: false,
        ...middleOf(box),
        width: (box.maxX - box.minX) * scale,
        height: (box.maxY - box.minY) * scale,
        arc,
        length,
      }
    }
    return null
  }

  /** The first form that fits them all; from far else the one that fits most of them. */
  #bestForm(family: readonly number[], isAmongSeats: boolean): PlacedName[] {
    const forms = FORMS.filter(form => !isAmongSeats || (!form.hasCount && form.px >= 11))
    let best: PlacedName[] = []
    for (const form of forms) {
      const isLast = form === forms.at(-1)
      // Among seats a family is in gaps as a whole or not at all:
      // a few would look like sections of another kind.
      const most = isAmongSeats ? 0 : isLast ? family.length : MOST_MISSING * family.length
      const found = this.#tryForm(family, form, isAmongSeats, most)
      if (found.length > best.length) best = found
      if (best.length === family.length) break
    }
    return isAmongSeats && best.length < family.length ? [] : best
  }

  #tryForm(family: readonly number[], form: Form, isAmongSeats: boolean, mostMissing: number): PlacedName[] {
    const found: PlacedName[] = []
    const before = this.#boxes.length
    let missing = 0
    for (const index of family) {
      const name = this.#place(index, form, isAmongSeats)
      if (!name) {
        missing += 1
        if (missing > mostMissing) break
        continue
      }
      found.push(name)
      this.#boxes.push(this.#boxOf(name))
    }
    this.#boxes.length = before
    return found
  }

  #place(index: number, form: Form, isAmongSeats: boolean): PlacedName | null {
    const zone = this.#hall.zones[index]!
    const lines = linesOf(zone.name, form.text)
    if (!lines) return null
    const { isBrief = false } = form
    const count = form.hasCount ? this.#countOf(index, isBrief) : null
    if (form.hasCount && count === null) return null
    const scale = this.#scale
    const wide = Math.max(...lines.map(line => this.#measure(line) * form.px))
    const width = Math.max(wide, count === null ? 0 : this.#measure(count) * COUNT_PX) + 2 * PAD_PX
    const height = (lines.length * form.px + (count === null ? 0 : COUNT_PX)) * NAME_LINE + PAD_PX
    const half = { x: width / 2 / scale, y: height / 2 / scale }
    const { bounds } = zone
    if (2 * half.x > bounds.maxX - bounds.minX || 2 * half.y > bounds.maxY - bounds.minY) return null
    if (!isAmongSeats && 4 * half.x * half.y > zone.area) return null
    const candidates: Iterable<Spot> = isAmongSeats ? this.#gapsOf(zone, half) : zone.spots
    for (const { x, y, mayBeOutside = false } of candidates) {
      if (!this.#isFree(index, around({ x, y }, half), mayBeOutside)) continue
      const { kind, isBeneath } = { kind: 'zone' as const, isBeneath: false }
      const { px, hasCount } = form
      return { kind, index, lines, px, hasCount, isBrief, isBeneath, x, y, width, height }
    }
    return null
  }

  /** Between the stage and the first row; then inside, along the edges of its box. */
  *#gapsOf({ room, bounds }: NamedZone, half: Point): Generator<Spot> {
    const dx = this.#hall.front.x - room.front.x
    const dy = this.#hall.front.y - room.front.y
    const way = Math.hypot(dx, dy)
    for (let step = 0; way > 0 && step < FRONT_STEPS; step += 1) {
      const far = (half.y * (1.1 + 0.2 * step)) / way
      const spot = { x: room.front.x + dx * far, y: room.front.y + dy * far, mayBeOutside: true }
      if (far > 1 || !contains(bounds, around(spot, half))) break
      yield spot
    }
    const margin = PAD_PX / this.#scale
    const top = bounds.minY + half.y + margin
    const bottom = bounds.maxY - half.y - margin
    for (const y of [top, bottom]) {
      yield { x: room.middle.x, y, mayBeOutside: false }
      yield { x: bounds.minX + half.x + margin, y, mayBeOutside: false }
      yield { x: bounds.maxX - half.x - margin, y, mayBeOutside: false }
    }
  }

  #isFree(index: number, box: Bounds, mayBeOutside: boolean, reach = this.#reach): boolean {
    const { zones, shapes, grid } = this.#hall
    const zone = zones[index]!
    if (!contains(zone.bounds, box)) return false
    const apart = APART_PX / this.#scale
    if (this.#boxes.some(other => boxesMeet(other, grown(box, apart, apart)))) return false
    const inside = isBoxInside(box, zone.points)
    if (!inside && (!mayBeOutside || !isBoxApart(box, zone.points))) return false
    for (const at of zone.neighbours) {
      const other = zones[at]!
      // A small zone on a large one is drawn over it; the small one's own name is on both.
      const mayLieOn = inside && other.area > zone.area
      if (!mayLieOn && boxesMeet(other.bounds, box) && !isBoxApart(box, other.points)) return false
    }
    if (!inside) {
      for (const shape of shapes) {
        if (shape.kind === 'text' || !boxesMeet(shape.bounds, box)) continue
        const mayLieOn = shape.kind !== 'stage' && isBoxInside(box, shape.points)
        if (!mayLieOn && !isBoxApart(box, shape.points)) return false
      }
    }
    return this.#detail === 'zones' || grid.isEmptyIn(grown(box, reach, reach))
  }

  /** All of a family at one size: as large as the smallest of its sections allows. */
  #beneath(family: readonly number[]): PlacedName[] {
    const { largest, smallest, step } = BENEATH_PX
    for (let px = largest; px >= smallest; px *= step) {
      const found: PlacedName[] = []
      for (const index of family) {
        const name = this.#placeBeneath(index, px)
        if (!name) break
        found.push(name)
      }
      if (found.length === family.length) return found
    }
    return []
  }

  #placeBeneath(index: number, px: number): PlacedName | null {
    const zone = this.#hall.zones[index]!
    const lines = linesOf(zone.name, 'short') ?? [zone.name]
    const width = this.#measure(lines[0]!) * px
    const height = px
    const half = { x: width / 2 / this.#scale, y: height / 2 / this.#scale }
    const apart = APART_PX / this.#scale
    for (const { x, y } of zone.spots.slice(0, 5)) {
      const box = around({ x, y }, half)
      const isFree =
        contains(zone.bounds, box) &&
        isBoxInside(box, zone.points) &&
        !this.#boxes.some(other => boxesMeet(other, grown(box, apart, apart))) &&
        zone.neighbours.every(at => isBoxApart(box, this.#hall.zones[at]!.points))
      if (isFree) {
        const kind = 'zone'
        const [hasCount, isBrief, isBeneath] = [false, false, true]
        return { kind, index, lines, px, hasCount, isBrief, isBeneath, x, y, width, height }
      }
    }
    return null
  }

  #boxOf({ x, y, width, height }: PlacedName): Bounds {
    return around({ x, y }, { x: width / 2 / this.#scale, y: height / 2 / this.#scale })
  }

  #keep(name: PlacedName): void {
    this.placed.push(name)
    this.#boxes.push(...piecesOf(name, this.#scale))
  }
}

/** CSS pixels of a name and what is free beside it. */
function measureLine(measure: Measure, name: string, count: string | null, px: number): number {
  const beside = count === null ? 0 : ARC_GAP_PX + measure(count) * COUNT_OF_ARC * px
  return measure(name) * px + beside + 2 * PAD_PX
}
