import type { OrganizationId } from '@voelgoed/core/ids'
import { searchTermsOf } from '@voelgoed/core/orders/order-words'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime } from '@voelgoed/kit/base/time'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { eventOnSale } from '@voelgoed/testing/harness'
import { insertOrders } from '@voelgoed/testing/many-orders'
import { plansOf } from '@voelgoed/testing/plans'
import { useServer } from '@voelgoed/testing/use-server'
import { beforeAll, expect, it } from 'vitest'
import { findByWords } from './tables/order-words.ts'

/**
 * A search is read by indexes, in tables that are large enough for the planner, whichever of its words is
 * rare. With VOELGOED_SEARCH_ORDERS=1000000 the same is done with that many orders, and what it took is
 * printed.
 */

const asked = Number(process.env.VOELGOED_SEARCH_ORDERS ?? 0)
const ORDERS = asked || 15_000
const LARGE = ['orders', 'order_words']

const { server, ours } = useServer({ VOELGOED_REAPER: 'off' })

beforeAll(async () => {
  const { eventId } = await eventOnSale(server, ours)
  const [buyer] = await server.database.sql<{ id: string }>(
    `select id from users where organization_id = $1 and role = 'customer' limit 1`,
    [ours.id],
  )
  await insertOrders(text => server.database.sql(text), {
    ...{ organizationId: ours.id, eventId, orders: ORDERS, from: new Date('2026-03-01T00:00:00Z') },
    buyer: `'${buyer!.id}'`,
  })
  // Each has a number of its own and one of its thousand, a surname of 20 that a third has, and the hall.
  await server.database.sql(
    `insert into order_words (organization_id, order_id, word)
     select o.organization_id, o.id, w.word
     from (select organization_id, id, substr(contact_name, 7)::int as n from orders
         where organization_id = '${ours.id}' and contact_name like 'Buyer %') o
       cross join lateral (values ('n' || o.n), ('k' || o.n / 1000), ('r' || o.n % 40 || '-' || o.n % 30), ('stalls'),
         (case when o.n % 3 = 0 then 'botha' else 'dlamini' end)) w (word)`,
  )
  for (const table of LARGE) await server.database.sql(`analyze ${table}`)
})

const search = (query: string, more: object = {}) => {
  const terms = searchTermsOf(query)
  return (tx: TenantTx) => findByWords(tx, terms, { limit: 51, ...more })
}
async function ask(query: string, more: object = {}) {
  const from = processTime.now()
  const scope = TenantScope.of(ours.id as OrganizationId)
  const found = await server.node.database.tenant(scope, search(query, more))
  if (asked) process.stderr.write(`${query}: ${Math.round(processTime.now() - from)} ms\n`)
  return found
}

it('one that is rare, in all orders', async () => {
  expect((await ask('n7777')).ids).toHaveLength(1)
  expect((await ask('botha stalls n7776')).ids).toHaveLength(1)
  expect(await ask('dlamini stalls n7776')).toEqual({ ids: [], lookedTo: null })
  expect(await ask('nothing')).toEqual({ ids: [], lookedTo: null })
  const found = await ask('k7 r3-13 dlamini')
  expect(found.ids.length).toBeGreaterThan(0)
})

it('one that is in many orders, in the newest, and so on from there', async () => {
  const first = await ask('botha stalls')
  expect(first.ids).toHaveLength(51)
  expect([...first.ids].sort().reverse()).toEqual(first.ids)
  const next = await ask('botha stalls', { after: first.ids.at(-1) })
  expect(next.ids.every(id => id < first.ids.at(-1)!)).toBe(true)
  // Both words are in many orders, and never together: each page says how far it has looked.
  const none = await ask('botha dlamini')
  expect(none.ids).toEqual([])
  expect(none.lookedTo).not.toBeNull()
  if (asked) return
  const rest = await ask('botha dlamini', { after: none.lookedTo })
  expect(rest).toEqual({ ids: [], lookedTo: null })
})

it.skipIf(asked > 0).each(['n7777', 'k7 botha', 'botha stalls', 'r3-13 botha'])(
  '"%s" by indexes',
  async query => {
    const plan = await plansOf(server, ours.id, LARGE, search(query))
    expect(plan.indexes).toContain('order_words_word')
    expect(plan.indexes).toContain('order_words_pkey')
    expect(plan.scanned).toEqual([])
  },
)
