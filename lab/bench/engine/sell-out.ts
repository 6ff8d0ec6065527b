import { bestAvailable } from '@voelgoed/core/allocation/best-available'
import { FreeSeats } from '@voelgoed/core/allocation/free-seats'
import { type Hall, OFFER } from '@voelgoed/core/allocation/hall'
import { strandsAlone } from '@voelgoed/core/allocation/stranded'
import { Random } from '../../random.ts'

/**
 * A hall sold out by groups that sit together or go away: how full is it when the first group goes away, and
 * how many seats stand alone then? Four ways to choose:
 *
 *   rules       best available
 *   first fit   the first free seats side by side, row by row
 *   free        buyers choose: the best of a few places they happen to look at
 *   under rule  the same buyers, who may not leave a seat alone while another place does not
 */
export const WAYS = ['rules', 'first fit', 'free', 'under rule'] as const
export type Way = (typeof WAYS)[number]

export interface SellOut {
  readonly way: Way
  /** So many of a hundred seats were sold. */
  readonly sold: number
  /** Free seats without a free neighbour. */
  readonly alone: number
  /** Groups seated. */
  readonly groups: number
  /** By tenths of the hall that were sold: seats alone at that moment. */
  readonly onTheWay: readonly number[]
}

/** Ten of a hundred come alone, fifty are two, ten three, twenty four, ten five to eight. */
function groupSize(random: Random): number {
  const draw = random.below(100)
  if (draw < 10) return 1
  if (draw < 60) return 2
  if (draw < 70) return 3
  if (draw < 90) return 4
  return random.between(5, 8)
}

/** Places that a buyer looks at before choosing. */
const LOOKS = 5

export function sellOut(hall: Hall, way: Way, seed: number): SellOut {
  const random = new Random(seed)
  const taken = new Uint8Array(hall.rows.seats)
  const seats = new FreeSeats(hall, ordinal => taken[ordinal] === 0)
  const count = hall.offer.filter(offer => offer === OFFER.general).length
  const onTheWay: number[] = []
  let sold = 0
  let groups = 0
  for (;;) {
    seats.update()
    while (onTheWay.length < Math.floor((sold * 10) / count)) onTheWay.push(countAlone(seats))
    const quantity = groupSize(random)
    const start = choose(seats, way, quantity, random)
    if (start === null) break
    for (let at = start; at < start + quantity; at += 1) {
      taken[hall.rows.ordinals[at]!] = 1
      seats.touch(hall.rows.ordinals[at]!)
    }
    sold += quantity
    groups += 1
  }
  return { way, sold: (sold / count) * 100, alone: countAlone(seats), groups, onTheWay }
}

/** The first position of the seats, or null: the group goes away. */
function choose(seats: FreeSeats, way: Way, quantity: number, random: Random): number | null {
  if (way === 'rules') {
    const zones = Array.from(new Set(seats.hall.rows.zoneOfRow), () => true)
    const wish = { quantity, zones, prices: null, together: true, maxSplit: null, offer: OFFER.general }
    return bestAvailable(seats, wish)?.clusters[0]?.start ?? null
  }
  const places = placesFor(seats, quantity)
  if (way === 'first fit') return places[0] ?? null
  const { hall, free } = seats
  const strandsNone = (start: number) => strandsAlone(hall, free, start, start + quantity) === 0
  const good = way === 'under rule' ? places.filter(strandsNone) : places
  const from = good.length > 0 ? good : places
  if (from.length === 0) return null
  let best = random.pick(from)
  for (let look = 1; look < LOOKS; look += 1) {
    const other = random.pick(from)
    if (hall.cost[other]! < hall.cost[best]!) best = other
  }
  return best
}

function placesFor({ hall, free }: FreeSeats, quantity: number): number[] {
  const { runOf } = hall.rows
  const places: number[] = []
  let chain = 0
  for (let at = 0; at < free.length; at += 1) {
    if (at > 0 && runOf[at] !== runOf[at - 1]) chain = 0
    chain = free[at] === 1 && hall.offer[at] === OFFER.general ? chain + 1 : 0
    if (chain >= quantity) places.push(at - quantity + 1)
  }
  return places
}

function countAlone({ hall, free }: FreeSeats): number {
  const { runOf } = hall.rows
  let alone = 0
  for (let at = 0; at < free.length; at += 1) {
    if (free[at] === 0 || hall.offer[at] !== OFFER.general) continue
    const hasNeighbour = [at - 1, at + 1].some(other => runOf[other] === runOf[at] && free[other] === 1)
    if (!hasNeighbour) alone += 1
  }
  return alone
}
