import { formatBytes, formatMs, formatTable } from '../../format.ts'
import type { Chart } from '../chart.ts'
import type { End } from '../load/crowd.ts'
import type { OwnLoad } from '../load/own-load.ts'
import type { Percentiles } from '../load/percentiles.ts'
import { asBlock } from '../quotes.ts'

export interface OnsaleFigures {
  readonly buyers: number
  readonly seats: number
  /** Until the last had left. */
  readonly seconds: number
  /** Of every request for a seat, granted or refused. */
  readonly hold: Percentiles
  /** By what was asked. */
  readonly answered: Readonly<Record<string, Percentiles & { readonly count: number }>>
  readonly holds: number
  readonly refusals: Readonly<Record<string, number>>
  readonly ends: Readonly<Record<End, number>>
  readonly statuses: Readonly<Record<string, number>>
  readonly serverErrors: number
  /** Answers of 400 and above, by what was asked and the code of the refusal. */
  readonly refused: Readonly<Record<string, number>>
  /** Attempts that were followed by another. */
  readonly again: Readonly<Record<string, number>>
  /** Requests that were never answered. */
  readonly broken: Readonly<Record<string, number>>
  readonly mostConnections: number
  readonly feedMessages: number
  /** When all was over: by the crowd's own count, the server's, and three of Postgres. */
  readonly held: {
    readonly crowd: number
    readonly server: number
    readonly holdsInPostgres: number
    readonly seatsInPostgres: number
    readonly countersInPostgres: number
  }
  readonly serverSeconds: number | null
  readonly postgresSeconds: number | null
  readonly serverBytes: number | null
  /** The crowd's own. */
  readonly load: OwnLoad
  readonly processes: number
}

export function printOnsale(figures: readonly OnsaleFigures[]): string {
  const line = (name: string, value: (one: OnsaleFigures) => string) => [name, ...figures.map(value)]
  const ms = (name: string, of: string) =>
    line(name, ({ answered }) => {
      const { p50Ms = 0, p95Ms = 0, p99Ms = 0, count = 0 } = answered[of] ?? {}
      return count === 0 ? 'none' : [p50Ms, p95Ms, p99Ms].map(formatMs).join(' · ')
    })
  const codes = [...new Set(figures.flatMap(({ refusals }) => Object.keys(refusals)))].sort()
  const cores = (seconds: number | null, one: OnsaleFigures) =>
    seconds === null ? 'unknown' : (seconds / one.seconds).toFixed(2)
  return [
    formatTable(
      ['', ...figures.map(({ buyers }) => `${number(buyers)} buyers`)],
      [
        line('until the last had left', ({ seconds }) => `${seconds.toFixed(1)} s`),
        line('requests', ({ statuses }) => number(sum(statuses))),
        line('requests a second', ({ statuses, seconds }) => number(Math.round(sum(statuses) / seconds))),
        line('connections at most', ({ mostConnections }) => number(mostConnections)),
        ms('hold: p50 · p95 · p99', 'hold'),
        ms('availability: p50 · p95 · p99', 'availability'),
        ms('map: p50 · p95 · p99', 'map'),
        line('seats held', ({ holds }) => number(holds)),
        ...codes.map(code => line(`refused: ${code}`, ({ refusals }) => number(refusals[code] ?? 0))),
        line('asked again, with the same key', ({ again }) => number(sum(again))),
        line('5xx', ({ serverErrors }) => number(serverErrors)),
        line('without an answer', ({ broken }) => number(sum(broken))),
        line('kept · gave back · let expire', ({ ends }) =>
          [ends.kept, ends.gaveBack, ends.letExpire].map(number).join(' · '),
        ),
        line('saw nothing left · gave up', ({ ends }) =>
          [ends.nothingLeft, ends.gaveUp].map(number).join(' · '),
        ),
        line('held at the end: kept · server · Postgres', ({ held }) =>
          [held.crowd, held.server, held.holdsInPostgres].map(number).join(' · '),
        ),
        line('messages of the feed', ({ feedMessages }) => number(feedMessages)),
        line('cores of the server', one => cores(one.serverSeconds, one)),
        line('cores of Postgres', one => cores(one.postgresSeconds, one)),
        line('cores of the crowd', one => cores(one.load.cpuSeconds, one)),
        line("the crowd's own delay: p50 · p99 · most", ({ load }) =>
          [load.delayP50Ms, load.delayP99Ms, load.delayMaxMs].map(formatMs).join(' · '),
        ),
        line('memory of the server afterwards', ({ serverBytes }) =>
          serverBytes === null ? 'unknown' : formatBytes(serverBytes),
        ),
      ],
    ),
    'The crowd shares the machine with the server: its own delay is in every time above.',
  ].join('\n')
}

export function problemsOf(figures: readonly OnsaleFigures[]): string[] {
  return figures.flatMap(({ buyers, serverErrors, broken, held, refused }) => {
    const who = `${number(buyers)} buyers`
    const counts = new Set(Object.values(held))
    return [
      ...(serverErrors > 0 ? [`${who}: ${serverErrors} answers of 5xx: ${JSON.stringify(refused)}`] : []),
      ...(sum(broken) > 0 ? [`${who}: ${sum(broken)} without an answer: ${JSON.stringify(broken)}`] : []),
      ...(counts.size > 1 ? [`${who}: held at the end, counted differently: ${JSON.stringify(held)}`] : []),
    ]
  })
}

export function chartOf(figures: readonly OnsaleFigures[]): Chart {
  const series = (name: string, pick: (one: OnsaleFigures) => number) => ({
    name,
    points: figures.map(one => ({ x: one.buyers, y: pick(one) })),
  })
  return {
    title: 'A sale opens: latency of holds by how many buyers come',
    x: 'buyers',
    y: 'ms',
    series: [
      series('hold p50', ({ hold }) => hold.p50Ms),
      series('hold p95', ({ hold }) => hold.p95Ms),
      series('hold p99', ({ hold }) => hold.p99Ms),
      series("the crowd's own delay p99", ({ load }) => load.delayP99Ms),
    ],
  }
}

export function quotesOf(figures: readonly OnsaleFigures[]): Record<string, string> {
  const each = (value: (one: OnsaleFigures) => string) =>
    figures.map(one => `${number(one.buyers)}: ${value(one)}`).join('; ')
  return {
    'onsale.table': asBlock(printOnsale(figures)),
    'onsale.hold': each(({ hold }) => `${formatMs(hold.p50Ms)} / ${formatMs(hold.p99Ms)}`),
    'onsale.serverErrors': each(({ serverErrors }) => number(serverErrors)),
    'onsale.held': each(
      ({ held }) => `${number(held.crowd)} = ${number(held.server)} = ${number(held.holdsInPostgres)}`,
    ),
    'onsale.delay': each(({ load }) => formatMs(load.delayP99Ms)),
  }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0)
}

function number(value: number): string {
  return value.toLocaleString('en')
}
