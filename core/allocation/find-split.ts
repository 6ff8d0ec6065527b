import type { Chains } from './chains.ts'
import { Surroundings } from './close.ts'
import type { FreeSeats } from './free-seats.ts'
import { partitions } from './partitions.ts'
import type { Rows } from './rows.ts'
import { type Stretch, strandedBy, strandsAlone } from './stranded.ts'
import { type Budget, type Found, MOST_ROWS_APART, type Stranding, type Wish } from './wish.ts'

interface Cluster extends Stretch {
  readonly row: number
  readonly cost: number
}

/** Sizes of the clusters of a group, largest first. */
type Sizes = readonly number[]

/**
 * Finds seats for a group in several clusters: as few as possible, then without a cluster of one seat if that
 * can be, then the best seats. All clusters are close to the largest of them: in the same zone, in rows no
 * more than `maxSplit` apart, and beside or behind each other.
 *
 * At most one cluster has one seat, except for two people, who can be split in no other way.
 */
export class SplitSearch {
  readonly #seats: FreeSeats
  readonly #chains: Chains
  readonly #wish: Wish
  readonly #maxSplit: number
  readonly #budget: Budget
  /** That may have the largest cluster; the most promising first. */
  readonly #runs: readonly number[]
  /** By run: no seat that is close to it costs less. */
  readonly #lowest: Float64Array
  /** By the start of a chain: whether there are enough free seats around it for the whole group. */
  readonly #rooms = new Map<number, boolean>()
  #stranding: Stranding = 'none'
  #best: readonly Cluster[] | null = null
  #stranded = Number.POSITIVE_INFINITY
  #cost = Number.POSITIVE_INFINITY

  constructor(seats: FreeSeats, chains: Chains, wish: Wish, budget: Budget) {
    this.#seats = seats
    this.#chains = chains
    this.#wish = wish
    this.#maxSplit = Math.min(wish.maxSplit ?? MOST_ROWS_APART, MOST_ROWS_APART)
    this.#budget = budget
    const { runs, lowest } = seats.reach(this.#maxSplit)
    this.#lowest = lowest
    const { zoneOfRow, rowOfRun } = seats.hall.rows
    const shortest = wish.quantity === 2 ? 1 : 2
    const wanted: number[] = []
    for (let index = 0; index < runs.length; index += 1) {
      const run = runs[index]!
      if (chains.longest[run]! >= shortest && wish.zones[zoneOfRow[rowOfRun[run]!]!]) wanted.push(run)
    }
    this.#runs = wanted
  }

  find(stranding: Stranding): Found | null {
    const { quantity } = this.#wish
    this.#stranding = stranding
    for (let count = 2; count <= Math.max(2, Math.ceil(quantity / 2)); count += 1) {
      for (const ways of partitions(quantity, count)) {
        this.#lookThrough(ways)
        if (this.#best === null) continue
        const clusters = this.#best.map(({ start, end }) => ({ start, end }))
        const { hall, free } = this.#seats
        const stranded = strandedBy(hall, free, clusters)
        return { clusters, stranded, cost: this.#cost, isTogether: false }
      }
    }
    return null
  }

  /** For the best of all ways to seat the group in clusters of one of these lists of sizes. */
  #lookThrough(ways: readonly Sizes[]): void {
    const { quantity } = this.#wish
    const { counts, starts, ends, longest } = this.#chains
    const { runStarts } = this.#seats.hall.rows
    const smallest = Math.min(...ways.map(sizes => sizes[0]!))
    for (const run of this.#runs) {
      if (this.#budget.isSpent || this.#isWorse(this.#lowest[run]! * quantity)) return
      if (longest[run]! < smallest) continue
      const first = runStarts[run]!
      for (let chain = first; chain < first + counts[run]!; chain += 1) {
        const start = starts[chain]!
        const end = ends[chain]!
        if (end - start >= smallest && this.#hasRoom(start, end)) this.#tryChain({ start, end }, ways)
      }
    }
  }

  #tryChain(chain: Stretch, ways: readonly Sizes[]): void {
    const lowest = this.#lowest[this.#seats.hall.rows.runOf[chain.start]!]!
    for (const sizes of ways) {
      const size = sizes[0]!
      this.#eachCluster(chain, size, base => {
        if (!this.#isWorse(base.cost + lowest * (this.#wish.quantity - size))) this.#join(base, sizes)
      })
    }
  }

  /** Counts more than there is, never less: what is close to a chain need not be close to a part of it. */
  #hasRoom(start: number, end: number): boolean {
    const known = this.#rooms.get(start)
    if (known !== undefined) return known
    const around = new Surroundings(this.#seats.hall.rows, { start, end })
    const { runStarts } = this.#seats.hall.rows
    const { counts, starts, ends } = this.#chains
    const [from, to] = this.#runsAround(around.row)
    let room = 0
    for (let run = from; run < to && room < this.#wish.quantity; run += 1) {
      this.#budget.left -= 1
      const first = runStarts[run]!
      for (let chain = first; chain < first + counts[run]!; chain += 1) {
        if (around.include(starts[chain]!, ends[chain]!)) room += ends[chain]! - starts[chain]!
      }
    }
    this.#rooms.set(start, room >= this.#wish.quantity)
    return room >= this.#wish.quantity
  }

  /** Finds the clusters that join the largest one. */
  #join(base: Cluster, sizes: Sizes): void {
    const around = new Surroundings(this.#seats.hall.rows, base)
    const close = new Map<number, Cluster[]>()
    for (const size of sizes.slice(1)) {
      if (close.has(size)) continue
      const clusters = this.#closeTo(base, around, size)
      if (clusters.length === 0) return
      close.set(size, clusters)
    }
    this.#choose([base], sizes, close, base.cost)
  }

  #choose(chosen: Cluster[], sizes: Sizes, close: ReadonlyMap<number, Cluster[]>, cost: number): void {
    const index = chosen.length
    if (index === sizes.length) {
      this.#compare(chosen, cost)
      return
    }
    const { rows } = this.#seats.hall
    // Clusters of one size in one order only; the largest one stands for itself.
    const previous = index > 1 && sizes[index] === sizes[index - 1] ? chosen[index - 1]!.start : -1
    for (const cluster of close.get(sizes[index]!)!) {
      this.#budget.left -= 1
      if (this.#budget.isSpent) return
      if (cluster.start <= previous || this.#isWorse(cost + cluster.cost)) continue
      const isTooFar = (other: Cluster) => Math.abs(other.row - cluster.row) > this.#maxSplit
      if (chosen.some(other => isTooFar(other) || isTouching(rows, other, cluster))) continue
      chosen.push(cluster)
      this.#choose(chosen, sizes, close, cost + cluster.cost)
      chosen.pop()
    }
  }

  #closeTo(base: Cluster, around: Surroundings, size: number): Cluster[] {
    const { rows } = this.#seats.hall
    const { counts, starts, ends, longest } = this.#chains
    const found: Cluster[] = []
    const [from, to] = this.#runsAround(base.row)
    for (let run = from; run < to; run += 1) {
      if (longest[run]! < size) continue
      this.#budget.left -= 1
      const first = rows.runStarts[run]!
      for (let chain = first; chain < first + counts[run]!; chain += 1) {
        const [start, end] = [starts[chain]!, ends[chain]!]
        if (end - start < size || !around.include(start, end)) continue
        this.#eachCluster({ start, end }, size, cluster => {
          if (!around.include(cluster.start, cluster.end) || isTouching(rows, base, cluster)) return
          found.push(cluster)
        })
      }
    }
    return found
  }

