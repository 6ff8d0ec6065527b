import { ok, type Result, refuse } from '../../result.ts'
import { isCoordinate } from '../check-points.ts'
import { levelsOf } from '../levels.ts'
import {
  LAYOUT_LIMITS,
  type LayoutConfig,
  type LayoutFault,
  type Outline,
  type Point,
  type SeatConfig,
  type SeatGroupConfig,
  type ZoneConfig,
} from '../model.ts'
import { defaultLabel } from '../seat-number.ts'
import type { Cursor } from './cursor.ts'
import { ImportPlaces } from './places.ts'
import type { ImportReport } from './report.ts'

export interface Imported {
  readonly config: LayoutConfig
  readonly warnings: LayoutFault[]
  readonly places: ImportPlaces
}

/** A seat with its place in the document. */
export interface DraftSeat {
  readonly config: SeatConfig
  readonly at: Cursor
}

/** A zone while it is read. Its name is unique in the layout, its labels are unique in the zone. */
export interface DraftZone {
  readonly config: ZoneConfig
  readonly at: Cursor
  /** This is where each of its seats is in the document. */
  readonly seatsAt: Cursor[]
  readonly labels: UniqueNames
  /** For a row label that came more than once, the number that the next such row gets. */
  readonly nextRow: Map<string, number>
}

/**
 * The layout that an import builds. It keeps the rules that `compileLayout` will ask for, and reports
 * what breaks them where it is in the document; so what comes out of `finish` compiles.
 */
export class LayoutDraft {
  readonly zones: DraftZone[] = []
  readonly outlines: NonNullable<LayoutConfig['outlines']> = []
  focalPoint: Point | null = null
  readonly #report: ImportReport
  readonly #groups: SeatGroupConfig[] = []
  readonly #categories = new Map<string, { key: string; label: string; color: string | null }>()
  readonly #zoneNames = new UniqueNames()
  #seatCount = 0

  constructor(report: ImportReport) {
    this.#report = report
  }

  listCategory(at: Cursor, key: string, label: string | null, color: string | null): void {
    if (this.#categories.has(key)) {
      this.#report.warn('category_listed_twice', at, at, `Category ${key} is listed before; that one counts.`)
      return
    }
    checkLength(at, key, LAYOUT_LIMITS.labelLength)
    checkLength(at, label ?? '', LAYOUT_LIMITS.nameLength)
    const keepColor = color === null || color.length <= LAYOUT_LIMITS.labelLength
    if (!keepColor) this.#report.warn('category_color_dropped', at, at, 'The colour is too long to be one.')
    this.#categories.set(key, { key, label: label ?? key, color: keepColor ? color : null })
  }

  /** A category that is used but not listed is listed, so that nothing is lost. */
  useCategory(place: Cursor, at: Cursor, key: string): void {
    if (this.#categories.has(key)) return
    checkLength(at, key, LAYOUT_LIMITS.labelLength)
    this.#categories.set(key, { key, label: key, color: null })
    this.#report.warn('category_not_listed', place, at, `Category ${key} is not listed; it was added.`)
  }

  addZone(at: Cursor, name: string, config: Omit<ZoneConfig, 'name'>): DraftZone {
    const unique = this.#zoneNames.take(name)
    if (unique !== name) {
      this.#report.warn('zone_renamed', at, at, `There is a zone ${name} already; this one is ${unique}.`)
    }
    checkLength(at, unique, LAYOUT_LIMITS.nameLength)
    const zone: DraftZone = {
      config: { name: unique, ...config },
      at,
      seatsAt: [],
      labels: new UniqueNames(),
      nextRow: new Map(),
    }
    this.zones.push(zone)
    return zone
  }

  /** Its label has been taken from `zone.labels`, by which it is the only one. */
  addSeat(zone: DraftZone, { config, at }: DraftSeat): void {
    this.#seatCount++
    if (this.isFull) return
    const label = config.label ?? defaultLabel(config.row, config.number)
    checkLength(at, label, LAYOUT_LIMITS.labelLength)
    checkLength(at, config.row, LAYOUT_LIMITS.labelLength)
    checkLength(at, String(config.number), LAYOUT_LIMITS.labelLength)
    if (config.coordinates) checkPlace(at, config.coordinates)
    zone.config.seats ??= []
    zone.config.seats.push(config)
    zone.seatsAt.push(at)
  }

  addGroup(group: SeatGroupConfig): void {
    this.#groups.push(group)
  }

  /** A drawing that has no place on the plan, or too many points, is left out: no buyer books it. */
  addOutline(place: Cursor, at: Cursor, outline: Outline): void {
    const points = keepOutline(place, at, outline.points, outline.kind === 'text' ? 1 : 2)
    if (!points) return
    if (this.outlines.length === LAYOUT_LIMITS.outlines) {
      this.#report.warn(
        'outline_dropped',
        place,
        at,
        'The layout has too many drawings; this one was left out.',
      )
      return
    }
    const label = outline.label === null ? null : shorten(outline.label)
    this.outlines.push({ ...outline, label, points })
  }

