import { setTimeout as delay } from 'node:timers/promises'
import { readOccupancy } from '@voelgoed/core/contract/holds'
import { Random } from '../../random.ts'
import type { CrowdFigures, CrowdOrder } from '../load/crowd.ts'
import { togetherOf } from '../load/own-load.ts'
import { percentiles } from '../load/percentiles.ts'
import { tooFewOpenFiles } from '../stage/open-files.ts'
import { treeSeconds } from '../stage/processor-time.ts'
import type { Site } from '../stage/site.ts'
import type { Verb, VerbInput } from '../verb.ts'
import { chartOf, type OnsaleFigures, printOnsale, problemsOf, quotesOf } from './report.ts'

/**
 * A sale opens. Buyers come within seconds, each on a connection of their own. They look as a page does: the
 * event, the map of the hall, two bits a seat of availability; some keep the live feed open on a second
 * connection, the others read the availability again after each refusal. They think, choose by Zipf among
 * what they see free, and ask. Who gets a seat keeps it (the hold is extended), gives it back, or walks away
 * and lets it expire. Guests have signed in before.
 */
export const onsale: Verb = {
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
      help: 'of a hundred, who give it back; the others let it expire',
    },
    stay: {
      default: '10',
      quick: '0',
      help: 'seconds that a buyer who keeps a seat stays connected before paying',
    },
    tries: { default: '8', quick: '8', help: 'before a buyer gives up' },
    ttl: { default: '20', quick: '3', help: 'seconds of a hold that is not extended' },
  },
  async run(input) {
    const figures: OnsaleFigures[] = []
    await input.stage.withSite(async site => {
      for (const buyers of input.list('buyers')) figures.push(await measure(site, buyers, input))
    })
    return {
      table: printOnsale(figures),
      figures,
      problems: problemsOf(figures),
      quotes: quotesOf(figures),
      chart: chartOf(figures),
    }
  },
}

/** More sockets than this in one process, and it is the process that is measured. */
const MOST_IN_ONE_PROCESS = 12_000
/** Beyond the hold's own time: invariant 8 says within 60 s. */
const TIDY_WITHIN_MS = 60_000
const ASK_EVERY_MS = 100

async function measure(site: Site, buyers: number, input: VerbInput): Promise<OnsaleFigures> {
  const { stage, say, seed, number } = input
  const warning = tooFewOpenFiles(Math.ceil(buyers * (1 + number('watching') / 100)))
  if (warning) say(`  ${warning}. Those who leave make room for others, so it may do.`)
  say(`${buyers.toLocaleString('en')} buyers: preparing …`)
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
  const refusals = Object.fromEntries(Object.entries(crowd.wishes).filter(([what]) => what !== 'held'))
  return {
    buyers,
    seats: number('seats'),
    seconds: crowd.seconds,
    hold: percentiles(crowd.ms.hold),
    answered: Object.fromEntries(
      Object.entries(crowd.ms).map(([asked, ms]) => [asked, { count: ms.length, ...percentiles(ms) }]),
    ),
    holds: crowd.wishes.held ?? 0,
    refusals,
    ends: crowd.ends,
    statuses: crowd.statuses,
    serverErrors: Object.entries(crowd.statuses)
      .filter(([status]) => status.startsWith('5'))
      .reduce((sum, [, count]) => sum + count, 0),
    refused: crowd.refused,
    again: crowd.again,
    broken: crowd.broken,
    mostConnections: crowd.mostConnections,
    feedMessages: crowd.feedMessages,
    held,
    serverSeconds: before.server === null || after.server === null ? null : after.server - before.server,
    postgresSeconds:
      before.postgres === null || after.postgres === null ? null : after.postgres - before.postgres,
    serverBytes: site.memory()?.rssBytes ?? null,
    load: crowd.load,
    processes,
  }
}

/**
 * When the holds that buyers did not keep have run out and are tidied up, only those that they kept are left.
 */
async function heldAtTheEnd(site: Site, eventId: string, kept: number): Promise<OnsaleFigures['held']> {
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
  return {
    crowd: kept,
    server,
    holdsInPostgres: await site.database.count(
      `select count(distinct hold_id) from event_seats where event_id = $1 and status = 'held'`,
      [eventId],
    ),
    seatsInPostgres: await site.database.count(
      `select count(*) from event_seats where event_id = $1 and status = 'held'`,
      [eventId],
    ),
    countersInPostgres: await site.database.count('select sum(held) from zone_counts where event_id = $1', [
      eventId,
    ]),
  }
}

function merge(crowds: readonly CrowdFigures[]): CrowdFigures {
  const [first] = crowds
  const sum = (pick: (crowd: CrowdFigures) => Readonly<Record<string, number>>) => {
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
    wishes: sum(crowd => crowd.wishes),
    ends: sum(crowd => crowd.ends) as CrowdFigures['ends'],
    statuses: sum(crowd => crowd.statuses),
    refused: sum(crowd => crowd.refused),
    again: sum(crowd => crowd.again),
    broken: sum(crowd => crowd.broken),
    mostConnections: crowds.reduce((most, crowd) => most + crowd.mostConnections, 0),
    feedMessages: crowds.reduce((all, crowd) => all + crowd.feedMessages, 0),
    seconds: Math.max(...crowds.map(crowd => crowd.seconds)),
    load: togetherOf(crowds.map(crowd => crowd.load)),
  }
}
