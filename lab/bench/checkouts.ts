import { replacePrices } from '@voelgoed/core/contract/prices'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import { formatMs, formatTable } from '../format.ts'
import { Random } from '../random.ts'
import type { CheckoutFigures } from './load/checkouts.ts'
import type { Percentiles } from './load/percentiles.ts'
import { asBlock } from './quotes.ts'
import type { Hall, Site } from './stage/site.ts'
import type { Verb, VerbInput } from './verb.ts'

/** From the hold to the paid order over HTTP, with the simulator of a gateway that answers at once. */
export const checkouts: Verb = {
  summary:
    'checkouts over HTTP, from the hold to the paid order: a second beside holds, and by seats and orders',
  options: {
    connections: { default: '50', quick: '4', help: 'buyers at once' },
    seconds: { default: '8', quick: '1', help: 'of each figure of many buyers' },
    seats: { default: '100,200000', quick: '40,80', help: 'of the event, for buyers one at a time' },
    orders: { default: '0,1000000', quick: '0,100', help: 'that the organization has had before' },
    samples: { default: '80', quick: '5', help: 'checkouts one at a time' },
  },
  run: input => input.stage.withSite(site => measure(site, input)),
}

interface Row extends CheckoutFigures {
  readonly what: string
  readonly seats: number
  readonly orders: number
}

/** So many tokens for each connection: a buyer does not come again at once. */
const GUESTS_FOR_EACH = 10
/** Seats of the hall for many buyers, where each checkout takes one. */
const MANY_SEATS = 20_000

async function measure(site: Site, input: VerbInput) {
  const { number, list, say, stage, seed, quick } = input
  const connections = number('connections')
  const tokens = await site.guests(connections * GUESTS_FOR_EACH)
  const rows: Row[] = []
  const many = await priceable(site, quick ? 400 : MANY_SEATS, seed)
  const buyAt = async (hall: PricedHall, most: { connections: number; seconds: number; seats: number }) => {
    const eventId = await hall.openPriced()
    await site.database.checkpoint()
    const { connections: atOnce, seconds } = most
    const seatIds = hall.seatIds.slice(0, most.seats)
    return stage
      .generator()
      .give('checkouts', { ports: site.ports, connections: atOnce, seconds, tokens, eventId, seatIds })
  }
  const all = { connections, seconds: number('seconds'), seats: Number.POSITIVE_INFINITY }
  // Not measured: code is compiled, connections are opened.
  if (!quick) await buyAt(many, { ...all, seconds: 1 })
  say(`${connections} buyers at once …`)
  const holds = await stage.generator().give('closedLoop', {
    ports: site.ports,
    connections,
    seconds: number('seconds'),
    seed: seed + 1,
    keyed: true,
    tokens,
    eventIds: [await many.openEvent(), await many.openEvent()],
    seatIds: many.seatIds,
    workload: 'each',
  })
  rows.push({ what: 'together', seats: many.seatIds.length, orders: 0, ...(await buyAt(many, all)) })
  for (const [index, orders] of list('orders').entries()) {
    if (orders > 0) {
      say(`${orders.toLocaleString('en')} orders are written …`)
      await writeOrders(site, orders)
    }
    for (const seats of list('seats')) {
      // The last of each: the whole way from the least to the most.
      if (index > 0 && seats !== list('seats').at(-1)) continue
      say(`one at a time, ${seats.toLocaleString('en')} seats …`)
      const hall = await priceable(site, seats, seed + seats)
      const samples = { connections: 1, seconds: 60, seats: number('samples') }
      rows.push({ what: 'one at a time', seats, orders, ...(await buyAt(hall, samples)) })
    }
  }
  const table = print(rows, holds.perSecond, input)
  return {
    table,
    figures: { holdsPerSecond: holds.perSecond, rows },
    problems: rows.flatMap(({ what, others }) =>
      Object.entries(others).map(([answer, count]) => `${what}: ${count} × ${answer}`),
    ),
    quotes: {
      'checkouts.table': asBlock(table),
      'checkouts.perSecond': `${Math.round(rows[0]!.perSecond).toLocaleString('en')}/s`,
      'checkouts.toHolds': `${((100 * rows[0]!.perSecond) / holds.perSecond).toFixed(0)} %`,
      'checkouts.pay': `${formatMs(rows[0]!.pay.p50Ms)} / ${formatMs(rows[0]!.pay.p99Ms)}`,
    },
  }
}

interface PricedHall extends Hall {
  /** A new event with prices, on sale. */
  openPriced(): Promise<string>
}

