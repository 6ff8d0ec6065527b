import { formatMs, formatTable } from '../format.ts'
import type { ClosedLoopFigures } from './load/closed-loop.ts'
import { asBlock } from './quotes.ts'
import type { Site } from './stage/site.ts'
import type { Verb, VerbInput } from './verb.ts'

/** Holds with keys over HTTP, by how many processes serve them and how many events are on sale at once. */
export const workers: Verb = {
  summary: 'holds over HTTP with several processes of the server, on one event and on several at once',
  options: {
    processes: { default: '1,2,4', quick: '1', help: 'of the server, instead of --workers' },
    events: { default: '1,10', quick: '1,2', help: 'on sale at once' },
    connections: { default: '500', quick: '10', help: 'at once' },
    seconds: { default: '10', quick: '1', help: 'for each figure' },
    seats: { default: '20000', quick: '500', help: 'of each event' },
    guests: { default: '1000', quick: '20', help: 'who ask' },
  },
  async run(input) {
    const figures: WorkersFigures[] = []
    for (const processes of input.list('processes')) {
      await input.stage.withSite(
        async site => {
          // Not measured: code is compiled and connections are opened.
          await measure(site, { processes, events: 1, seconds: input.quick ? 0.2 : 5 }, input)
          for (const events of input.list('events')) {
            input.say(`${processes} processes, ${events} events …`)
            figures.push(await measure(site, { processes, events, seconds: input.number('seconds') }, input))
          }
        },
        { workers: processes },
      )
    }
    return {
      table: print(figures),
      figures,
      problems: figures.flatMap(({ processes, events, others }) =>
        Object.entries(others).map(
          ([status, count]) => `${processes} processes, ${events} events: ${count} answers of ${status}`,
        ),
      ),
      quotes: { 'workers.table': asBlock(print(figures)) },
    }
  },
}

interface WorkersFigures
  extends Omit<ClosedLoopFigures, 'answers' | 'refusedPerSecond' | 'longestMs' | 'each'> {
  readonly processes: number
  readonly events: number
  readonly serverSeconds: number | null
}

/** More than this a second it isn't: enough events are made for it. */
const MOST_PER_SECOND = 20_000

async function measure(
  site: Site,
  { processes, events, seconds }: { processes: number; events: number; seconds: number },
  { stage, seed, number }: VerbInput,
): Promise<WorkersFigures> {
  const tokens = await site.guests(number('guests'))
  const hall = await site.hall(number('seats'))
  const eventIds: string[] = []
  while (eventIds.length * number('seats') < seconds * MOST_PER_SECOND || eventIds.length < events) {
    for (let one = 0; one < events; one += 1) eventIds.push(await hall.openEvent())
  }
  await site.database.checkpoint()
  const before = site.cpuSeconds()
  const { answers, refusedPerSecond, longestMs, ...figures } = await stage.generator().give('closedLoop', {
    ports: site.ports,
    connections: number('connections'),
    seconds,
    seed,
    workload: 'each',
    keyed: true,
    tokens,
    eventIds,
    eventsAtOnce: events,
    seatIds: hall.seatIds,
  })
  const after = site.cpuSeconds()
  const serverSeconds = before === null || after === null ? null : after - before
  return { processes, events, serverSeconds, ...figures }
}

function print(figures: readonly WorkersFigures[]): string {
  const first = figures[0]!.perSecond
  return [
    formatTable(
      ['processes', 'events at once', 'holds/s', 'to the first', 'p50', 'p99', 'server', 'load'],
      figures.map(({ processes, events, perSecond, p50Ms, p99Ms, seconds, serverSeconds, load }) => [
        String(processes),
        String(events),
        Math.round(perSecond).toLocaleString('en'),
        (perSecond / first).toFixed(2),
        formatMs(p50Ms),
        formatMs(p99Ms),
        serverSeconds === null ? 'unknown' : (serverSeconds / seconds).toFixed(2),
        (load.cpuSeconds / load.seconds).toFixed(2),
      ]),
    ),
    'Holds with keys on seats that no other buyer asks for. Server and load are processor cores in use; Postgres',
    'and the load share the machine with the server.',
  ].join('\n')
}
