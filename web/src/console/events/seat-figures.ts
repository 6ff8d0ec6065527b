import type { Data } from '@voelgoed/client'
import type { Format } from '../../kit/words/format.ts'
import type { ConsoleWords } from '../kit/words/words.ts'

type SeatUse = Data<'GET /api/admin/events/:event/seat-use'>

/** A number with its name, and what it means below it. */
type SeatFigure = readonly [label: string, value: string, note: string]

/** Says in figures how well the seats are used. None: the event has no seats. */
export function seatFigures(
  { seats, free, alone, alone_share, wheelchair, companions }: SeatUse,
  words: ConsoleWords['seatUse'],
  { number: n }: Pick<Format, 'number'>,
): readonly SeatFigure[] {
  if (seats === 0) return []
  const figures: SeatFigure[] = [
    [words.free, n(free), words.ofSeats(seats)],
    [words.alone, n(alone), words.share(n(Math.round(1000 * alone_share) / 10))],
  ]
  if (wheelchair.free + wheelchair.taken > 0) {
    figures.push([words.wheelchair, n(wheelchair.free), words.taken(wheelchair.taken)])
  }
  if (companions.kept + companions.free + companions.taken > 0) {
    const rest = words.companionsRest(companions.free, companions.taken)
    figures.push([words.companions, n(companions.kept), rest])
  }
  return figures
}
