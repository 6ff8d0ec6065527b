import { levelsOf } from '../layout/levels.ts'
import { rankOf, saleOf } from '../layout/meaning.ts'
import type { Layout, Point, SeatGroup, Zone } from '../layout/model.ts'
import { gridOf, typicalPitch } from '../map/quantise.ts'
import { distanceOf } from './chain.ts'
import { type Companions, pairsOf } from './companions.ts'
import { compileRows, type RowSeat, type Rows } from './rows.ts'

/** A layout version as best available sees it. Never changes, so all events on the version share it. */
export interface Hall {
  readonly rows: Rows
  /** By position: how far the seat is from the best one, in whole numbers, so that sums are exact. */
  readonly cost: Uint32Array
  /** By position: one of OFFER. */
  readonly offer: Uint8Array
  /** By position: index of the price category; NO_PRICE_CATEGORY for none. */
  readonly price: Uint16Array
  /** By run: the cost of its best seat. */
  readonly runCost: Uint32Array
  /** All runs, the one with the best seat first. */
  readonly runsByCost: Uint32Array
  /** Groups that are sold as a whole, by their positions in order. */
  readonly wholes: readonly Uint32Array[]
  /** By position: the group that the seat is sold with, as an index of `wholes`. */
  readonly wholeOf: ReadonlyMap<number, number>
  /** Groups that are a preference. */
  readonly families: readonly Uint32Array[]
  /** Positions of the wheelchair places. */
  readonly places: Uint32Array
  readonly companions: Companions
}

/** A seat may be offered to these, bit by bit, so that a wish can name several. */
export const OFFER = { general: 1, companion: 2, wheelchair: 4, whole: 8 } as const
export const NO_PRICE_CATEGORY = 0xffff

/** The zone of a seat, by its position. */
export function zoneOf({ rows }: Pick<Hall, 'rows'>, at: number): number {
  return rows.zoneOfRow[rows.rowOfRun[rows.runOf[at]!]!]!
}

/** Between two seats, by their positions. */
export function distanceBetween({ rows: { x, y } }: Pick<Hall, 'rows'>, a: number, b: number): number {
  return Math.hypot(x[a]! - x[b]!, y[a]! - y[b]!)
}

/** Describes what is asked of a layout. */
export interface HallPlan {
  readonly zones: readonly (Pick<Zone, 'metadata'> & { readonly level?: string | null })[]
  readonly seats: readonly (RowSeat &
    Pick<Layout['seats'][number], 'category' | 'priceCategory' | 'companionOrdinal'>)[]
  readonly groups: readonly Pick<SeatGroup, 'groupType' | 'ordinals' | 'metadata'>[]
  readonly priceCategories: readonly { readonly key: string }[]
  readonly focalPoint: Point | null
}

/**
 * Coordinates are rounded to the grid of the map document first, so that a page that has no more than that
 * document comes to the same hall.
 */
export function compileHall(plan: HallPlan): Hall {
  return compileHallOnGrid({ ...plan, seats: onGrid(plan.seats) })
}

/** Takes a plan whose coordinates are on the grid already. */
export function compileHallOnGrid(plan: HallPlan): Hall {
  const front = plan.focalPoint ?? middleOfFirstRow(plan.seats)
  const rows = compileRows(plan.seats, front)
  const cost = costs(plan, rows, front)
  const runCost = new Uint32Array(rows.rowOfRun.length)
  for (let run = 0; run < runCost.length; run += 1) {
    let lowest = Number.POSITIVE_INFINITY
    for (let at = rows.runStarts[run]!; at < rows.runStarts[run + 1]!; at += 1) {
      lowest = Math.min(lowest, cost[at]!)
    }
    runCost[run] = lowest
  }
  const isPlace = (at: number) => plan.seats[rows.ordinals[at]!]!.category === 'wheelchair'
  const groupsOf = (isIt: (group: HallPlan['groups'][number]) => boolean) =>
    plan.groups
      .filter(isIt)
      .map(({ ordinals }) => Uint32Array.from(ordinals, ordinal => rows.positions[ordinal]!).sort())
  const wholes = groupsOf(group => saleOf(group) === 'whole')
  return {
    rows,
    cost,
    offer: offers(plan, rows, wholes),
    price: prices(plan, rows),
    runCost,
    runsByCost: Uint32Array.from(runCost.keys()).sort((a, b) => runCost[a]! - runCost[b]! || a - b),
    wholes,
    wholeOf: new Map(wholes.flatMap((positions, index) => [...positions].map(at => [at, index] as const))),
    places: rows.ordinals.map((_, at) => at).filter(at => isPlace(at)),
    companions: pairsOf(plan.seats, rows),
    families: groupsOf(group => saleOf(group) === 'family'),
  }
}

