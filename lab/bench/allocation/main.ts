import { compileHall, type Hall } from '@voelgoed/core/allocation/hall'
import type { LayoutId } from '@voelgoed/core/ids'
import { compileLayout } from '@voelgoed/core/layout/compile'
import { generateVenue } from '@voelgoed/core/layout/generate'
import { formatMs, formatTable } from '../../format.ts'
import type { Chart } from '../chart.ts'
import { asBlock } from '../quotes.ts'
import type { Verb } from '../verb.ts'
import { type DecideFigures, decideTimes } from './decide-time.ts'
import { type LargeGroups, largeGroups } from './large-groups.ts'
import { type SellOut, sellOut, WAYS, type Way } from './sell-out.ts'

/** Buyers of all other events wait for a search as well. */
const GROUP_MS = 10

/** The choice of seats, in process: how long it takes, and what it leaves. */
export const allocation: Verb = {
  summary:
    'best available: time to decide by fill and number; a hall sold out by groups, beside other ways to choose',
  options: {
    seats: { default: '100000', quick: '2000', help: 'of the hall in which deciding is timed' },
    sold: { default: '0,50,90,99', quick: '0,90', help: 'of a hundred seats' },
    quantities: { default: '1,2,3,4,5,6,7,8,9,10', quick: '1,4', help: 'wanted' },
    wishes: { default: '1000', quick: '20', help: 'for each of them' },
    hall: { default: '2000', quick: '200', help: 'seats of the hall that is sold out' },
    'group-halls': {
      default: '1200,3600,10000,20000',
      quick: '1200',
      help: 'seats of halls with holes, for groups of every size',
    },
    groups: {
      default: '2,5,10,20,30,40,50,60,70,80,90,100',
      quick: '2,70',
      help: 'seats that such a group wants',
    },
    halls: { default: '20', quick: '2', help: 'of them, each with buyers of its own' },
  },
  async run({ list, number, seed, say }) {
    const began = performance.now()
    const large = hallOf(number('seats'))
    const compileMs = performance.now() - began
    const times: DecideFigures[] = []
    for (const sold of list('sold')) {
      say(`${sold} % sold …`)
      times.push(
        ...decideTimes(large, { sold, quantities: list('quantities'), wishes: number('wishes'), seed }),
      )
    }
    say('selling out …')
    const small = hallOf(number('hall'))
    const ways = WAYS.map(way => average(small, way, { halls: number('halls'), seed }))
    say('large groups …')
    // Not measured: code is compiled.
    largeGroups(number('group-halls'), list('groups'))
    const groups = list('group-halls').map(seats => largeGroups(seats, list('groups')))
    const table = [
      `Rows and neighbours of ${large.rows.seats.toLocaleString('en')} seats: ${formatMs(compileMs)} with the layout.`,
      printTimes(times),
      printWays(ways),
      printGroups(groups),
    ].join('\n\n')
    return {
      table,
      figures: { compileMs, times, ways, groups },
      problems: groups
        .filter(({ worstMs }) => worstMs > GROUP_MS)
        .map(({ seats, worstMs }) => `a group in the hall of ${seats} took ${formatMs(worstMs)}`),
      quotes: {
        'allocation.times': asBlock(printTimes(times)),
        'allocation.sellOut': asBlock(printWays(ways)),
        'allocation.groups': asBlock(printGroups(groups)),
      },
      chart: chartOf(ways),
    }
  },
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

function printTimes(times: readonly DecideFigures[]): string {
  const fills = [...new Set(times.map(({ sold }) => sold))]
  const quantities = [...new Set(times.map(({ quantity }) => quantity))]
  const cell = (sold: number, quantity: number) => {
    const one = times.find(figure => figure.sold === sold && figure.quantity === quantity)!
    const { together, split, nothing } = one.outcomes
    const met = nothing > together + split ? ', nothing' : split > together ? ', split' : ''
    return `${micros(one.time.p50Ms)} · ${micros(one.time.p99Ms)}${met}`
  }
  return formatTable(
    ['µs to decide: p50 · p99', ...fills.map(sold => `${sold} % sold`)],
    quantities.map(quantity => [`${quantity}`, ...fills.map(sold => cell(sold, quantity))]),
  )
}

function micros(ms: number): string {
  return Math.round(ms * 1000).toLocaleString('en')
}

function printWays(ways: readonly SellOut[]): string {
  return formatTable(
    ['when the first group is sent away', ...ways.map(({ way }) => way)],
    [
      ['sold', ...ways.map(({ sold }) => `${sold.toFixed(1)} %`)],
      ['seats that stand alone', ...ways.map(({ alone }) => alone.toFixed(1))],
      ['groups seated', ...ways.map(({ groups }) => groups.toFixed(0))],
    ],
  )
}

function printGroups(groups: readonly LargeGroups[]): string {
  return formatTable(
    ['groups in a hall with holes', 'searches', 'found', 'longest', 'which was'],
    groups.map(({ seats, searches, found, worstMs, worst }) => [
      seats.toLocaleString('en'),
      `${searches}`,
      `${found}`,
      formatMs(worstMs),
      `${worst.quantity}, every ${worst.every}. taken`,
    ]),
  )
}

function chartOf(ways: readonly SellOut[]): Chart {
  return {
    title: 'A hall sold out by groups: seats that stand alone',
    x: 'sold, of a hundred seats',
    y: 'seats that stand alone',
    series: ways.map(({ way, onTheWay }) => ({
      name: way,
      points: onTheWay.map((alone, tenth) => ({ x: (tenth + 1) * 10, y: alone })),
    })),
  }
}
