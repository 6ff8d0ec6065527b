import type { Chains } from './chains.ts'
import { Surroundings } from './close.ts'
import { freeBefore } from './free-before.ts'
import type { FreeSeats } from './free-seats.ts'
import { distanceBetween, type Hall } from './hall.ts'
import { type Stretch, strandedBy } from './stranded.ts'
import { type Budget, type Found, MOST_ROWS_APART, type Wish } from './wish.ts'

/** Fewer people sit around one of their clusters, or they are no group. */
const FEWEST = 13
/** A block's clusters have so many on average: couples and strangers in turns are no group. */
const FEWEST_EACH = 3
/** To compare two stretches of seats is more than a step, and to put one into order is more than that. */
const LOOKING = 2
const SORTING = 10
/** So many blocks are compared: the best places are looked at first. */
const MOST_BLOCKS = 16
/** More clusters than are needed, for other ways to come to the number. */
const MOST_SPARE = 4

/**
 * Seats for a large group, as a clerk gives them who looks at the plan: a school of 70 finds nowhere a
 * cluster that all others sit around, yet there is a part of the hall where they sit beside and behind each
 * other, with a stranger here and there. It grows from one stretch of free seats to the next ones, in rows no
 * more than `maxSplit` apart. Among the best places, the one with the fewest clusters.
 */
export function findBlock(seats: FreeSeats, chains: Chains, wish: Wish, budget: Budget): Found | null {
  if (wish.quantity < FEWEST) return null
  return new BlockSearch(seats, chains, wish, budget).find()
}

class BlockSearch {
  readonly #seats: FreeSeats
  readonly #chains: Chains
  readonly #wish: Wish
  readonly #budget: Budget
  readonly #rowsApart: number
  readonly #mostClusters: number
  /** By row: seats in stretches of two or more, in all rows before it. */
  readonly #before: Uint32Array
  /** By the start of a chain: what grows from the row of this window is too small. One more than the row. */
  readonly #isTooSmall: Uint32Array

  constructor(seats: FreeSeats, chains: Chains, wish: Wish, budget: Budget) {
    this.#seats = seats
    this.#chains = chains
    this.#wish = wish
    this.#budget = budget
    this.#rowsApart = Math.min(wish.maxSplit ?? MOST_ROWS_APART, MOST_ROWS_APART)
    this.#mostClusters = Math.ceil(wish.quantity / FEWEST_EACH)
    this.#before = freeBefore(seats.hall, chains, 2)
    this.#isTooSmall = new Uint32Array(seats.hall.rows.seats)
  }

  find(): Found | null {
    let best: Found | null = null
    let count = 0
    for (const base of this.#bases()) {
      const block = this.#blockAround(base)
      if (this.#budget.isSpent) break
      if (block === null) continue
      if (best === null || isBetter(block, best)) best = block
      count += 1
      if (count === MOST_BLOCKS) break
    }
    return best
  }

  /** Stretches around which there may be room enough, the best places first. */
  *#bases(): Generator<Stretch, void, void> {
    const { hall } = this.#seats
    const { zoneOfRow, rowOfRun, runStarts } = hall.rows
    const { counts, starts, ends } = this.#chains
    for (const run of this.#seats.reach(this.#rowsApart).runs) {
      this.#budget.left -= 1
      const row = rowOfRun[run]!
      if (!this.#wish.zones[zoneOfRow[row]!]) continue
      const [from, to] = this.#rowsAround(row)
      if (this.#before[to + 1]! - this.#before[from]! < this.#wish.quantity) continue
      if (this.#longest(from, to) * this.#mostClusters < this.#wish.quantity) continue
      const first = runStarts[run]!
      for (let chain = first; chain < first + counts[run]!; chain += 1) {
        const [start, end] = [starts[chain]!, ends[chain]!]
        if (end - start > 1 && this.#isTooSmall[start] !== row + 1) yield { start, end }
      }
    }
  }

  #longest(from: number, to: number): number {
    const { rowStarts } = this.#seats.hall.rows
    let longest = 0
    this.#budget.left -= rowStarts[to + 1]! - rowStarts[from]!
    for (let run = rowStarts[from]!; run < rowStarts[to + 1]!; run += 1) {
      longest = Math.max(longest, this.#chains.longest[run]!)
    }
    return longest
  }

  /** As many rows before this one as behind it, as far as the zone has them. */
  #rowsAround(row: number): [from: number, to: number] {
    const { zoneOfRow } = this.#seats.hall.rows
    const isInZone = (other: number) => zoneOfRow[other] === zoneOfRow[row]
    let from = row
    let to = row
    while (to - from < this.#rowsApart) {
      const [isBefore, isBehind] = [isInZone(from - 1), isInZone(to + 1)]
      if (!isBefore && !isBehind) break
      if (isBehind && (!isBefore || to - row <= row - from)) to += 1
      else from -= 1
    }
    return [from, to]
  }

  #blockAround(base: Stretch): Found | null {
    const { hall } = this.#seats
    const { quantity } = this.#wish
    const most = this.#mostClusters + MOST_SPARE
    const chosen: Stretch[] = []
    let count = 0
    let tries = 0
    // One of the group alone, or one seat: where there is no other way.
    let makeshift: Stretch[] | null = null
    let clusters: Stretch[] | null = null
    for (const chain of this.#grow(base)) {
      chosen.push(chain)
      count += chain.end - chain.start
      const spare = count - quantity
      if (chosen.length > most) break
      if (spare < 0) continue
      clusters = givenBack(hall, chosen, spare)
      makeshift ??= clusters ? null : given(hall, chosen, [[chosen.length - 1, spare]])
      tries += 1
      if (clusters || tries > MOST_SPARE) break
    }
    clusters ??= makeshift
    if (clusters !== null) return this.#asBlock(clusters)
    if (this.#budget.isSpent || count >= quantity || chosen.length > most) return null
    // Whatever of it we began with would have come to the same.
    const row = hall.rows.rowOfRun[hall.rows.runOf[base.start]!]!
    for (const { start } of chosen) this.#isTooSmall[start] = row + 1
    return null
  }

  #asBlock(clusters: Stretch[]): Found | null {
    const { hall, free } = this.#seats
    if (clusters.length > this.#mostClusters || !this.#areConnected(clusters)) return null
    clusters.sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)
    let cost = 0
    for (const { start, end } of clusters) for (let at = start; at < end; at += 1) cost += hall.cost[at]!
    return { clusters, stranded: strandedBy(hall, free, clusters), cost, isTogether: false }
  }

  /** The base, then what is close to it or to what came before: each time the nearest to the base. */
  *#grow(base: Stretch): Generator<Stretch, void, void> {
    const { rows } = this.#seats.hall
    const row = rows.rowOfRun[rows.runOf[base.start]!]!
    let left = this.#chainsOf(this.#rowsAround(row), base)
    const reached: Surroundings[] = []
    const isReached = ({ start, end }: Stretch) => {
      this.#budget.left -= LOOKING * reached.length
      return reached.some(surroundings => surroundings.include(start, end))
    }
    yield base
    reached.push(new Surroundings(rows, base))
    while (!this.#budget.isSpent) {
      const next = left.find(isReached)
      if (next === undefined) return
      left = left.filter(chain => chain !== next)
      reached.push(new Surroundings(rows, next))
      yield next
    }
  }

  /** The other stretches of these rows that have two seats or more, the nearest to the base first. */
  #chainsOf([from, to]: readonly [from: number, to: number], base: Stretch): Stretch[] {
    const { x, y, rowStarts, runStarts } = this.#seats.hall.rows
    const { counts, starts, ends } = this.#chains
    const found: (Stretch & { readonly away: number })[] = []
    const middleX = x[base.start]! + x[base.end - 1]!
    const middleY = y[base.start]! + y[base.end - 1]!
    for (let run = rowStarts[from]!; run < rowStarts[to + 1]!; run += 1) {
      const first = runStarts[run]!
      this.#budget.left -= 1 + counts[run]! * SORTING
      for (let chain = first; chain < first + counts[run]!; chain += 1) {
        const [start, end] = [starts[chain]!, ends[chain]!]
        if (end - start < 2 || start === base.start) continue
        const away = Math.hypot(x[start]! + x[end - 1]! - middleX, y[start]! + y[end - 1]! - middleY)
        found.push({ start, end, away })
      }
    }
    return found.sort((a, b) => a.away - b.away || a.start - b.start)
  }