function onGrid(seats: HallPlan['seats']): HallPlan['seats'] {
  const x = seats.map(seat => seat.x)
  const y = seats.map(seat => seat.y)
  const grid = gridOf(x, y, typicalPitch(x, y, rowLengthsOf(seats)))
  return seats.map((seat, ordinal) => ({
    zoneIndex: seat.zoneIndex,
    row: seat.row,
    number: seat.number,
    aisleAfter: seat.aisleAfter,
    category: seat.category,
    priceCategory: seat.priceCategory,
    companionOrdinal: seat.companionOrdinal,
    x: grid.origin[0] + grid.x[ordinal]! / grid.perUnit,
    y: grid.origin[1] + grid.y[ordinal]! / grid.perUnit,
  }))
}

/** Lengths of the stretches of seats that are listed under one row label of one zone. */
function rowLengthsOf(seats: HallPlan['seats']): number[] {
  const lengths: number[] = []
  for (const [ordinal, { zoneIndex, row }] of seats.entries()) {
    const before = seats[ordinal - 1]
    if (before && before.row === row && before.zoneIndex === zoneIndex) lengths[lengths.length - 1]! += 1
    else lengths.push(1)
  }
  return lengths
}

/** Returns the middle of the row that is listed first. */
export function middleOfFirstRow(seats: HallPlan['seats']): Point {
  const first = seats[0]
  if (!first) return { x: 0, y: 0 }
  let [x, y, count] = [0, 0, 0]
  for (const seat of seats) {
    if (seat.zoneIndex !== first.zoneIndex) break
    if (seat.row !== first.row) continue
    x += seat.x
    y += seat.y
    count += 1
  }
  return { x: x / count, y: y / count }
}

/** A distance from the front is one of so many steps: 1.5 mm in a hall of 100 m. */
const STEPS = 0x10000

/** A floor is as much higher than the one before it as this share of the hall is deep. */
const RISE = 1 / 6

/**
 * The distance from where the audience looks; a zone that its organizer ranks behind another
 * has only worse seats than that one, and a restricted view is worse than everything without.
 * Plans of floors may lie on top of each other: a seat above another one is farther away than that.
 */
function costs({ zones, seats }: HallPlan, { ordinals }: Rows, front: Point): Uint32Array {
  const zoneRanks = zones.map(rankOf)
  const ranks = [...new Set(zoneRanks)].sort((a, b) => a - b)
  let deepest = Number.MIN_VALUE
  for (const seat of seats) deepest = Math.max(deepest, distanceOf(seat, front))
  const levels = levelsOf(zones)
  const heights = zones.map(({ level }) => Math.max(0, levels.indexOf(level ?? '')) * RISE * deepest)
  const away = (seat: HallPlan['seats'][number]) => {
    const flat = distanceOf(seat, front)
    const height = heights[seat.zoneIndex]!
    return height === 0 ? flat : Math.hypot(flat, height)
  }
  let farthest = deepest
  if (levels.length > 1) for (const seat of seats) farthest = Math.max(farthest, away(seat))
  return Uint32Array.from(ordinals, ordinal => {
    const seat = seats[ordinal]!
    const rank =
      ranks.indexOf(zoneRanks[seat.zoneIndex]!) + (seat.category === 'restricted_view' ? ranks.length : 0)
    return Math.round((2 * rank + away(seat) / farthest) * STEPS)
  })
}

function offers({ seats }: HallPlan, { ordinals }: Rows, wholes: readonly Uint32Array[]): Uint8Array {
  const offer = Uint8Array.from(ordinals, ordinal => {
    const { category } = seats[ordinal]!
    return category === 'wheelchair' || category === 'companion' ? OFFER[category] : OFFER.general
  })
  for (const positions of wholes) for (const at of positions) offer[at] = OFFER.whole
  return offer
}

function prices({ seats, priceCategories }: HallPlan, { ordinals }: Rows): Uint16Array {
  const indexes = new Map(priceCategories.map(({ key }, index) => [key, index]))
  return Uint16Array.from(ordinals, ordinal => {
    const key = seats[ordinal]!.priceCategory
    return key === null ? NO_PRICE_CATEGORY : (indexes.get(key) ?? NO_PRICE_CATEGORY)
  })
}