async function priceable(site: Site, seats: number, seed: number): Promise<PricedHall> {
  const zoneId = new Random(seed).uuid()
  const hall = await site.build(rowsOf(seats, zoneId))
  return {
    ...hall,
    async openPriced() {
      const event = await hall.openEvent()
      await site.caller.get(replacePrices, {
        token: site.organizer,
        params: { event },
        headers: { 'if-match': '"0"' },
        body: {
          currency: 'ZAR',
          categories: [
            {
              key: 'seat',
              name: 'Seat',
              ticket_types: [{ key: 'adult', name: 'Adult', amount: 80_000 }],
            },
          ],
          zones: { [zoneId]: 'seat' },
          fees: [{ name: 'Booking fee', amount: 1_500, per: 'ticket' }],
          tax: { name: 'VAT', percent: 15, included: true },
        },
      })
      return event
    },
  }
}

function rowsOf(seats: number, zone_id: string): LayoutConfig {
  const perRow = 50
  return {
    zones: [
      {
        zone_id,
        name: 'Hall',
        zone_type: 'reserved_seating',
        seats: Array.from({ length: seats }, (_, index) => ({
          row: `R${Math.floor(index / perRow) + 1}`,
          number: (index % perRow) + 1,
          coordinates: { x: index % perRow, y: Math.floor(index / perRow) },
        })),
      },
    ],
  }
}

/**
 * Copies of an order that was really paid, with its line, its ticket, its payment and what the simulator
 * knows of it. Triggers are off: the copies have no holds behind them, and npm run verify would say so.
 */
async function writeOrders({ database }: Site, orders: number): Promise<void> {
  await database.run(`
    set session_replication_role = replica;
    create temporary table one as select o.* from orders o where o.status = 'paid' order by o.id limit 1;
    create temporary table copies as
      select n, gen_random_uuid() as order_id, gen_random_uuid() as ticket_id from generate_series(1, ${orders}) n;
    insert into orders (organization_id, id, event_id, number, user_id, status, currency, total, hold_ids,
        contact_name, contact_email, contact_email_key, secret_hash, created_at)
      select organization_id, order_id, event_id, 'X' || lpad(n::text, 10, '0'), user_id, status, currency, total, hold_ids, contact_name,
             'b' || n || '@example.org', 'b' || n || '@example.org', secret_hash, created_at from one, copies;
    insert into tickets (organization_id, id, event_id, hold_id, user_id, zone_index, checkout_id, created_at)
      select organization_id, ticket_id, event_id, gen_random_uuid(), user_id, 0, order_id, created_at from one, copies;
    insert into order_lines (organization_id, order_id, ticket_id, position, amount, ticket_type)
      select organization_id, order_id, ticket_id, 0, 80000, 'adult' from one, copies;
    insert into payments (organization_id, id, order_id, method, status, amount, gateway, intent_id, sent_at)
      select one.organization_id, gen_random_uuid(), copies.order_id, p.method, p.status, p.amount, p.gateway,
             'copy-' || n, p.sent_at from one join payments p on p.order_id = one.id, copies;
    insert into checkouts (organization_id, order_id, gateway, cart, accept_alternatives, expires_at)
      select one.organization_id, copies.order_id, c.gateway, c.cart, c.accept_alternatives, c.expires_at
        from one join checkouts c on c.order_id = one.id, copies;
    insert into simulated_intents (organization_id, id, order_key, amount, currency, status, return_url, metadata, created_at, captured_at)
      select one.organization_id, gen_random_uuid(), copies.order_id::text, i.amount, i.currency, i.status, i.return_url, i.metadata,
             i.created_at, i.captured_at
        from one join (select * from simulated_intents where status = 'captured' limit 1) i on true, copies;
    analyze orders, order_lines, tickets, payments, checkouts, simulated_intents;
  `)
}

function print(rows: readonly Row[], holdsPerSecond: number, { number }: VerbInput): string {
  const both = ({ p50Ms, p99Ms }: Percentiles) => `${formatMs(p50Ms)} · ${formatMs(p99Ms)}`
  return [
    formatTable(
      ['', 'seats', 'orders before', 'checkouts/s', 'hold p50 · p99', 'open p50 · p99', 'pay p50 · p99'],
      rows.map(row => [
        row.what,
        row.seats.toLocaleString('en'),
        row.orders.toLocaleString('en'),
        Math.round(row.perSecond).toLocaleString('en'),
        both(row.hold),
        both(row.open),
        both(row.pay),
      ]),
    ),
    '',
    `Together: ${number('connections')} buyers at once, beside ${Math.round(holdsPerSecond).toLocaleString('en')} holds a second by as many. A checkout is a hold, its`,
    'checkout and its payment, three requests with keys; the simulator captures at once. The load shares the machine.',
  ].join('\n')
}
