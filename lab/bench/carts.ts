import { formatMs, formatTable } from '../format.ts'
import { RedisServer } from '../redis/server.ts'
import type { OwnReadsFigures, ReadsFigures } from './load/carts.ts'
import { asBlock } from './quotes.ts'
import type { Site } from './stage/site.ts'
import type { Verb, VerbInput } from './verb.ts'

interface Setup {
  readonly name: string
  readonly workers: number
  readonly nodes: number
  readonly redis: boolean
}

const SETUPS: readonly Setup[] = [
  { name: 'one process', workers: 1, nodes: 1, redis: false },
  { name: '2 workers', workers: 2, nodes: 1, redis: false },
  { name: '2 nodes', workers: 1, nodes: 2, redis: false },
  { name: '2 nodes, Redis', workers: 1, nodes: 2, redis: true },
]

/** Buyers read what is their own right after they changed it, by whichever process; and that has a price. */
export const carts: Verb = {
  summary: 'carts that are read right after a hold, by another worker or node; reads and holds at once',
  options: {
    setups: { default: '1,2,3,4', quick: '2', help: 'one process, 2 workers, 2 nodes, 2 nodes with Redis' },
    tries: { default: '1000', quick: '20', help: 'holds, each with a cart after it' },
    readers: { default: '16', quick: '4', help: 'who read all the time' },
    holders: { default: '16', quick: '4', help: 'who hold meanwhile' },
    seconds: { default: '8', quick: '1', help: 'for each figure of reads and holds' },
    seats: { default: '20000', quick: '500', help: 'of each event' },
    guests: { default: '400', quick: '20', help: 'who hold and read' },
  },
  async run(input) {
    const figures: Figures[] = []
    for (const number of input.list('setups')) {
      const setup = SETUPS[number - 1]
      if (!setup) throw new Error(`there is no setup ${number}`)
      input.say(`${setup.name} …`)
      figures.push(await measure(setup, input))
    }
    const problems = figures.flatMap(({ setup, after, cart, seat }) => [
      ...(after.missing > 0 ? [`${setup}: ${after.missing} of ${after.tries} carts were too old`] : []),
      ...Object.entries({ ...after.others, ...cart.others, ...seat.others }).map(
        ([status, count]) => `${setup}: ${count} answers of ${status}`,
      ),
    ])
    return {
      table: print(figures),
      figures,
      problems,
      quotes: { 'carts.table': asBlock(print(figures)) },
    }
  },
}

interface Figures {
  readonly setup: string
  readonly after: OwnReadsFigures
  readonly cart: ReadsFigures
  readonly seat: ReadsFigures
}

async function measure(setup: Setup, { stage, number, quick }: VerbInput): Promise<Figures> {
  const redis = setup.redis ? await RedisServer.start() : null
  const { workers, nodes } = setup
  const site = await stage.openSite({ workers, nodes, env: redis ? { REDIS_URL: redis.url } : {} })
  try {
    const tokens = await site.guests(number('guests'))
    const hall = await site.hall(number('seats'))
    const event = async () => {
      const eventId = await hall.openEvent()
      await warmUp(site, eventId, tokens[0]!)
      return eventId
    }
    const eventId = await event()
    const [holdAt, readAt = holdAt] = site.ports
    const seatIds = hall.seatIds.slice(0, number('tries'))
    const after = await stage
      .generator()
      .give('ownReads', { holdAt: holdAt!, readAt: readAt!, tokens, eventId, seatIds })
    const reads = async (path: (eventId: string) => string, seconds: number) => {
      const one = await event()
      return stage.generator().give('reads', {
        ...{ ports: site.ports, path: path(one), readers: number('readers'), holders: number('holders') },
        ...{ seconds, tokens, eventId: one, seatIds: hall.seatIds },
      })
    }
    const cart = (one: string) => `/api/events/${one}/cart`
    // Not measured: code is compiled.
    if (!quick) await reads(cart, 3)
    return {
      setup: setup.name,
      after,
      cart: await reads(cart, number('seconds')),
      seat: await reads(one => `/api/events/${one}/seats/${hall.seatIds.at(-1)}`, number('seconds')),
    }
  } finally {
    await site.stop()
    await redis?.stop()
  }
}

/** Every process has the event in memory. */
async function warmUp({ ports }: Site, eventId: string, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, connection: 'close' }
  for (let times = 0; times < 4; times += 1) {
    for (const port of ports) await fetch(`http://127.0.0.1:${port}/api/events/${eventId}/cart`, { headers })
  }
}

function print(figures: readonly Figures[]): string {
  const rate = (perSecond: number) => Math.round(perSecond).toLocaleString('en')
  const both = ({ p50Ms, p99Ms }: { p50Ms: number; p99Ms: number }) =>
    `${formatMs(p50Ms)} / ${formatMs(p99Ms)}`
  return [
    formatTable(
      [
        ...['', 'too old', 'cart after a hold', 'carts/s', 'p50 / p99', 'holds/s', 'p50 / p99'],
        ...['seats read/s', 'p50 / p99', 'holds/s', 'p50 / p99'],
      ],
      figures.map(({ setup, after, cart, seat }) => [
        ...[setup, `${after.missing} of ${after.tries}`, both(after.cart)],
        ...[cart, seat].flatMap(({ readsPerSecond, reads, holdsPerSecond, holds }) => [
          ...[rate(readsPerSecond), both(reads), rate(holdsPerSecond), both(holds)],
        ]),
      ]),
    ),
    'A cart is too old when it lacks the seat that was held before, over another connection, which another worker',
    'or node takes. Then readers ask without a pause for their carts, or for one seat, while others hold seats.',
  ].join('\n')
}
