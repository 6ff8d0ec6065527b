import { compileHall, type Hall } from '@voelgoed/core/allocation/hall'
import type { LayoutId } from '@voelgoed/core/ids'
import { compileLayout } from '@voelgoed/core/layout/compile'
import { generateVenue } from '@voelgoed/core/layout/generate'
import { formatMs } from '../../format.ts'
import type { Report, ScenarioInput } from '../scenario.ts'
import { type Row, toFirst } from '../table.ts'
import { decideTimes } from './decide-time.ts'
import { largeGroups } from './large-groups.ts'
import { type SellOut, sellOut, WAYS, type Way } from './sell-out.ts'

/** Buyers of all other events wait for a search as well. */
const GROUP_MS = 10

/** The choice of seats: how long it takes, and what it leaves. */
export function measureChoosing({ list, number, seed, say }: ScenarioInput): Report {
  const began = performance.now()
  const large = hallOf(number('hall'))
  const compileMs = performance.now() - began
  const times: Row[] = []
  for (const sold of list('sold')) {
    say(`${sold} % sold …`)
    const options = { sold, quantities: list('quantities'), wishes: number('wishes'), seed }
    for (const { quantity, time, outcomes } of decideTimes(large, options)) {
      const figures = { p50Micros: 1000 * time.p50Ms, p99Micros: 1000 * time.p99Ms, ...outcomes }
      times.push({ what: `${sold} % sold, ${quantity} wanted`, figures })
    }
  }
  say('selling out …')
  const small = hallOf(number('theatre'))
  const ways = WAYS.map(way => average(small, way, { halls: number('halls'), seed }))
  const sellOuts = ways.map(({ way, sold, alone, groups }) => {
    return { what: way, figures: { soldPercent: sold, standAlone: alone, groupsSeated: groups } }
  })
  say('large groups …')
  // Not measured: code is compiled.
  largeGroups(number('group-halls'), list('groups'))
  const groups = list('group-halls').map(seats => largeGroups(seats, list('groups')))
  const searches = groups.map(({ seats, searches, found, worstMs, worst }) => {
    const longestWas = `${worst.quantity}, every ${worst.every}. taken`
    const figures = { searches, found, longestMs: worstMs, longestWas }
    return { what: `groups in a hall of ${seats.toLocaleString('en')} with holes`, figures }
  })
  const compiled = `Rows and neighbours of ${large.rows.seats.toLocaleString('en')} seats: ${formatMs(compileMs)} with the layout.`
  return {
    tables: [
      { quote: 'allocation.times', rows: times, ratios: [toFirst(times, 'p50Micros')], notes: [compiled] },
      { quote: 'allocation.sellOut', rows: sellOuts, ratios: [toFirst(sellOuts, 'soldPercent')] },
      { quote: 'allocation.groups', rows: searches, ratios: [toFirst(searches, 'longestMs')] },
    ],
    problems: groups
      .filter(({ worstMs }) => worstMs > GROUP_MS)
      .map(({ seats, worstMs }) => `a group in the hall of ${seats} took ${formatMs(worstMs)}`),
    chart: {
      title: 'A hall sold out by groups: seats that stand alone',
      x: 'sold, of a hundred seats',
      y: 'seats that stand alone',
      series: ways.map(({ way, onTheWay }) => ({
        name: way,
        points: onTheWay.map((alone, tenth) => ({ x: (tenth + 1) * 10, y: alone })),
      })),
    },
  }
}

function hallOf(seats: number): Hall {
  const layout = compileLayout(
    '00000000-0000-4000-8000-000000000001' as LayoutId,
    generateVenue({ kind: 'theatre', seats }),
  )
  if (!layout.ok) throw new Error('a generated hall has faults')
  return compileHall(layout.value)
}

/** The mean of several halls. */
function average(hall: Hall, way: Way, { halls, seed }: { halls: number; seed: number }): SellOut {
  const all = Array.from({ length: halls }, (_, index) => sellOut(hall, way, seed + index))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const tenths = Math.max(...all.map(({ onTheWay }) => onTheWay.length))
  return {
    way,
    sold: mean(all.map(({ sold }) => sold)),
    alone: mean(all.map(({ alone }) => alone)),
    groups: mean(all.map(({ groups }) => groups)),
    onTheWay: Array.from({ length: tenths }, (_, tenth) =>
      mean(all.flatMap(({ onTheWay }) => onTheWay[tenth] ?? [])),
    ),
  }
}
