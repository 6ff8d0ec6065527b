import type { Chains } from './chains.ts'
import type { FreeSeats } from './free-seats.ts'
import { strandedBy, strandsAlone } from './stranded.ts'
import type { Found, Stranding, Wish } from './wish.ts'

/**
 * The best seats in one run. Runs are looked at in the order of their best seat: as soon as that is worse
 * than what was found, nothing better can come.
 */
export function findTogether(
  { hall, free }: FreeSeats,
  chains: Chains,
  wish: Wish,
  stranding: Stranding,
): Found | null {
  const { rows, runCost, runsByCost } = hall
  const { quantity } = wish
  const [least, most] = stranding === 'none' ? [0, 0] : [1, 2]
  let best = { start: -1, ordinal: 0, stranded: most, cost: Number.POSITIVE_INFINITY }
  const isWorse = (cost: number) => best.stranded <= least && cost > best.cost
  for (let index = 0; index < runsByCost.length; index += 1) {
    const run = runsByCost[index]!
    if (chains.longest[run]! < quantity) continue
    if (isWorse(runCost[run]! * quantity)) break
    if (!wish.zones[rows.zoneOfRow[rows.rowOfRun[run]!]!]) continue
    const first = rows.runStarts[run]!
    for (let chain = first; chain < first + chains.counts[run]!; chain += 1) {
      const from = chains.starts[chain]!
      let cost = 0
      for (let at = from; at < chains.ends[chain]!; at += 1) {
        cost += hall.cost[at]!
        const start = at - quantity + 1
        if (start < from) continue
        if (start > from) cost -= hall.cost[start - 1]!
        if (isWorse(cost)) continue
        const stranded = strandsAlone(hall, free, start, at + 1)
        const ordinal = Math.min(rows.ordinals[start]!, rows.ordinals[at]!)
        const difference = stranded - best.stranded || cost - best.cost || ordinal - best.ordinal
        if (stranded > most || difference >= 0) continue
        best = { start, ordinal, stranded, cost }
      }
    }
  }
  if (best.start < 0) return null
  const cluster = { start: best.start, end: best.start + quantity }
  const stranded = strandedBy(hall, free, [cluster])
  return { clusters: [cluster], stranded, cost: best.cost, isTogether: true }
}
