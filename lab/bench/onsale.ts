import { setTimeout as delay } from 'node:timers/promises'
import { readOccupancy } from '@voelgoed/contract/holds'
import { formatMs } from '../format.ts'
import { Random } from '../random.ts'
import type { CrowdFigures, CrowdOrder } from './load/crowd.ts'
import { togetherOf } from './load/own-load.ts'
import { percentiles } from './load/percentiles.ts'
import type { Scenario, ScenarioInput } from './scenario.ts'
import { tooFewOpenFiles } from './stage/open-files.ts'
import { treeSeconds } from './stage/processor-time.ts'
import type { Site } from './stage/site.ts'
import { type Row, spread, toFirst } from './table.ts'

/**
 * A sale opens. Buyers come within seconds, each on a connection of their own. They look as a page does: the
 * event, the map of the hall, two bits a seat of availability; some keep the live feed open on a second
 * connection, the others read the availability again after each refusal. They think, choose by Zipf among
 * what they see free, and ask. Who gets a seat keeps it (the hold is extended), gives it back, or walks away
 * and lets it expire. Guests have signed in before.
 */
export const onsale: Scenario = {
  summary:
    'buyers who come within seconds: latency of holds, refusals, and whether every seat is accounted for',
  options: {
    buyers: { default: '1000,5000,10000,20000', quick: '60', help: 'who come' },
    seats: { default: '12000', quick: '100', help: 'of the event' },
    within: { default: '20', quick: '1', help: 'seconds in which they come' },
    think: { default: '2000', quick: '50', help: 'milliseconds they look before they choose, on average' },
    watching: { default: '10', quick: '30', help: 'of a hundred, who keep the live feed open' },
    keeping: { default: '60', quick: '60', help: 'of a hundred who got a seat, who keep it' },
    'giving-back': {
      default: '25',
      quick: '25',
      help: 'of a hundred, who give it back; the others let it go',
    },
    stay: { default: '10', quick: '0', help: 'seconds that a buyer who keeps a seat stays connected' },
    tries: { default: '8', quick: '8', help: 'before a buyer gives up' },
    ttl: { default: '20', quick: '3', help: 'seconds of a hold that is not extended' },
  },
  async run(input) {
    const sales: Sale[] = []
    await input.stage.withSite(async site => {
      for (const buyers of input.list('buyers')) sales.push(await measure(site, buyers, input))
    })
    const rows = sales.map(({ row }) => row)
    const each = (value: (sale: Sale) => string) =>
      sales.map(sale => `${sale.buyers.toLocaleString('en')}: ${value(sale)}`).join('; ')
    const figure = ({ row }: Sale, name: string) => formatMs(Number(row.figures[name]))
    const points = (name: string) =>
      sales.map(({ buyers, row }) => ({ x: buyers, y: Number(row.figures[name]) }))
    return {
      tables: [
        {
          ...{ quote: 'onsale.table', rows, ratios: [toFirst(rows, 'holdP99Ms')] },
          notes: ['The crowd shares the machine with the server: its own delay is in every time above.'],
        },
      ],
      problems: sales.flatMap(({ problems }) => problems),
      quotes: {
        'onsale.hold': each(sale => `${figure(sale, 'holdP50Ms')} / ${figure(sale, 'holdP99Ms')}`),
        'onsale.serverErrors': each(({ row }) => String(row.figures.serverErrors)),
        'onsale.held': each(({ held }) => held.map(count => count.toLocaleString('en')).join(' = ')),
        'onsale.delay': each(sale => figure(sale, 'crowdDelayMs')),
      },
      chart: {
        ...{ title: 'A sale opens: latency of holds by how many buyers come', x: 'buyers', y: 'ms' },
        series: ['holdP50Ms', 'holdP99Ms', 'crowdDelayMs'].map(name => ({ name, points: points(name) })),
      },
    }
  },
}

interface Sale {
  readonly buyers: number
  readonly row: Row
  /** At the end: by the crowd's own count, the server's, and three of Postgres. */
  readonly held: readonly number[]
  readonly problems: readonly string[]
}

/** More sockets than this in one process, and it is the process that is measured. */
const MOST_IN_ONE_PROCESS = 12_000
/** Beyond the hold's own time: invariant 8 says within 60 s. */
const TIDY_WITHIN_MS = 60_000
const ASK_EVERY_MS = 100