  /** The first one counts. */
  addFocalPoint(place: Cursor, at: Cursor, point: Point): void {
    const { x, y } = addPoints(point)
    if (this.focalPoint === null && isCoordinate(x) && isCoordinate(y)) {
      this.focalPoint = { x, y }
      return
    }
    const message = 'A layout has one focal point, on the plan; this one was left out.'
    this.#report.warn('focal_point_dropped', place, at, message)
  }

  /** More seats than a layout may have: the rest needn't be read. */
  get isFull(): boolean {
    return this.#seatCount > LAYOUT_LIMITS.seats
  }

  finish(root: Cursor): Result<Imported, LayoutFault[]> {
    const { zones, outlines } = this
    const sizes = [
      ['too_many_seats', 'seats', this.#seatCount, LAYOUT_LIMITS.seats],
      ['too_many_zones', 'zones', zones.length, LAYOUT_LIMITS.zones],
      ['too_many_levels', 'levels', levelsOf(zones.map(zone => zone.config)).length, LAYOUT_LIMITS.levels],
      ['too_many_groups', 'groups', this.#groups.length, LAYOUT_LIMITS.groups],
      ['too_many_price_categories', 'categories', this.#categories.size, LAYOUT_LIMITS.priceCategories],
    ] as const
    for (const [code, noun, count, limit] of sizes) {
      if (count > limit) root.fault(code, `A layout has at most ${limit} ${noun}: split the document.`)
    }
    if (zones.length === 0 && this.#report.faults.count === 0) {
      root.fault('nothing_to_book', 'There is no seat and no place in this document.')
    }
    if (this.#report.faults.count > 0) return refuse(this.#report.faults.list())

    const config: LayoutConfig = { zones: zones.map(zone => zone.config) }
    if (this.#groups.length > 0) config.seat_groups = this.#groups
    if (this.#categories.size > 0) config.price_categories = [...this.#categories.values()]
    if (this.focalPoint) config.focal_point = this.focalPoint
    if (outlines.length > 0) config.outlines = outlines
    const places = new ImportPlaces(zones, this.#report)
    return ok({ config, warnings: this.#report.warnings(), places })
  }
}

/** Names in the order in which they are asked for: A, A (2), A (3). */
export class UniqueNames {
  readonly #taken = new Set<string>()
  readonly #next = new Map<string, number>()

  has(name: string): boolean {
    return this.#taken.has(name)
  }

  take(name: string): string {
    let unique = name
    let count = this.#next.get(name) ?? 2
    while (this.#taken.has(unique)) unique = `${name} (${count++})`
    this.#next.set(name, count)
    this.#taken.add(unique)
    return unique
  }
}

/** The outline if it can be drawn, else null and a warning. */
export function keepOutline(
  place: Cursor,
  at: Cursor,
  points: readonly Point[] | null,
  atLeast: number,
): Point[] | null {
  const fits =
    points !== null &&
    points.length >= atLeast &&
    points.length <= LAYOUT_LIMITS.pointsPerOutline &&
    points.every(({ x, y }) => isCoordinate(x) && isCoordinate(y))
  if (fits) return [...points]
  at.report.warn('outline_dropped', place, at, 'This drawing could not be carried over.')
  return null
}

/** For words that only accompany something. Never ends in half of a surrogate pair. */
export function shorten(text: string, length: number = LAYOUT_LIMITS.nameLength): string {
  return text.slice(0, length).replace(/\p{Cs}$/u, '')
}

/** Sums of offsets have noise in the last digits; a thousandth is finer than any drawing. */
export function addPoints(...points: readonly Point[]): Point {
  let x = 0
  let y = 0
  for (const point of points) {
    x += point.x
    y += point.y
  }
  return { x: Math.round(x * 1_000) / 1_000 + 0, y: Math.round(y * 1_000) / 1_000 + 0 }
}

function checkLength(at: Cursor, text: string, limit: number): void {
  if (text.length > limit) at.fault('text_too_long', `Shorten this to at most ${limit} characters.`)
}

function checkPlace(at: Cursor, { x, y }: Point): void {
  if (isCoordinate(x) && isCoordinate(y)) return
  at.fault('coordinate_too_large', `Move this to within ${LAYOUT_LIMITS.coordinate} of the origin.`)
}
