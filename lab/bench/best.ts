import { readOccupancy } from '@voelgoed/core/contract/holds'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import { formatMs, formatTable } from '../format.ts'
import type { ClosedLoopFigures } from './load/closed-loop.ts'
import { asBlock } from './quotes.ts'
import type { Hall, Site } from './stage/site.ts'
import type { Verb, VerbInput } from './verb.ts'

/** Best available over HTTP, with keys: how many a second, beside seats that buyers choose; and a rush. */
export const best: Verb = {
  summary: 'best available over HTTP: a second, beside chosen seats; a rush of groups until a hall is full',
  options: {
    seats: { default: '20000', quick: '400', help: 'of the hall' },
    quantities: { default: '1,2,4', quick: '2', help: 'seats that each asks for' },
    seconds: { default: '5', quick: '1', help: 'for each figure' },
    connections: { default: '200', quick: '10', help: 'at once' },
    rush: { default: '1000', quick: '20', help: 'buyers who ask for four seats at the same moment' },
    nodes: { default: '2', quick: '1', help: 'that they ask' },
    guests: { default: '1000', quick: '20', help: 'who ask' },
  },
  async run(input) {
    const { stage, number, list, say } = input
    const rows: Row[] = []
    await stage.withSite(async site => {
      const hall = await site.hall(number('seats'))
      // Not measured: code is compiled, connections are opened, the hall is read.
      await measure(site, hall, { seconds: 1 }, input)
      say('chosen seats …')
      rows.push({
        what: 'a seat that the buyer chooses',
        seats: 1,
        ...(await measure(site, hall, {}, input)),
      })
      for (const quantity of list('quantities')) {
        say(`the best ${quantity} …`)
        const figures = await measure(site, hall, { quantity }, input)
        rows.push({ what: `the best ${quantity}, side by side`, seats: quantity, ...figures })
      }
    })
    say('a rush …')
    const rushed = await rush(input)
    const table = print(rows, rushed, input)
    const missing = rushed.expected - rushed.figures.holds
    return {
      table,
      figures: { rows, rushed },
      problems: [
        ...(missing === 0 ? [] : [`${missing} groups were sent away before the hall was full`]),
        ...(rushed.held === 4 * rushed.expected
          ? []
          : [`${rushed.held} seats are held, not as many as were given`]),
      ],
      quotes: { 'best.table': asBlock(table) },
    }
  },
}

interface Row extends ClosedLoopFigures {
  readonly what: string
  readonly seats: number
}

async function measure(
  site: Site,
  hall: Hall,
  { quantity, seconds }: { quantity?: number; seconds?: number },
  { stage, seed, number }: VerbInput,
): Promise<ClosedLoopFigures> {
  const eventIds: string[] = []
  for (let count = 0; count < 4; count += 1) eventIds.push(await hall.openEvent())
  await site.database.checkpoint()
  return stage.generator().give('closedLoop', {
    ports: site.ports,
    connections: number('connections'),
    seconds: seconds ?? number('seconds'),
    seed,
    keyed: true,
    tokens: await site.guests(number('guests')),
    eventIds,
    seatIds: hall.seatIds,
    ...(quantity === undefined ? { workload: 'each' } : { workload: 'best', quantity }),
  })
}

interface Rush {
  readonly figures: ClosedLoopFigures
  readonly expected: number
  readonly held: number
}

/** As many groups of four as the hall has room for, all at the same moment. */
async function rush(input: VerbInput): Promise<Rush> {
  const nodes = input.number('nodes')
  if (nodes === 1) return input.stage.withSite(site => rushOn(site, input))
  const site = await input.stage.openSite({ nodes })
  try {
    return await rushOn(site, input)
  } finally {
    await site.stop()
  }
}

async function rushOn(site: Site, { stage, seed, number }: VerbInput): Promise<Rush> {
  const hall = await site.build(blocks(number('rush')))
  const eventId = await hall.openEvent()
  const groups = hall.seatIds.length / 4
  const figures = await stage.generator().give('closedLoop', {
    ports: site.ports,
    connections: groups,
    seconds: 60,
    seed,
    keyed: true,
    tokens: await site.guests(groups),
    eventIds: [eventId],
    seatIds: hall.seatIds,
    workload: 'best',
    quantity: 4,
  })
  const params = { event: eventId }
  const { held } = (await site.caller.get(readOccupancy, { token: site.organizer, params })).data
  return { figures, expected: groups, held }
}

/** Rows of two blocks of twenty with an aisle between: room for five groups in each, and none left over. */
function blocks(groups: number): LayoutConfig {
  const perRow = 40
  const seats = Array.from({ length: Math.ceil((4 * groups) / perRow) * perRow }, (_, index) => {
    const [row, place] = [Math.floor(index / perRow), index % perRow]
    const x = place < perRow / 2 ? place : place + 2
    return { row: `R${row + 1}`, number: place + 1, coordinates: { x, y: row } }
  })
  return { zones: [{ name: 'Hall', zone_type: 'reserved_seating', seats }] }
}

function print(rows: readonly Row[], { figures, expected, held }: Rush, { number }: VerbInput): string {
  const first = rows[0]!.perSecond
  return [
    formatTable(
      ['', 'requests/s', 'to chosen seats', 'seats/s', 'p50', 'p99'],
      rows.map(({ what, seats, perSecond, p50Ms, p99Ms }) => [
        what,
        Math.round(perSecond).toLocaleString('en'),
        (perSecond / first).toFixed(2),
        Math.round(perSecond * seats).toLocaleString('en'),
        formatMs(p50Ms),
        formatMs(p99Ms),
      ]),
    ),
    '',
    `${expected.toLocaleString('en')} groups of four at the same moment, on ${number('nodes')} nodes, in a hall with room for all of them:`,
    `${figures.holds.toLocaleString('en')} seated side by side in ${figures.seconds.toFixed(1)} s, p50 ${formatMs(figures.p50Ms)}, p99 ${formatMs(figures.p99Ms)}; ${held.toLocaleString('en')} seats held.`,
    'With keys, as our client sends them. The load shares the machine with the server.',
  ].join('\n')
}
