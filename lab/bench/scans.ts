import { createHolds } from '@voelgoed/core/contract/holds'
import { createOrder, readOrder } from '@voelgoed/core/contract/orders'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import { formatMs, formatTable } from '../format.ts'
import { Random } from '../random.ts'
import type { ScanFigures } from './load/scans.ts'
import { asBlock } from './quotes.ts'
import type { Site } from './stage/site.ts'
import type { Verb, VerbInput } from './verb.ts'

/** Of an order: holds of seats, each made by one request of so many. */
const SEATS_AT_ONCE = 200

/** Tickets at gates over HTTP: each at two gates at once, one of which lets its holder in. */
export const scans: Verb = {
  summary: 'tickets at gates over HTTP, each shown at two gates at once: a second, and how long people wait',
  options: {
    tickets: { default: '10000', quick: '20', help: 'of seats, and as many of one standing zone' },
    gates: { default: '40', quick: '4', help: 'that scan, one ticket at a time each' },
    nodes: { default: '2', quick: '1', help: 'that they ask' },
  },
  async run(input) {
    const nodes = input.number('nodes')
    const rows =
      nodes === 1 ? await input.stage.withSite(site => measure(site, input)) : await onNodes(nodes, input)
    const table = print(rows, input)
    return {
      table,
      figures: rows,
      problems: rows.flatMap(row => problemsOf(row, input)),
      quotes: { 'scans.table': asBlock(table) },
    }
  },
}

interface Row extends ScanFigures {
  readonly what: string
}

async function onNodes(nodes: number, input: VerbInput): Promise<Row[]> {
  const site = await input.stage.openSite({ nodes })
  try {
    return await measure(site, input)
  } finally {
    await site.stop()
  }
}

async function measure(site: Site, { stage, number, seed, quick, say }: VerbInput): Promise<Row[]> {
  const count = number('tickets')
  const zoneId = new Random(seed + 1).uuid()
  // A few more, for what is not measured: code is compiled, connections are opened.
  const warmUp = quick ? 0 : 400
  const hall = await site.build(config(count + warmUp, zoneId))
  const eventId = await hall.openEvent()
  say(`selling ${2 * count + warmUp} tickets …`)
  const seats = await sellSeats(site, eventId, hall.inOrder)
  const places = await sell(site, eventId, { zone_id: zoneId, quantity: count })
  const scan = (tickets: readonly string[]) =>
    stage
      .generator()
      .give('scans', { ports: site.ports, gates: number('gates'), token: site.organizer, tickets })
  if (warmUp > 0) await scan(seats.slice(count))
  await site.database.checkpoint()
  const rows: Row[] = []
  for (const [what, tickets] of [
    ['seats', seats.slice(0, count)],
    ['one standing zone, counted', places],
  ] as const) {
    say(`${what} …`)
    rows.push({ what, ...(await scan(tickets)) })
  }
  return rows
}

async function sellSeats(site: Site, eventId: string, seatIds: readonly string[]): Promise<string[]> {
  const tickets: string[] = []
  for (let first = 0; first < seatIds.length; first += SEATS_AT_ONCE) {
    tickets.push(...(await sell(site, eventId, { seat_ids: seatIds.slice(first, first + SEATS_AT_ONCE) })))
  }
  return tickets
}

/** The tokens of what was sold. */
async function sell(
  { caller, organizer: token }: Site,
  event: string,
  body: { seat_ids: string[] } | { zone_id: string; quantity: number },
): Promise<string[]> {
  const held = await caller.get(createHolds, { token, params: { event }, body })
  const hold_ids = held.data.holds.map(({ hold_id }) => hold_id)
  const sold = await caller.get(createOrder, {
    token,
    body: { event_id: event, hold_ids, method: 'external', allow_stranding: true },
  })
  const order = await caller.get(readOrder, { token, params: { order: sold.data.order_id } })
  return order.data.tickets.map(ticket => ticket.token!)
}

function config(seats: number, zone_id: string): LayoutConfig {
  const perRow = 50
  return {
    zones: [
      {
        name: 'Hall',
        zone_type: 'reserved_seating',
        seats: Array.from({ length: seats }, (_, index) => ({
          row: `R${Math.floor(index / perRow) + 1}`,
          number: (index % perRow) + 1,
          coordinates: { x: index % perRow, y: Math.floor(index / perRow) },
        })),
      },
      { zone_id, name: 'Pit', zone_type: 'ga_standing', capacity: seats },
    ],
  }
}

function problemsOf({ what, admitted, others }: Row, { number }: VerbInput): string[] {
  const wrong = admitted - number('tickets')
  return [
    ...(wrong === 0 ? [] : [`${what}: ${admitted} were let in, not ${number('tickets')}`]),
    ...Object.entries(others).map(([answer, count]) => `${what}: ${count} answers were ${answer}`),
  ]
}

function print(rows: readonly Row[], { number }: VerbInput): string {
  return [
    formatTable(
      ['', 'scans/s', 'p50', 'p99', 'longest', 'let in'],
      rows.map(({ what, perSecond, p50Ms, p99Ms, longestMs, admitted }) => [
        what,
        Math.round(perSecond).toLocaleString('en'),
        formatMs(p50Ms),
        formatMs(p99Ms),
        formatMs(longestMs),
        admitted.toLocaleString('en'),
      ]),
    ),
    '',
    `${number('tickets').toLocaleString('en')} tickets of each, each shown at two gates at once; ${number('gates')} gates on ${number('nodes')} ${number('nodes') === 1 ? 'node' : 'nodes'}.`,
    'The load shares the machine with the server.',
  ].join('\n')
}
