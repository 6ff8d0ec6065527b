import type { Hall } from '@voelgoed/core/allocation/hall'
import { hallOf, type SeatColumns } from '@voelgoed/core/allocation/seat-columns'
import { FairTurns } from '@voelgoed/kit/threads/fair-line'
import { Thread } from '@voelgoed/kit/threads/thread'

/** So many seats take some milliseconds: less than it takes to start a thread. */
const SMALL = 5_000
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

async function inThread(columns: SeatColumns): Promise<Hall> {
  const { x, y, companion, price, aisle } = columns
  const thread = new Thread<SeatColumns, Hall>({ task: 'find-rows', maxHeapMb: 768 })
  try {
    const transfer = [x, y, companion, price, aisle].map(({ buffer }) => buffer as ArrayBuffer)
    return await thread.ask(columns, { withinMs: MAX_MS, transfer })
  } finally {
    void thread.end()
  }
}
