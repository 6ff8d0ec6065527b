import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime } from '@voelgoed/kit/base/time'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { insertJournal, insertOrders } from '@voelgoed/testing/many-orders'
import { plansOf } from '@voelgoed/testing/plans'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { countAttendance, listLastScans } from '../entry/tables/entry-reports.ts'
import { listExportedOrders } from '../orders/tables/orders-export.ts'
import { countEntries, readFunnel } from './tables/funnel.ts'
import {
  countOrders,
  readFunnelSteps,
  readMoney,
  readSales,
  readSeries,
  readSold,
} from './tables/sales-reports.ts'

/**
 * Reports are found by indexes and add up, in tables that are large enough for the planner. With
 * VOELGOED_REPORT_ORDERS=100000 the same is done with that many orders in one event and ten times as many
 * entries of the journal, and what it took is printed.
 */

const asked = Number(process.env.VOELGOED_REPORT_ORDERS ?? 0)
const ORDERS = asked || 2_000
/** Orders of other events, and of another organization, for each of the event's. */
const OTHERS = asked ? 1 : 9
const LARGE = ['orders', 'order_lines', 'tickets', 'refunds', 'entries', 'funnel_counts', 'journal']
const TIME_ZONE = 'Africa/Johannesburg'
/** The event's orders begin then; one a minute. */
const FROM = new Date('2026-03-01T00:00:00Z')
const to = new Date(FROM.getTime() + ORDERS * 60_000)

let server: TestServer
let ours: TestOrganization
let eventId: EventId
/** The journal has so many rows. */
let rows: number

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  ours = await server.organization()
  const other = await server.organization('Other')
  eventId = (await eventOnSale(server, ours)).eventId as EventId
  const second = (await eventOnSale(server, ours)).eventId
  const third = (await eventOnSale(server, other)).eventId
  await sell(ours.id, eventId, ORDERS, FROM)
  await sell(ours.id, second, Math.floor((ORDERS * OTHERS) / 2), new Date('2025-01-01T00:00:00Z'))
  await sell(other.id, third, Math.ceil((ORDERS * OTHERS) / 2), new Date('2025-06-01T00:00:00Z'))
  rows = await writeJournal()
  await server.database.sql(`insert into funnel_counts (organization_id, event_id, quarter, step, detail, count)
    select '${ours.id}', '${second}', timestamptz '2025-01-01' + n * interval '15 minutes', 'held', '', 1
    from generate_series(1, 20000) n`)
  for (const table of LARGE) await server.database.sql(`analyze ${table}`)
})
afterAll(async () => {
  await server.database.sql(`delete from journal where event_id = '${eventId}'`)
  await server.close()
})

async function sell(organizationId: string, event: string, orders: number, from: Date): Promise<void> {
  const [buyer] = await server.database.sql<{ id: string }>(
    `select id from users where organization_id = $1 and role = 'customer' limit 1`,
    [organizationId],
  )
  const wanted = { organizationId, eventId: event, orders, from, buyer: `'${buyer!.id}'` }
  await insertOrders(text => server.database.sql(text), wanted)
}

async function writeJournal(): Promise<number> {
  const [ledger] = await server.database.sql<{ seq: number }>(
    'select seq::float8 as seq from event_ledgers where event_id = $1',
    [eventId],
  )
  const wanted = { organizationId: ours.id, eventId, seq: ledger!.seq, entries: ORDERS * 10, from: FROM }
  return insertJournal(text => server.database.sql(text), wanted)
}

const find = (work: (tx: TenantTx) => Promise<unknown>) => plansOf(server, ours.id, LARGE, work)
const inTenant = <T>(work: (tx: TenantTx) => Promise<T>) =>
  server.node.database.tenant(TenantScope.of(ours.id as OrganizationId), work, { isolation: 'snapshot' })

/** Prints how long a statement of a report took, when that was asked for. */
async function timed<T>(what: string, work: (tx: TenantTx) => Promise<T>): Promise<T> {
  const from = processTime.now()
  const found = await inTenant(work)
  if (asked) process.stderr.write(`${what}: ${Math.round(processTime.now() - from)} ms\n`)
  return found
}

it('the money of an event adds up, and is found by the event', async () => {
  const rows = await timed('revenue of the event', tx => readMoney(tx, { eventId }, TIME_ZONE))
  const whole = Math.floor(ORDERS / 100)
  const part = Math.floor(ORDERS / 10) - whole
  const expected = {
    orders: ORDERS,
    gross: ORDERS * 163_000,
    fees: ORDERS * 3_000,
    tax: ORDERS * 21_261,
    refunds: whole * 163_000 + part * 80_000,
  }
  expect(rows.find(row => row.what === 'total')).toMatchObject(expected)
  for (const what of ['channel', 'day', 'event'] as const) {
    const rowsOf = rows.filter(row => row.what === what)
    for (const [name, total] of Object.entries(expected)) {
      const sum = rowsOf.reduce((all, row) => all + (row[name as keyof typeof row] as number), 0)
      expect(sum).toBe(total)
    }
  }
  if (asked) return
  const plan = await find(tx => readMoney(tx, { eventId }, TIME_ZONE))
  expect(plan.indexes).toEqual(expect.arrayContaining(['orders_event', 'refunds_order']))
  expect(plan.scanned).toEqual([])
})

