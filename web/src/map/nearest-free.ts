import { SEAT_CATEGORIES } from '@voelgoed/core/layout/model'
import { AVAILABLE, type MapModel, type MapRow, type MapZone, NO_ZONE } from './model.ts'

/** Neighbours in a row are at most so many pitches apart; beyond is an aisle. */
const NEIGHBOURS_WITHIN = 1.6
const OTHER_ROW = 1.5

/**
 * Free seats near one that was lost: side by side if there are such, in its zone before any other, and the
 * nearest of them. If so many are nowhere together, the nearest single ones of its zone, filled up from the
 * others. Places for wheelchairs and companions are only proposed to those who asked for one.
 *
 * `statuses`: one byte a seat.
 */
export function nearestFree(model: MapModel, statuses: Uint8Array, around: number, count: number): number[] {
  if (!model.has(around) || count < 1) return []
  const own = model.zones[model.zoneOf[around]!]!
  const others = model.zones.filter(zone => zone !== own)
  const search: Search = {
    model,
    count,
    distance: distanceFrom(model, around),
    isFree: freeFor(model, statuses, around),
  }
  return (
    nearestTogether(search, [own]) ??
    nearestTogether(search, others) ??
    nearestSingles(search, [[own], others])
  )
}

interface Search {
  readonly model: MapModel
  readonly count: number
  readonly distance: (ordinal: number) => number
  readonly isFree: (ordinal: number) => boolean
}

/** Of all stretches of free neighbours the one whose farther end is nearest. */
function nearestTogether(search: Search, zones: readonly MapZone[]): number[] | null {
  const { count, distance } = search
  let best = Number.POSITIVE_INFINITY
  let found: number | null = null
  for (const first of stretches(search, zones)) {
    const farther = Math.max(distance(first), distance(first + count - 1))
    if (farther >= best) continue
    best = farther
    found = first
  }
  return found === null ? null : Array.from({ length: count }, (_, index) => found + index)
}

/** The first seat of every stretch of `count` free neighbours. */
function* stretches({ model, count, isFree }: Search, zones: readonly MapZone[]): Generator<number> {
  const { x, y } = model
  const reach = NEIGHBOURS_WITHIN * model.pitch
  for (const { rows } of zones) {
    for (const { firstOrdinal, seatCount } of rows) {
      let length = 0
      for (let at = firstOrdinal; at < firstOrdinal + seatCount; at += 1) {
        const goesOn = length > 0 && Math.hypot(x[at]! - x[at - 1]!, y[at]! - y[at - 1]!) <= reach
        if (!isFree(at)) length = 0
        else length = goesOn ? length + 1 : 1
        if (length >= count) yield at - count + 1
      }
    }
  }
}

/** From each group of zones in turn, until there are enough. */
function nearestSingles(
  { count, distance, isFree }: Search,
  groups: readonly (readonly MapZone[])[],
): number[] {
  const found: number[] = []
  for (const zones of groups) {
    const free: number[] = []
    for (const { firstOrdinal, seatCount } of zones) {
      for (let at = firstOrdinal; at < firstOrdinal + seatCount; at += 1) if (isFree(at)) free.push(at)
    }
    free.sort((a, b) => distance(a) - distance(b))
    found.push(...free.slice(0, count - found.length))
    if (found.length === count) break
  }
  return found
}

/** Another row is farther than it looks: one would rather stay in the own one. */
function distanceFrom({ x, y, pitch, zones, zoneOf }: MapModel, around: number): (ordinal: number) => number {
  const isIn = ({ firstOrdinal, seatCount }: MapRow, ordinal: number) =>
    ordinal >= firstOrdinal && ordinal < firstOrdinal + seatCount
  const ownRow = zones[zoneOf[around]!]!.rows.find(row => isIn(row, around))!
  return ordinal => {
    const detour = isIn(ownRow, ordinal) ? 0 : OTHER_ROW * pitch
    return Math.hypot(x[ordinal]! - x[around]!, y[ordinal]! - y[around]!) + detour
  }
}

function freeFor({ categoryOf, zoneOf }: MapModel, statuses: Uint8Array, around: number) {
  const isAccessible = (ordinal: number) =>
    /wheelchair|companion/.test(SEAT_CATEGORIES[categoryOf[ordinal]!]!)
  const mayBeAccessible = isAccessible(around)
  return (ordinal: number) =>
    statuses[ordinal] === AVAILABLE &&
    ordinal !== around &&
    zoneOf[ordinal] !== NO_ZONE &&
    (mayBeAccessible || !isAccessible(ordinal))
}
