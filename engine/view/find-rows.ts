import { hallOf, type SeatColumns } from '@voelgoed/core/allocation/seat-columns'
import { Handed } from '@voelgoed/kit/threads/task'

/** In a thread: the columns of a layout version's seats in, its rows and neighbours out. */
export function findRows(columns: SeatColumns): Handed {
  const hall = hallOf(columns)
  const { rows, cost, offer, price, runCost, runsByCost, places } = hall
  const all = [...Object.values(rows), cost, offer, price, runCost, runsByCost, places]
  return new Handed(hall, all.filter(ArrayBuffer.isView))
}
