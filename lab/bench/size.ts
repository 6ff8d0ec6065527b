import { formatBytes, formatMs, formatTable } from '../format.ts'
import type { Percentiles } from './load/percentiles.ts'
import { asBlock } from './quotes.ts'
import type { FiguresOf } from './stage/in-process.ts'
import type { Verb } from './verb.ts'

/** What an event costs by how many seats it has, and by how many holds lie behind it. */
export const size: Verb = {
  summary: 'hold, availability, occupancy, start-up and memory by seats and by holds of history',
  options: {
    seats: { default: '100,10000,200000', quick: '100', help: 'of the event' },
    history: {
      default: '0,1000,1000000',
      quick: '250',
      help: 'holds that were made and given back before',
    },
    samples: { default: '300', quick: '20', help: 'of each figure' },
    verify: { default: '1', quick: '1', help: '0: npm run verify does not look at the database afterwards' },
  },
  async run({ list, number, stage, say }) {
    const figures: SizeFigures[] = []
    for (const history of list('history')) {
      for (const seats of list('seats')) {
        say(`${seats.toLocaleString('en')} seats, ${history.toLocaleString('en')} holds of history …`)
        const options = { seats, history, samples: number('samples'), verify: number('verify') > 0 }
        const measured = await stage.inProcess('size', options)
        figures.push({ seats, history, ...measured.figures })
        say(
          `  hold ${formatMs(measured.figures.hold.p50Ms)}, start-up ${formatMs(measured.figures.startUpMs)}`,
        )
      }
    }
    return {
      table: printTable(figures),
      figures,
      problems: figures.flatMap(({ seats, history, violations }) =>
        violations === null || violations === 0
          ? []
          : [`${seats} seats, ${history} holds of history: npm run verify finds ${violations} violations`],
      ),
      quotes: quotesOf(figures),
    }
  },
}

interface SizeFigures extends FiguresOf<'size'> {
  readonly seats: number
  readonly history: number
}

function printTable(figures: readonly SizeFigures[]): string {
  const both = ({ p50Ms, p99Ms }: Percentiles) => `${fine(p50Ms)} · ${fine(p99Ms)}`
  return [
    formatTable(
      ['seats', 'history', 'hold p50 · p99', 'availability', 'occupancy', 'start-up', 'memory', 'verify'],
      figures.map(one => [
        one.seats.toLocaleString('en'),
        one.history.toLocaleString('en'),
        both(one.hold),
        both(one.availability),
        both(one.occupancy),
        formatMs(one.startUpMs),
        formatBytes(one.stateBytes),
        one.violations === null ? '' : one.violations === 0 ? 'clean' : `${one.violations} VIOLATIONS`,
      ]),
    ),
    'In process, one at a time. Start-up: a node that has just started loads the event. Availability: two bits a seat,',
    'through every layer of the server but the network.',
  ].join('\n')
}

function quotesOf(figures: readonly SizeFigures[]): Record<string, string> {
  const at = (pick: (one: SizeFigures) => number) => {
    const [first, last] = [figures[0]!, figures.at(-1)!]
    const name = (one: SizeFigures) =>
      `${one.seats.toLocaleString('en')} seats, ${one.history.toLocaleString('en')} holds of history`
    return `${fine(pick(first))} (${name(first)}) → ${fine(pick(last))} (${name(last)})`
  }
  const last = figures.at(-1)!
  return {
    'size.table': asBlock(printTable(figures)),
    'size.hold': at(({ hold }) => hold.p50Ms),
    'size.availability': at(({ availability }) => availability.p50Ms),
    'size.occupancy': at(({ occupancy }) => occupancy.p50Ms),
    'size.startUp': at(({ startUpMs }) => startUpMs),
    'size.memory': formatBytes(last.stateBytes),
  }
}

/** With a digit more where it matters. */
function fine(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : formatMs(ms)
}