it('the tickets of an event are counted by zone, type and channel, and found by the event', async () => {
  const rows = await timed('tickets of the event', tx => readSold(tx, eventId))
  const returned = Math.floor(ORDERS / 10) + Math.floor(ORDERS / 100)
  for (const what of ['zone', 'category', 'ticket_type', 'channel'] as const) {
    const rowsOf = rows.filter(row => row.what === what)
    expect(rowsOf.reduce((all, row) => all + row.sold, 0)).toBe(2 * ORDERS)
    expect(rowsOf.reduce((all, row) => all + row.returned, 0)).toBe(returned)
    expect(rowsOf.reduce((all, row) => all + row.amount, 0)).toBe(2 * ORDERS * 80_000)
  }
  await timed('orders of the event', tx => countOrders(tx, eventId))
  if (asked) return
  const plan = await find(tx => readSold(tx, eventId))
  // Both begin with the event; which of them is cheaper depends on how many buyers it has.
  expect(plan.indexes.filter(name => /^tickets_(event|owner)$/.test(name))).toHaveLength(1)
  expect(plan.scanned).not.toContain('tickets')
  expect((await find(tx => countOrders(tx, eventId))).indexes).toEqual(['orders_event'])
})

it('a series has the days of the venue, and is found by the event and by time', async () => {
  const series = { from: null, to: null, timeZone: TIME_ZONE, limit: 2_000 }
  const days = await timed('tickets by day', tx => readSeries(tx, eventId, { ...series, step: 'day' }))
  // The first order was made at two in the morning, Johannesburg.
  expect(days[0]!.from.toISOString()).toBe('2026-02-28T22:00:00.000Z')
  expect(days[0]!.sold).toBe(2 * 60 * 22)
  expect(days.reduce((all, day) => all + day.sold, 0)).toBe(2 * ORDERS)
  const hour = { ...series, step: 'hour', from: FROM, to: new Date(FROM.getTime() + 3 * 3_600_000) } as const
  const hours = await timed('tickets by hour', tx => readSeries(tx, eventId, hour))
  expect(hours.map(step => step.sold)).toEqual([120, 120, 120])
  if (asked) return
  const plan = await find(tx => readSeries(tx, eventId, hour))
  expect(plan.indexes).toEqual(expect.arrayContaining(['tickets_event', 'tickets_void']))
  expect(plan.scanned).toEqual([])
})

it('a report over all events is found by its time', async () => {
  const range = { from: FROM, to }
  const rows = await timed('sales of a time', tx => readSales(tx, range, TIME_ZONE))
  expect(rows.find(row => row.what === 'total')).toMatchObject({ orders: ORDERS, sold: 2 * ORDERS })
  const money = await timed('revenue of a time', tx => readMoney(tx, range, TIME_ZONE))
  expect(money.find(row => row.what === 'total')).toMatchObject({ gross: ORDERS * 163_000 })
  await timed('funnels of a time', tx => readFunnelSteps(tx, range))
  if (asked) return
  const hour = { from: FROM, to: new Date(FROM.getTime() + 3_600_000) }
  for (const read of [readSales, readMoney]) {
    const plan = await find(tx => read(tx, hour, TIME_ZONE))
    expect(plan.indexes).toContain('orders_created')
    expect(plan.scanned).toEqual([])
  }
  expect(await find(tx => readFunnelSteps(tx, hour))).toEqual({
    indexes: ['funnel_counts_quarter'],
    scanned: [],
  })
})

it('orders to take away, and the last scans, are found by the event', async () => {
  const { rows: orders } = await timed('a file of orders', tx =>
    listExportedOrders(tx, { eventId, limit: 5_001 }),
  )
  expect(orders).toHaveLength(Math.min(ORDERS, 5_001))
  const scans = await timed('the last scans', tx => listLastScans(tx, eventId, { limit: 50 }))
  expect(scans).toHaveLength(50)
  await timed('who came', tx => countAttendance(tx, eventId, TIME_ZONE))
  if (asked) return
  const plan = await find(tx => listLastScans(tx, eventId, { after: scans.at(-1)!.id, limit: 50 }))
  expect(plan.indexes).toContain('entries_recorded')
  expect(plan.scanned).toEqual([])
  const attendance = await find(tx => countAttendance(tx, eventId, TIME_ZONE))
  expect(attendance.indexes).toContain('entries_recorded')
  expect(attendance.scanned).toEqual([])
  const file = await find(tx => listExportedOrders(tx, { eventId, limit: 51 }))
  expect(file.indexes).toContain('orders_event')
  expect(file.scanned).toEqual([])
})

it('the funnel of an event with a long journal is read from its counts', async () => {
  const scope = TenantScope.of(ours.id as OrganizationId)
  const from = processTime.now()
  // The job of the server may be at the same page: then this one is told of no cursor, and asks again.
  await waitUntil('the journal is counted', async () => {
    const { entries, cursor } = await server.node.database.tenant(scope, tx => countEntries(tx, eventId))
    return entries === 0 && cursor > 0
  })
  if (asked) process.stderr.write(`counting the journal once: ${Math.round(processTime.now() - from)} ms\n`)
  const funnel = await timed('funnel of the event', tx =>
    readFunnel(tx, eventId, { from: undefined, to: undefined }),
  )
  const count = (step: string) =>
    funnel.rows.reduce((all, row) => (row.step === step ? all + row.count : all), 0)
  expect([count('held'), count('paid'), count('expired')]).toEqual([50 * rows, 40 * rows, 10 * rows])
})
