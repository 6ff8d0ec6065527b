import type { Hall } from './hall.ts'
import type { Stretch } from './stranded.ts'
import type { Found } from './wish.ts'

/** Says why these seats were chosen: as data for a page, and as a sentence. */
export interface Explanation {
  readonly together: boolean
  /** Nothing was left that strands no seat. */
  readonly lastResort: boolean
  readonly clusters: readonly ExplainedCluster[]
  readonly sentence: string
}

interface ExplainedCluster {
  readonly zoneIndex: number
  readonly row: string
  /** By ordinal, in order along the row. */
  readonly seats: readonly number[]
  /** Rows behind the first cluster; less than 0: in front of it. */
  readonly rowsBehind: number
}

export function explain({ rows }: Hall, { clusters, stranded, isTogether }: Found): Explanation {
  const rowOf = ({ start }: Stretch) => rows.rowOfRun[rows.runOf[start]!]!
  const first = rowOf(clusters[0]!)
  const explained = clusters.map(cluster => ({
    zoneIndex: rows.zoneOfRow[rowOf(cluster)]!,
    row: rows.labels[rowOf(cluster)]!,
    seats: [...rows.ordinals.subarray(cluster.start, cluster.end)],
    rowsBehind: rowOf(cluster) - first,
  }))
  return {
    together: isTogether,
    lastResort: stranded.length > 0,
    clusters: explained,
    sentence: sentenceOf(explained),
  }
}

/** "4 seats together in row A, 1 in row B, directly behind". */
function sentenceOf([first, ...others]: readonly ExplainedCluster[]): string {
  const { seats, row } = first!
  const begin = seats.length === 1 ? `1 seat in row ${row}` : `${seats.length} seats together in row ${row}`
  return [begin, ...others.map(other => `${other.seats.length} in row ${other.row}, ${placeOf(other)}`)].join(
    ', ',
  )
}

function placeOf({ rowsBehind }: ExplainedCluster): string {
  if (rowsBehind === 0) return 'a few seats along'
  const where = rowsBehind > 0 ? 'behind' : 'in front'
  return Math.abs(rowsBehind) === 1 ? `directly ${where}` : `${Math.abs(rowsBehind)} rows ${where}`
}
