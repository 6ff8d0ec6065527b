import type { Chains } from './chains.ts'
import { Surroundings } from './close.ts'
import type { FreeSeats } from './free-seats.ts'
import { partitions, type Sizes } from './partitions.ts'
import { type Rooms, runsAround } from './rooms.ts'
import type { Rows } from './rows.ts'
import { type Stretch, strandedBy, strandsAlone } from './stranded.ts'
import { type Budget, type Found, MOST_ROWS_APART, type Stranding, type Wish } from './wish.ts'

interface Cluster extends Stretch {
  readonly row: number
  readonly cost: number
}

interface Base extends Stretch {
  /** No seat that is close to it costs less. */
  readonly lowest: number
}

/** To pass over a run is one step; to look at a chain or a seat is more, and so is what a cluster strands. */
const LOOKING = 10
const COMPARING = 50

/** More clusters are no group: some of them may be pairs, or all of them have three seats or more. */
const MOST_PAIRED = 20
const FEWEST_EACH = 3

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
  /** All runs of the hall; the most promising for the largest cluster first. */
  readonly #runs: Uint32Array
  /** By run: no seat that is close to it costs less. */
  readonly #lowest: Float64Array
  readonly #rooms: Rooms
  readonly #roomLooks: Budget
  #stranding: Stranding = 'none'
  #passes = 0
  /** Found by the passes before this one, and how to find more. */
  readonly #known: Base[] = []
  readonly #rest: Generator<Base, void, void>
  #best: readonly Cluster[] | null = null
  #stranded = Number.POSITIVE_INFINITY
  #cost = Number.POSITIVE_INFINITY

  constructor(
    seats: FreeSeats,
    chains: Chains,
    wish: Wish,
    { split, rooms }: { readonly split: Budget; readonly rooms: Budget },
  ) {
    this.#seats = seats
    this.#chains = chains
    this.#wish = wish
    this.#maxSplit = Math.min(wish.maxSplit ?? MOST_ROWS_APART, MOST_ROWS_APART)
    this.#budget = split
    this.#roomLooks = rooms
    this.#rooms = seats.roomsOf(chains, this.#maxSplit)
    const { runs, lowest } = seats.reach(this.#maxSplit)
    this.#lowest = lowest
    this.#runs = runs
    this.#rest = this.#bases(wish.quantity === 2 ? 1 : 2)
  }

  /** Null also when the budget is spent: what was found until then is the answer, if anything was. */
  find(stranding: Stranding): Found | null {
    const { quantity } = this.#wish
    this.#stranding = stranding
    const longest = Math.min(longestOf(this.#seats, this.#chains, this.#wish), quantity - 1)
    for (let count = 2; count <= mostClusters(quantity); count += 1) {
      for (const ways of [Ways.ofPairs, Ways.withOne]) {
        if (this.#budget.isSpent) return null
        this.#lookThrough(ways(quantity, count, { longest, budget: this.#budget }))
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
  #lookThrough(ways: Ways): void {
    if (ways.at(0) === undefined) return
    const { quantity } = this.#wish
    const { smallest } = ways
    this.#passes += 1
    // The first pass wants long chains, and most often ends soon. The others go through the same few chains.
    const rest = this.#passes === 1 ? this.#bases(smallest) : this.#rest
    const known = this.#passes === 1 ? [] : this.#known
    for (let index = 0; ; index += 1) {
      const base = known[index] ?? rest.next().value
      if (!base) return
      if (index === known.length) known.push(base)
      if (this.#budget.isSpent || this.#isWorse(base.lowest * quantity)) return
      if (base.end - base.start >= smallest) this.#tryChain(base, ways)
    }
  }

  /** Chains for the largest cluster, at least so long, with enough seats around them. The best first. */
  *#bases(shortest: number): Generator<Base, void, void> {
    const { counts, starts, ends, longest } = this.#chains
    const { runStarts, zoneOfRow, rowOfRun } = this.#seats.hall.rows
    for (let index = 0; index < this.#runs.length; index += 1) {
      const run = this.#runs[index]!
      this.#budget.left -= 1
      if (longest[run]! < shortest || !this.#wish.zones[zoneOfRow[rowOfRun[run]!]!]) continue
      const first = runStarts[run]!
      for (let chain = first; chain < first + counts[run]!; chain += 1) {
        const start = starts[chain]!
        const end = ends[chain]!
        if (end - start < shortest) continue
        this.#budget.left -= LOOKING
        if (this.#rooms.around(start, end, this.#roomLooks) < this.#wish.quantity) continue
        yield { start, end, lowest: this.#lowest[run]! }
      }
    }
  }

  #tryChain({ lowest, ...chain }: Base, ways: Ways): void {
    for (let index = 0; !this.#budget.isSpent; index += 1) {
      const sizes = ways.at(index)
      if (sizes === undefined) return
      const size = sizes[0]!
      this.#budget.left -= 1
      if (size > chain.end - chain.start) continue
      this.#eachCluster(chain, size, base => {
        if (!this.#isWorse(base.cost + lowest * (this.#wish.quantity - size))) this.#join(base, sizes)
      })
    }
  }

  /** Finds the clusters that join the largest one. */
  #join(base: Cluster, sizes: Sizes): void {
    const around = new Surroundings(this.#seats.hall.rows, base)
    const close = new Map<number, Cluster[]>()
    for (const size of sizes.slice(1)) {
      if (this.#budget.isSpent) return
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
      this.#budget.left -= index * LOOKING
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
    const [from, to] = runsAround(rows, base.row, this.#maxSplit)
    for (let run = from; run < to; run += 1) {
      this.#budget.left -= 1
      if (longest[run]! < size) continue
      this.#budget.left -= counts[run]! * LOOKING
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

  /** The clusters of one size in a chain of free seats. */
  #eachCluster({ start, end }: Stretch, size: number, visit: (cluster: Cluster) => void): void {
    const { hall, free } = this.#seats
    const row = hall.rows.rowOfRun[hall.rows.runOf[start]!]!
    let cost = 0
    this.#budget.left -= (end - start) * LOOKING
    for (let at = start; at < end && !this.#budget.isSpent; at += 1) {
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
    this.#budget.left -= COMPARING * clusters.length
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

/** Lists of sizes, made as far as they are asked for. To make one is as many steps as it has clusters. */
class Ways {
  /** The largest cluster of each of them has at least so many seats. */
  readonly smallest: number
  readonly #known: Sizes[] = []
  readonly #rest: Iterator<Sizes, void, void>
  readonly #budget: Budget

  constructor(smallest: number, rest: Iterator<Sizes, void, void>, budget: Budget) {
    this.smallest = smallest
    this.#rest = rest
    this.#budget = budget
  }

  /** Each cluster of two seats or more. These are to be tried first. */
  static ofPairs(quantity: number, count: number, { longest, budget }: WaysLimits): Ways {
    return new Ways(Math.ceil(quantity / count), partitions(quantity, count, longest), budget)
  }

  /** Exactly one cluster of one seat; two people can be split in no other way than into two of them. */
  static withOne(quantity: number, count: number, { longest, budget }: WaysLimits): Ways {
    if (quantity === 2) return new Ways(1, [[1, 1]].values(), budget)
    const rest = withOneMore(partitions(quantity - 1, count - 1, longest))
    return new Ways(Math.ceil((quantity - 1) / (count - 1)), rest, budget)
  }

  at(index: number): Sizes | undefined {
    if (index < this.#known.length) return this.#known[index]
    if (this.#budget.isSpent) return undefined
    const next = this.#rest.next()
    if (next.done) return undefined
    this.#budget.left -= next.value.length
    this.#known.push(next.value)
    return next.value
  }
}

interface WaysLimits {
  /** The hall has no longer chain. */
  readonly longest: number
  readonly budget: Budget
}

function* withOneMore(ways: Iterable<Sizes>): Generator<Sizes, void, void> {
  for (const sizes of ways) yield [...sizes, 1]
}

function mostClusters(quantity: number): number {
  const paired = Math.min(Math.ceil(quantity / 2), MOST_PAIRED)
  return Math.max(2, paired, Math.ceil(quantity / FEWEST_EACH))
}

/** The longest chain of the wanted zones. */
function longestOf({ hall: { rows } }: FreeSeats, { longest }: Chains, { zones }: Wish): number {
  let found = 0
  for (const [run, length] of longest.entries()) {
    if (length > found && zones[rows.zoneOfRow[rows.rowOfRun[run]!]!]) found = length
  }
  return found
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
