import { Worker } from 'node:worker_threads'
import type { Hall } from '@voelgoed/core/allocation/hall'
import { hallOf, type SeatColumns } from '@voelgoed/core/allocation/seat-columns'
import { FairTurns } from '../fair-line.ts'

/** So many seats take some milliseconds: less than it takes to start a thread. */
const SMALL = 5_000
const MAX_HEAP_MB = 768
/** 250,000 seats take about a second. */
const MAX_MS = 60_000

/**
 * Looks for the rows and neighbours of a layout version. A large one has a thread for itself, so that buyers
 * of other events are served meanwhile; one at a time, however many are asked for: organizations take turns.
 */
export class HallMaker {
  readonly #turns = new FairTurns()

  async make(columns: SeatColumns, organizationId: string): Promise<Hall> {
    if (columns.rows.length <= SMALL) return hallOf(columns)
    return this.#turns.run(organizationId, () => inThread(columns))
  }
}

function inThread(columns: SeatColumns): Promise<Hall> {
  const { x, y, companion, price, aisle } = columns
  const worker = new Worker(new URL('./hall-worker.mjs', import.meta.url), {
    workerData: columns,
    transferList: [x, y, companion, price, aisle].map(({ buffer }) => buffer as ArrayBuffer),
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  const limit = setTimeout(() => void worker.terminate(), MAX_MS)
  return new Promise<Hall>((resolve, reject) => {
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the thread that looks for the rows of a layout ended')))
  }).finally(() => clearTimeout(limit))
}
