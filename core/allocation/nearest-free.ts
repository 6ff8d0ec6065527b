import { type Hall, OFFER } from './hall.ts'

/** Another row is farther than it looks: buyers would rather stay in their own. In usual distances. */
const OTHER_ROW = 1.5

/**
 * Free seats near one that was lost, by ordinal: side by side if there are such, in its zone before any
 * other, and the nearest of them. If so many are nowhere together, the nearest single ones of its zone,
 * filled up from the others. Places for wheelchairs and companions are only proposed to a buyer who asked for
 * one, and seats that are sold as a whole to none.
 */
export function nearestFree(
  hall: Hall,
  isFree: (ordinal: number) => boolean,
  around: number,
  count: number,
): number[] {
  const { positions, ordinals, runOf, rowOfRun, zoneOfRow } = hall.rows
  const at = positions[around]
  if (at === undefined || count < 1) return []
  const accessible = OFFER.wheelchair | OFFER.companion
  const offered = hall.offer[at]! & accessible ? OFFER.general | accessible : OFFER.general
  const own = zoneOfRow[rowOfRun[runOf[at]!]!]!
  const search: Search = {
    hall,
    count,
    distance: distanceFrom(hall, at),
    doesCount: position =>
      position !== at && (hall.offer[position]! & offered) !== 0 && isFree(ordinals[position]!),
  }
  const isOwn = (zone: number) => zone === own
  const isOther = (zone: number) => zone !== own
  const found =
    nearestTogether(search, isOwn) ??
    nearestTogether(search, isOther) ??
    nearestSingles(search, [isOwn, isOther])
  return found.map(position => ordinals[position]!)
}

type IsZone = (zone: number) => boolean

/** By position. */
interface Search {
  readonly hall: Hall
  readonly count: number
  readonly distance: (position: number) => number
  readonly doesCount: (position: number) => boolean
}

/** Returns the stretch of free neighbours whose farther end is nearest; of equal ones the first. */
function nearestTogether(search: Search, isZone: IsZone): number[] | null {
  const { count, distance, doesCount } = search
  let best = Number.POSITIVE_INFINITY
  let found: number | null = null
  for (const { start, end } of runsOf(search.hall, isZone)) {
    let length = 0
    for (let at = start; at < end; at += 1) {
      length = doesCount(at) ? length + 1 : 0
      if (length < count) continue
      const first = at - count + 1
      const farther = Math.max(distance(first), distance(at))
      if (farther >= best) continue
      best = farther
      found = first
    }
  }
  const first = found
  return first === null ? null : Array.from({ length: count }, (_, index) => first + index)
}

/** From each group of zones in turn, until there are enough. */
function nearestSingles({ hall, count, distance, doesCount }: Search, groups: readonly IsZone[]): number[] {
  const found: number[] = []
  for (const isZone of groups) {
    const free: number[] = []
    for (const { start, end } of runsOf(hall, isZone)) {
      for (let at = start; at < end; at += 1) if (doesCount(at)) free.push(at)
    }
    free.sort((a, b) => distance(a) - distance(b) || a - b)
    found.push(...free.slice(0, count - found.length))
    if (found.length === count) break
  }
  return found
}

function* runsOf({ rows }: Hall, isZone: IsZone): Generator<{ start: number; end: number }> {
  for (const [run, row] of rows.rowOfRun.entries()) {
    if (isZone(rows.zoneOfRow[row]!)) yield { start: rows.runStarts[run]!, end: rows.runStarts[run + 1]! }
  }
}

function distanceFrom({ rows: { x, y, runOf, rowOfRun, pitch } }: Hall, from: number) {
  const ownRow = rowOfRun[runOf[from]!]!
  const detour = OTHER_ROW * pitch[ownRow]!
  return (at: number) =>
    Math.hypot(x[at]! - x[from]!, y[at]! - y[from]!) + (rowOfRun[runOf[at]!] === ownRow ? 0 : detour)
}
