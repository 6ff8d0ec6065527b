import type { OrganizationId, TicketId, UserId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { insertOrders } from '@voelgoed/testing/many-orders'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lockOpenCheckouts, readCheckout } from '../modules/checkout/tables/checkouts.ts'
import { RIDING_ORDERS } from '../modules/checkout/tables/riding-orders.ts'
import { lockTicket } from '../modules/entry/tables/entries.ts'
import { readOrder } from '../modules/orders/tables/orders.ts'
import { lockTickets } from '../modules/tickets/tables/tickets.ts'

/**
 * A checkout asks while Postgres has no statistics of its tables, which is when the first sale of an
 * installation begins: the rows of one order are read, and not those of all orders.
 */

const ORDERS = 2_000
const EVENTS = 300
/** An index may lead to a few versions of a row. */
const FEW = 24
const TABLES = [
  ...['orders', 'checkouts', 'payments', 'order_lines', 'tickets', 'ticket_moves', 'refunds', 'entries'],
  ...['events', 'zones', 'zone_counts', 'early_exits'],
]
let server: TestServer
let ours: TestOrganization
let eventId: string
let buyer: UserId
let orderIds: string[]
let ticketIds: TicketId[]

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  ours = await server.organization()
  eventId = (await eventOnSale(server, ours)).eventId
  for (const table of TABLES) {
    await server.database.sql(`alter table ${table} set (autovacuum_enabled = false)`)
  }
  const [user] = await server.database.sql<{ id: UserId }>(
    `select id from users where organization_id = $1 and role = 'customer' limit 1`,
    [ours.id],
  )
  buyer = user!.id
  await insertOrders(text => server.database.sql(text), {
    ...{ organizationId: ours.id, eventId, orders: ORDERS, from: new Date('2026-03-01T00:00:00Z') },
    buyer: 'gen_random_uuid()',
  })
  await server.database.sql(
    `insert into events select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
     from events e, generate_series(1, $2) where id = $1`,
    [eventId, EVENTS],
  )
  await server.database.sql(
    `insert into checkouts (organization_id, order_id, gateway, cart, accept_alternatives, locale, expires_at)
     select organization_id, id, 'simulator', '{}', false, 'en', now() from orders where organization_id = $1`,
    [ours.id],
  )
  const orders = await server.database.sql<{ id: string }>(
    'select id from orders where organization_id = $1 order by number',
    [ours.id],
  )
  orderIds = orders.map(({ id }) => id)
  // The first ticket of each order was moved to the second.
  await server.database.sql(
    `insert into ticket_moves (organization_id, order_id, from_ticket_id, to_ticket_id, moved_by)
     select organization_id, order_id, a.ticket_id, b.ticket_id, $2
     from order_lines a join order_lines b using (organization_id, order_id)
     where organization_id = $1 and a.position = 0 and b.position = 1`,
    [ours.id, buyer],
  )
  // Some are void, and have no entry.
  const moved = await server.database.sql<{ ticket_id: TicketId }>(
    `select m.to_ticket_id as ticket_id from ticket_moves m join entries a on a.ticket_id = m.from_ticket_id
     join entries b on b.ticket_id = m.to_ticket_id where m.organization_id = $1 order by 1`,
    [ours.id],
  )
  ticketIds = moved.map(({ ticket_id }) => ticket_id)
  await server.database.sql(
    `insert into early_exits (organization_id, id, event_id, ticket_id, at, device_id, scan_id, scanned_by)
     select organization_id, gen_random_uuid(), event_id, ticket_id, at, device_id, 'early', $2
     from entries where organization_id = $1`,
    [ours.id, buyer],
  )
})
afterAll(() => server.close())

/** By table. Postgres adds up what a connection reads, and forgets it now and then between transactions. */
function rowsRead(work: (tx: TenantTx) => Promise<unknown>): Promise<Map<string, number>> {
  return server.node.database.tenant(TenantScope.of(ours.id as OrganizationId), async tx => {
    const before = await readSoFar(tx)
    await work(tx)
    const after = await readSoFar(tx)
    return new Map([...after].map(([table, rows]) => [table, rows - (before.get(table) ?? 0)]))
  })
}

async function readSoFar(tx: TenantTx): Promise<Map<string, number>> {
  const read = await tx.query<{ relname: string; rows: number }>(
    `select relname, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as rows
     from pg_stat_xact_user_tables where relname = any ($2::text[]) and $1::uuid is not null`,
    [TABLES],
  )
  return new Map(read.map(({ relname, rows }) => [relname, rows]))
}

it.each([
  ['an order', async (tx: TenantTx) => expect(await readOrder(tx, orderIds[777]!)).not.toBeNull()],
  ['a checkout', async (tx: TenantTx) => expect(await readCheckout(tx, orderIds[777]!)).not.toBeNull()],
  ['the open checkouts of a buyer', (tx: TenantTx) => lockOpenCheckouts(tx, buyer, eventId)],
  [
    'a ticket at the gate',
    async (tx: TenantTx) => {
      const scan = { deviceId: 'north', scanId: 'n/1', direction: 'in' as const, until: null }
      expect((await lockTicket(tx, ticketIds[777]!, scan))?.uses).toHaveLength(2)
    },
  ],
  [
    'a ticket that a gate without a network let in',
    async (tx: TenantTx) => {
      const scan = { deviceId: 'gate', scanId: 'early', direction: 'in' as const, until: server.clock.now() }
      const found = await lockTicket(tx, ticketIds[777]!, scan)
      expect(found).toMatchObject({ repeated: { day: null, conflict: 'not_inside' } })
      expect(found!.earlyExits).toHaveLength(2)
    },
  ],
  [
    'tickets that are moved',
    async (tx: TenantTx) => expect(await lockTickets(tx, ticketIds.slice(777, 779))).toHaveLength(2),
  ],
  [
    'orders that ride with a batch',
    async (tx: TenantTx) => expect((await RIDING_ORDERS.lock(tx, orderIds.slice(777, 785))).size).toBe(8),
  ],
])('Postgres reads the rows of %s alone, without statistics', async (_, work) => {
  // A statement keeps its plan after the fifth time.
  for (let time = 0; time < 6; time += 1) {
    const read = await rowsRead(work)
    for (const table of TABLES) expect(read.get(table) ?? 0, table).toBeLessThanOrEqual(FEW)
  }
})