  /** The runs of the rows that are not too far from this one, in its zone. */
  #runsAround(row: number): [from: number, to: number] {
    const { zoneOfRow, rowStarts } = this.#seats.hall.rows
    let first = row
    let last = row
    while (row - first < this.#maxSplit && zoneOfRow[first - 1] === zoneOfRow[row]) first -= 1
    while (last - row < this.#maxSplit && zoneOfRow[last + 1] === zoneOfRow[row]) last += 1
    return [rowStarts[first]!, rowStarts[last + 1]!]
  }

  /** The clusters of one size in a chain of free seats. */
  #eachCluster({ start, end }: Stretch, size: number, visit: (cluster: Cluster) => void): void {
    const { hall, free } = this.#seats
    const row = hall.rows.rowOfRun[hall.rows.runOf[start]!]!
    let cost = 0
    for (let at = start; at < end; at += 1) {
      cost += hall.cost[at]!
      const from = at - size + 1
      if (from < start) continue
      if (from > start) cost -= hall.cost[from - 1]!
      if (this.#stranding === 'none' && strandsAlone(hall, free, from, at + 1) > 0) continue
      visit({ start: from, end: at + 1, row, cost })
    }
  }

  /** Nothing of this cost can be better than what was found: where seats are stranded, fewer would be. */
  #isWorse(cost: number): boolean {
    return this.#stranded <= (this.#stranding === 'none' ? 0 : 1) && cost > this.#cost
  }

  #compare(clusters: readonly Cluster[], cost: number): void {
    const { hall, free } = this.#seats
    const stranded = strandedBy(hall, free, clusters).length
    if (this.#stranding === 'none' && stranded > 0) return
    const difference = this.#best === null ? -1 : stranded - this.#stranded || cost - this.#cost
    if (difference > 0) return
    const { ordinals } = hall.rows
    if (difference === 0 && lowestOf(ordinals, clusters) >= lowestOf(ordinals, this.#best!)) return
    this.#best = [...clusters]
    this.#stranded = stranded
    this.#cost = cost
  }
}

/** In the same place, or side by side, where they would be one cluster. */
function isTouching({ runOf }: Rows, a: Stretch, b: Stretch): boolean {
  return a.start <= b.end && b.start <= a.end && runOf[a.start] === runOf[b.start]
}

function lowestOf(ordinals: Uint32Array, clusters: readonly Stretch[]): number {
  let lowest = Number.POSITIVE_INFINITY
  for (const { start, end } of clusters) {
    for (let at = start; at < end; at += 1) lowest = Math.min(lowest, ordinals[at]!)
  }
  return lowest
}