  /** True: they are one group, and not two at a distance: one that was given back may have been between. */
  #areConnected(clusters: readonly Stretch[]): boolean {
    const { rows } = this.#seats.hall
    const reached = [clusters[0]!]
    let left = clusters.slice(1)
    for (const one of reached) {
      const around = new Surroundings(rows, one)
      this.#budget.left -= LOOKING * left.length
      const isClose = ({ start, end }: Stretch) => around.include(start, end)
      reached.push(...left.filter(isClose))
      left = left.filter(other => !isClose(other))
    }
    return left.length === 0
  }
}

/** As few seats left alone as can be, then few clusters, then good seats. */
function isBetter(a: Found, b: Found): boolean {
  const difference =
    a.stranded.length - b.stranded.length || a.clusters.length - b.clusters.length || a.cost - b.cost
  return difference < 0
}

/**
 * Without so many seats, of the last stretches first. A stretch keeps two seats or more and gives back none,
 * two or more, or all: then none of the group sits alone, and no seat is left alone. Null: there is no way.
 */
function givenBack(hall: Hall, chosen: readonly Stretch[], spare: number): Stretch[] | null {
  if (spare === 0) return [...chosen]
  const canGive = (index: number, seats: number) => {
    const length = chosen[index]!.end - chosen[index]!.start
    return seats === length || (seats >= 2 && length - seats >= 2)
  }
  for (let last = chosen.length - 1; last >= 0; last -= 1) {
    if (canGive(last, spare)) return given(hall, chosen, [[last, spare]])
  }
  for (let last = chosen.length - 1; last > 0; last -= 1) {
    for (let seats = Math.min(spare - 1, chosen[last]!.end - chosen[last]!.start); seats >= 2; seats -= 1) {
      if (!canGive(last, seats)) continue
      for (let other = last - 1; other >= 0; other -= 1) {
        const both = [
          [last, seats],
          [other, spare - seats],
        ] as const
        if (canGive(other, spare - seats)) return given(hall, chosen, both)
      }
    }
  }
  return null
}

/** A stretch gives back what is farther from the first one. */
function given(
  hall: Hall,
  chosen: readonly Stretch[],
  seats: readonly (readonly [index: number, count: number])[],
): Stretch[] {
  const middle = Math.floor((chosen[0]!.start + chosen[0]!.end) / 2)
  const away = (at: number) => distanceBetween(hall, middle, at)
  const counts = new Map(seats)
  return chosen.flatMap(({ start, end }, index) => {
    const count = counts.get(index) ?? 0
    if (count === end - start) return []
    return [away(start) > away(end - 1) ? { start: start + count, end } : { start, end: end - count }]
  })
}