async function measure(site: Site, buyers: number, input: ScenarioInput): Promise<Sale> {
  const { stage, say, seed, number } = input
  const warning = tooFewOpenFiles(Math.ceil(buyers * (1 + number('watching') / 100)))
  if (warning) say(`  ${warning}. Those who leave make room for others, so it may do.`)
  const what = `${buyers.toLocaleString('en')} buyers`
  say(`${what}: preparing …`)
  const tokens = await site.guests(buyers)
  const hall = await site.hall(number('seats'))
  const eventId = await hall.openEvent({ ttlSeconds: number('ttl') })
  const wanted = new Random(seed, 2).shuffled(hall.inOrder.map((_, ordinal) => ordinal))
  await site.database.checkpoint()
  const { pid } = await stage.postgres()
  const used = () => ({ server: site.cpuSeconds(), postgres: treeSeconds(pid) })

  const processes = Math.ceil(buyers / MOST_IN_ONE_PROCESS)
  const before = used()
  const crowds = await stage.withGenerators(processes, generators =>
    Promise.all(
      generators.map((generator, index) => {
        const order: CrowdOrder = {
          port: site.port,
          eventId,
          tokens: tokens.filter((_, buyer) => buyer % processes === index),
          seatIds: hall.inOrder,
          wanted,
          withinSeconds: number('within'),
          thinkMs: number('think'),
          watching: number('watching'),
          keeping: number('keeping'),
          givingBack: number('giving-back'),
          stayMs: number('stay') * 1000,
          tries: number('tries'),
          seed: seed + index,
        }
        return generator.give('crowd', order, line => say(`  ${line}`))
      }),
    ),
  )
  const after = used()
  const crowd = merge(crowds)
  say('  waiting for what was left to expire …')
  const held = await heldAtTheEnd(site, eventId, crowd.ends.kept)
  const cores = (name: 'server' | 'postgres') => {
    const [from, to] = [before[name], after[name]]
    return from === null || to === null ? null : (to - from) / crowd.seconds
  }
  const requests = sum(crowd.statuses)
  const refusals = Object.entries(crowd.wishes).filter(([wish]) => wish !== 'held')
  const serverErrors = sum(
    Object.fromEntries(Object.entries(crowd.statuses).filter(([code]) => code[0] === '5')),
  )
  const { kept, gaveBack, letExpire, nothingLeft, gaveUp } = crowd.ends
  const { hold, availability, map } = crowd.ms
  const row: Row = {
    what,
    figures: {
      untilTheLastLeftSeconds: crowd.seconds,
      ...{ requests, requestsPerSecond: requests / crowd.seconds, connectionsAtMost: crowd.mostConnections },
      ...spread('hold', percentiles(hold)),
      ...spread('availability', percentiles(availability)),
      ...spread('map', percentiles(map)),
      held: crowd.wishes.held ?? 0,
      ...Object.fromEntries(refusals.map(([code, count]) => [`refused ${code}`, count])),
      ...{ askedAgain: sum(crowd.again), serverErrors, withoutAnswer: sum(crowd.broken) },
      ...{ kept, gaveBack, letExpire, nothingLeft, gaveUp },
      heldAtTheEnd: held.join(' = '),
      feedMessages: crowd.feedMessages,
      ...{ serverCores: cores('server'), postgresCores: cores('postgres') },
      crowdCores: crowd.load.cpuSeconds / crowd.seconds,
      crowdDelayMs: crowd.load.delayP99Ms,
      serverBytes: site.memory()?.rssBytes ?? null,
    },
  }
  const problems = [
    ...(serverErrors > 0
      ? [`${what}: ${serverErrors} answers of 5xx: ${JSON.stringify(crowd.refused)}`]
      : []),
    ...(sum(crowd.broken) > 0 ? [`${what}: without an answer: ${JSON.stringify(crowd.broken)}`] : []),
    ...(new Set(held).size > 1 ? [`${what}: held at the end, counted differently: ${held.join(', ')}`] : []),
    ...(sum(crowd.ends) === buyers ? [] : [`${what}: ${sum(crowd.ends)} are accounted for`]),
    ...(kept + gaveBack + letExpire === crowd.wishes.held ? [] : [`${what}: holds are not accounted for`]),
  ]
  return { buyers, row, held, problems }
}

/** When what buyers did not keep has run out and is tidied up, only the holds that they kept are left. */
async function heldAtTheEnd(site: Site, eventId: string, kept: number): Promise<number[]> {
  const ask = async () => {
    const answer = await site.caller.get(readOccupancy, { token: site.organizer, params: { event: eventId } })
    return answer.data.held
  }
  const giveUpAt = performance.now() + TIDY_WITHIN_MS
  let server = await ask()
  while (server !== kept && performance.now() < giveUpAt) {
    await delay(ASK_EVERY_MS)
    server = await ask()
  }
  const seats = `from event_seats where event_id = $1 and status = 'held'`
  const counts = [`select count(distinct hold_id) ${seats}`, `select count(*) ${seats}`]
  const inPostgres = [...counts, 'select sum(held) from zone_counts where event_id = $1'].map(query =>
    site.database.count(query, [eventId]),
  )
  return [kept, server, ...(await Promise.all(inPostgres))]
}

function merge(crowds: readonly CrowdFigures[]): CrowdFigures {
  const [first] = crowds
  const added = (pick: (crowd: CrowdFigures) => Readonly<Record<string, number>>) => {
    const all: Record<string, number> = {}
    for (const crowd of crowds) {
      for (const [name, count] of Object.entries(pick(crowd))) all[name] = (all[name] ?? 0) + count
    }
    return all
  }
  const together = (asked: keyof CrowdFigures['ms']) =>
    Float64Array.from(crowds.flatMap(crowd => [...crowd.ms[asked]]))
  const askedFor = Object.keys(first!.ms) as (keyof CrowdFigures['ms'])[]
  return {
    ms: Object.fromEntries(askedFor.map(asked => [asked, together(asked)])) as CrowdFigures['ms'],
    wishes: added(crowd => crowd.wishes),
    ends: added(crowd => crowd.ends) as CrowdFigures['ends'],
    statuses: added(crowd => crowd.statuses),
    refused: added(crowd => crowd.refused),
    again: added(crowd => crowd.again),
    broken: added(crowd => crowd.broken),
    mostConnections: crowds.reduce((most, crowd) => most + crowd.mostConnections, 0),
    feedMessages: crowds.reduce((all, crowd) => all + crowd.feedMessages, 0),
    seconds: Math.max(...crowds.map(crowd => crowd.seconds)),
    load: togetherOf(crowds.map(crowd => crowd.load)),
  }
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((all, count) => all + count, 0)
}
