import { createHolds } from '@voelgoed/contract/holds'
import { createOrder, readOrder } from '@voelgoed/contract/orders'
import { replacePrices } from '@voelgoed/contract/prices'
import type { LayoutConfig } from '@voelgoed/core/layout/model'
import { Random } from '../random.ts'
import type { Report, Scenario, ScenarioInput } from './scenario.ts'
import type { Hall } from './stage/hall.ts'
import type { Site } from './stage/site.ts'
import { type Row, spread, toFirst } from './table.ts'

/** From the hold to the paid order, with the simulator of a gateway that answers at once; and to the gate. */
export const checkout: Scenario = {
  summary: 'checkouts over HTTP, from the hold to the paid order; and tickets at two gates at once',
  options: {
    parts: {
      ...{ default: 'checkouts,scans', quick: 'checkouts,scans', words: /^(checkouts|scans)$/ },
      help: 'of checkouts, scans',
    },
    connections: { default: '50', quick: '4', help: 'buyers at once' },
    seconds: { default: '8', quick: '1', help: 'of each figure of many buyers' },
    seats: { default: '100,200000', quick: '40,80', help: 'of the event, for buyers one at a time' },
    orders: { default: '0,1000000', quick: '0,100', help: 'that the organization has had before' },
    samples: { default: '80', quick: '5', help: 'checkouts one at a time' },
    tickets: { default: '10000', quick: '20', help: 'of seats, and as many of one standing zone' },
    gates: { default: '40', quick: '4', help: 'that scan, one ticket at a time each' },
    nodes: { default: '2', quick: '1', help: 'that gates ask' },
  },
  async run(input) {
    const reports: Report[] = []
    const has = (part: string) => input.words('parts').includes(part)
    if (has('checkouts')) reports.push(await input.stage.withSite(site => measureCheckouts(site, input)))
    if (has('scans')) reports.push(await measureScans(input))
    return {
      tables: reports.flatMap(({ tables }) => tables),
      problems: reports.flatMap(({ problems = [] }) => problems),
    }
  },
}

/** So many tokens for each connection: a buyer does not come again at once. */
const GUESTS_FOR_EACH = 10
/** Seats of the hall for many buyers, where each checkout takes one. */
const MANY_SEATS = 20_000

async function measureCheckouts(site: Site, input: ScenarioInput): Promise<Report> {
  const { number, list, say, stage, seed, quick } = input
  const connections = number('connections')
  const tokens = await site.guests(connections * GUESTS_FOR_EACH)
  const many = await priceable(site, quick ? 400 : MANY_SEATS, seed)
  const buy = async (
    what: string,
    hall: PricedHall,
    most: { connections: number; seconds: number; seats: number },
  ) => {
    const eventId = await hall.openPriced()
    await site.database.checkpoint()
    const { connections, seconds } = most
    const seatIds = hall.seatIds.slice(0, most.seats)
    const order = { ports: site.ports, connections, seconds, tokens, eventId, seatIds }
    const { perSecond, paid, hold, open, pay, others } = await stage.generator().give('checkouts', order)
    const spreads = { ...spread('hold', hold), ...spread('open', open), ...spread('pay', pay) }
    const row: Row = { what, figures: { perSecond, paid, ...spreads }, others }
    return row
  }
  const all = { connections, seconds: number('seconds'), seats: Number.POSITIVE_INFINITY }
  // Not measured: code is compiled, connections are opened.
  if (!quick) await buy('warm-up', many, { ...all, seconds: 1 })
  say(`${connections} buyers at once …`)
  const { perSecond, p50Ms, p99Ms } = await stage.generator().give('closedLoop', {
    ...{ ports: site.ports, connections, seconds: number('seconds'), seed: seed + 1, keyed: true, tokens },
    eventIds: [await many.openEvent(), await many.openEvent()],
    ...{ seatIds: many.seatIds, workload: 'each' },
  })
  const holds = {
    what: `${connections} at once, who only hold`,
    figures: { perSecond, holdP50Ms: p50Ms, holdP99Ms: p99Ms },
  }
  const rows: Row[] = [holds, await buy(`${connections} at once`, many, all)]
  for (const [index, orders] of list('orders').entries()) {
    if (orders > 0) {
      say(`${orders.toLocaleString('en')} orders are written …`)
      await writeOrders(site, orders)
    }
    for (const seats of list('seats')) {
      // The last of each: the whole way from the least to the most.
      if (index > 0 && seats !== list('seats').at(-1)) continue
      const what = `one at a time, ${seats.toLocaleString('en')} seats, after ${orders.toLocaleString('en')} orders`
      say(`${what} …`)
      const hall = await priceable(site, seats, seed + seats)
      rows.push(await buy(what, hall, { connections: 1, seconds: 60, seats: number('samples') }))
    }
  }
  const notes = [
    'A checkout is a hold, its checkout and its payment, three requests with keys; the simulator captures at once.',
    'The load shares the machine.',
  ]
  return { tables: [{ quote: 'checkouts.table', rows, ratios: [toFirst(rows, 'perSecond')], notes }] }
}

interface PricedHall extends Hall {
  /** A new event with prices, on sale. */
  openPriced(): Promise<string>
}

async function priceable(site: Site, seats: number, seed: number): Promise<PricedHall> {
  const zoneId = new Random(seed).uuid()
  const hall = await site.build(config(seats, zoneId))
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

function config(seats: number, zone_id: string): LayoutConfig {
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

/** The bench sells an order for each group of so many seats. */
const SEATS_AT_ONCE = 200

/** Each ticket is shown at two gates at once, one of which lets its holder in. */
async function measureScans({ stage, number, seed, quick, say }: ScenarioInput): Promise<Report> {
  const site = await stage.openSite({ nodes: number('nodes') })
  try {
    const count = number('tickets')
    const [zoneId, pit] = [new Random(seed + 1).uuid(), new Random(seed + 2).uuid()]
    // A few more, for what is not measured: code is compiled, connections are opened.
    const warmUp = quick ? 0 : 400
    const { zones } = config(count + warmUp, zoneId)
    const standing = { zone_id: pit, name: 'Pit', zone_type: 'ga_standing' as const, capacity: count }
    const hall = await site.build({ zones: [...zones, standing] })
    const eventId = await hall.openEvent()
    say(`selling ${2 * count + warmUp} tickets …`)
    const seats = await sellSeats(site, eventId, hall.inOrder)
    const places = await sell(site, eventId, { zone_id: pit, quantity: count })
    const scan = (tickets: readonly string[]) => {
      const order = { ports: site.ports, gates: number('gates'), token: site.organizer, tickets }
      return stage.generator().give('scans', order)
    }
    if (warmUp > 0) await scan(seats.slice(count))
    await site.database.checkpoint()
    const rows: Row[] = []
    const problems: string[] = []
    for (const [what, tickets] of [
      ['seats', seats.slice(0, count)],
      ['one standing zone, counted', places],
    ] as const) {
      say(`${what} …`)
      const { perSecond, p50Ms, p99Ms, longestMs, admitted, others } = await scan(tickets)
      rows.push({ what, figures: { perSecond, p50Ms, p99Ms, longestMs, admitted }, others })
      if (admitted !== count) problems.push(`${what}: ${admitted} were let in, not ${count}`)
    }
    const notes = [
      `${count.toLocaleString('en')} tickets of each, each shown at two gates at once; ${number('gates')} gates, ${number('nodes')} nodes.`,
      'The load shares the machine with the server.',
    ]
    return { tables: [{ quote: 'scans.table', rows, ratios: [toFirst(rows, 'perSecond')], notes }], problems }
  } finally {
    await site.stop()
  }
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
