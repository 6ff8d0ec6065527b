import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { LayoutId } from '../ids.ts'
import { compileLayout } from '../layout/compile.ts'
import { generateVenue } from '../layout/generate.ts'
import { FreeSeats } from './free-seats.ts'
import { compileHall } from './hall.ts'
import { Rooms } from './rooms.ts'

const ROWS_APART = 1

it('what is kept is what would be counted, whatever was taken and given back', () => {
  const layout = compileLayout(
    '00000000-0000-4000-8000-000000000001' as LayoutId,
    generateVenue({ kind: 'theatre', seats: 100 }),
  )
  if (!layout.ok) throw new Error('a generated hall has faults')
  const hall = compileHall(layout.value)
  expect(hall.rows.labels.length).toBeGreaterThan(2)
  const { seats } = hall.rows
  const ordinal = fc.integer({ min: 0, max: seats - 1 })
  fc.assert(
    fc.property(fc.array(fc.array(ordinal, { maxLength: 8 }), { maxLength: 8 }), rounds => {
      const taken = new Set<number>()
      const free = new FreeSeats(hall, at => !taken.has(at))
      for (const round of rounds) {
        for (const at of round) {
          if (!taken.delete(at)) taken.add(at)
          free.touch(at)
        }
        free.update()
        const { counts, starts, ends } = free.general
        const kept = free.roomsOf(free.general, ROWS_APART)
        const fresh = new Rooms(hall.rows, free.general, ROWS_APART)
        for (const [run, first] of hall.rows.runStarts.entries()) {
          for (let chain = first; chain < first + (counts[run] ?? 0); chain += 1) {
            const [start, end] = [starts[chain]!, ends[chain]!]
            expect(kept.around(start, end)).toBe(fresh.around(start, end))
          }
        }
      }
    }),
    { seed: 20_260_801 },
  )
})
