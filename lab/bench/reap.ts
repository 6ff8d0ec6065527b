import { formatMs, formatTable } from '../format.ts'
import { asBlock } from './quotes.ts'
import type { FiguresOf } from './stage/in-process.ts'
import type { Verb } from './verb.ts'

/** A hundred thousand holds of one event run out at once, while others go on buying. */
export const reap: Verb = {
  summary: 'expired holds of one event until all are tidied up, and what buyers of other seats notice of it',
  options: {
    holds: { default: '100000', quick: '500', help: 'that run out' },
    ttl: { default: '15', quick: '1', help: 'seconds that they live' },
  },
  async run({ number, stage, say }) {
    const holds = number('holds')
    say(`${holds.toLocaleString('en')} holds run out …`)
    const { figures, postgresSeconds } = await stage.inProcess('reap', { holds, ttlSeconds: number('ttl') })
    const table = printTable(holds, figures, postgresSeconds)
    return {
      table,
      figures: { holds, ...figures, postgresSeconds },
      problems: figures.left === 0 ? [] : [`${figures.left} expired holds are still there`],
      quotes: {
        'reap.table': asBlock(table),
        'reap.seconds': `${figures.untilTidySeconds.toFixed(1)} s`,
        'reap.perSecond': `${Math.round(figures.perSecond).toLocaleString('en')}/s`,
        'reap.buyers': `${formatMs(figures.buyersBefore.p99Ms)} → ${formatMs(figures.buyersMeanwhile.p99Ms)}`,
      },
    }
  },
}

function printTable(holds: number, figures: FiguresOf<'reap'>, postgresSeconds: number | null): string {
  const { buyersBefore, buyersMeanwhile } = figures
  return [
    formatTable(
      [`${holds.toLocaleString('en')} expired holds`, ''],
      [
        ['until tidy', `${figures.untilTidySeconds.toFixed(2)} s`],
        ['a second', Math.round(figures.perSecond).toLocaleString('en')],
        [
          'cores of Postgres',
          postgresSeconds === null ? 'unknown' : (postgresSeconds / figures.untilTidySeconds).toFixed(2),
        ],
        ['left over', figures.left.toLocaleString('en')],
        ['until they stand in the history', `${figures.untilHistorySeconds.toFixed(1)} s`],
      ],
    ),
    '',
    formatTable(
      ['others hold seats of the same event', 'p50', 'p95', 'p99'],
      [
        ['before', ...[buyersBefore.p50Ms, buyersBefore.p95Ms, buyersBefore.p99Ms].map(formatMs)],
        ['meanwhile', ...[buyersMeanwhile.p50Ms, buyersMeanwhile.p95Ms, buyersMeanwhile.p99Ms].map(formatMs)],
      ],
    ),
    'An expired hold is free at once, by rule: this is only the tidying up of rows, counters and screens.',
  ].join('\n')
}
