import { type Buyer, createBuyers } from '@voelgoed/testing/crowd'
import { type Hall, type HallPlan, openHall } from '@voelgoed/testing/hall'
import { expectSound } from '@voelgoed/testing/invariants'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const { server, ours, send, organize } = useServer()
let buyer: Buyer

beforeAll(async () => {
  buyer = (await createBuyers(server.database, ours.id, 1))[0]!
})
afterAll(() => expectSound(server.database))

/** Seats of the price category gold, and a pit with places that have none of their own. */
const hall = (plan: HallPlan = {}) =>
  openHall(server.request, ours.tokens.organizer, { standing: 30, prices: ['gold'], ...plan })

const tickets = (...amounts: number[]) =>
  amounts.map((amount, index) => ({ key: `t${index}`, name: `Type ${index}`, amount }))

const pricesOf = (at: Hall) => ({
  currency: 'ZAR',
  categories: [
    { key: 'gold', name: 'Gold', colour: '#7b3fa0', ticket_types: tickets(80_000, 40_000) },
    { key: 'standing', name: 'Standing', ticket_types: tickets(25_000) },
  ],
  zones: { [at.zones[1]!]: 'standing' },
  fees: [{ name: 'Booking fee', amount: 1_500, per: 'ticket' }],
  tax: { name: 'VAT', percent: 15, included: true },
  admission: { gold: { days: 'all', entries_per_day: 1, reentry: false } },
})

const adminUrl = (at: Hall) => `/api/admin/events/${at.eventId}/prices`
const put = (at: Hall, body: unknown, ifMatch?: string) =>
  organize('PUT', adminUrl(at), body, ifMatch === undefined ? {} : { 'if-match': ifMatch })
const cart = async (at: Hall, token = buyer.token) => (await send('GET', `${at.url}/cart`, token)).body.data
const reads = async () => {
  const text = (await server.request('GET', '/metrics')).text
  const of = (from: string) =>
    Number(new RegExp(`voelgoed_price_list_reads_total\\{from="${from}"\\} (\\d+)`).exec(text)![1])
  return { memory: of('memory'), postgres: of('postgres') }
}

async function pricedHall(plan: HallPlan = {}): Promise<Hall> {
  const at = await hall(plan)
  const answer = await put(at, pricesOf(at), '"0"')
  expect(answer.status, answer.text).toBe(200)
  return at
}

describe('a price list', () => {
  it('comes back as it is kept, to staff with admission, revision and warnings, to buyers without', async () => {
    const at = await pricedHall()
    const kept = {
      ...pricesOf(at),
      categories: pricesOf(at).categories.map(category => ({ colour: null, ...category })),
    }
    const read = await organize('GET', adminUrl(at))
    const gateway = 'simulator'
    expect(read.body.data).toEqual({ ...kept, gateway, revision: 1, warnings: [] })
    expect(read.headers.etag).toBe('"1"')
    const { admission: _, ...shown } = kept
    expect((await send('GET', `${at.url}/prices`, buyer.token)).body.data).toEqual({ ...shown, gateway })
    const event = { currency: 'ZAR', price_from: 25_000, all_in_from: 26_500 }
    expect((await send('GET', at.url, buyer.token)).body.data).toMatchObject(event)
    const events: { id: string }[] = (await send('GET', '/api/events?limit=100', buyer.token)).body.data
    expect(events.find(({ id }) => id === at.eventId)).toMatchObject(event)
  })

  it('is nothing at first, which is no error: the event has no currency', async () => {
    const at = await hall()
    const none = { currency: null, categories: [], zones: {}, fees: [], tax: null, gateway: 'simulator' }
    expect((await send('GET', `${at.url}/prices`, buyer.token)).body.data).toEqual(none)
    expect((await organize('GET', adminUrl(at))).body.data).toMatchObject({
      ...none,
      revision: 0,
      warnings: [{ code: 'not_priced' }],
    })
    expect((await send('GET', at.url, buyer.token)).body.data).toMatchObject({
      currency: null,
      price_from: null,
      all_in_from: null,
    })
  })

  it('is refused with every fault at once, and nothing of it is saved', async () => {
    const at = await hall()
    const list = {
      ...pricesOf(at),
      currency: 'ZZZ',
      zones: { '0197a000-0000-7000-8000-000000000003': 'silver' },
    }
    const answer = await put(at, list, '"0"')
    expect(answer).toMatchObject({ status: 422, body: { code: 'prices_invalid' } })
    expect(answer.body.errors.map(({ path, code }: Record<string, string>) => `${path} ${code}`)).toEqual([
      '/currency currency_unknown',
      '/zones/0197a000-0000-7000-8000-000000000003 unknown_zone',
      '/zones/0197a000-0000-7000-8000-000000000003 unknown_category',
      '/categories/1/key category_not_used',
    ])
    expect((await organize('GET', adminUrl(at))).body.data.revision).toBe(0)
  })

  it('is replaced by the one who has read the last one, once the event is on sale', async () => {
    const at = await pricedHall()
    expect(await put(at, pricesOf(at))).toMatchObject({
      status: 428,
      body: { code: 'precondition_required', revision: 1 },
    })
    expect(await put(at, pricesOf(at), '"0"')).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed', revision: 1 },
    })
    const both = await Promise.all([put(at, pricesOf(at), '"1"'), put(at, pricesOf(at), '"1"')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
    expect((await put(at, pricesOf(at), '*')).body.data.revision).toBe(3)
  })

  it('of a draft needs no If-Match, and two at once are one after the other', async () => {
    const at = await hall({ isDraft: true })
    expect((await put(at, pricesOf(at))).body.data.revision).toBe(1)
    const both = await Promise.all([put(at, pricesOf(at), '"1"'), put(at, pricesOf(at), '"1"')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
    expect((await send('GET', `${at.url}/prices`, buyer.token)).status).toBe(404)
    expect((await organize('GET', `${at.url}/prices`)).body.data.currency).toBe('ZAR')
    expect((await organize('GET', `${at.url}/cart`)).body.data).toMatchObject({ total: 0, currency: 'ZAR' })
  })

  it('without categories takes the prices away again', async () => {
    const at = await pricedHall()
    await put(at, { currency: 'ZAR', categories: [] }, '"1"')
    expect((await send('GET', at.url, buyer.token)).body.data).toMatchObject({
      currency: null,
      price_from: null,
      all_in_from: null,
    })
    expect((await send('GET', `${at.url}/prices`, buyer.token)).body.data.currency).toBe(null)
    expect(await cart(at)).toMatchObject({ total: null, currency: null })
  })

  it('can not change once the event is over', async () => {
    const at = await pricedHall()
    await organize('POST', `/api/admin/events/${at.eventId}/cancel`)
    expect((await put(at, pricesOf(at), '"1"')).body.code).toBe('invalid_transition')
  })

  it('is in the audit and in the metrics, with the amounts that changed', async () => {
    const at = await pricedHall()
    const dearer = { ...pricesOf(at), fees: [{ name: 'Booking fee', amount: 2_000, per: 'ticket' }] }
    await put(at, dearer, '"1"')
    const { data } = (await organize('GET', `/api/admin/audit?entity_id=${at.eventId}`)).body
    const entries = data.filter(({ action }: { action: string }) => action === 'event_prices_replaced')
    expect(entries).toHaveLength(2)
    const entry = entries.find((one: { changes: object }) => JSON.stringify(one.changes).includes('2000'))
    expect(entry.changes).toMatchObject({
      prices: { before: { revision: 1 }, after: { revision: 2, currency: 'ZAR', priceFrom: 25_000 } },
      amounts: [{ what: 'Booking fee, per ticket', before: 1_500, after: 2_000 }],
    })
    const { text } = await server.request('GET', '/metrics')
    expect(text).toMatch(/voelgoed_price_list_changes_total [1-9]/)
  })

  it('warns of what is on sale without a price', async () => {
    const at = await hall()
    const { zones: _, ...list } = pricesOf(at)
    const onlyGold = { ...list, categories: [list.categories[0]] }
    expect((await put(at, onlyGold, '"0"')).body.data.warnings).toMatchObject([
      { path: `/zones/${at.zones[1]}`, code: 'zone_not_priced' },
    ])
  })
})

describe('a cart', () => {
  it('has lines, fees, the tax in them, and a total', async () => {
    const at = await pricedHall()
    await send('POST', `${at.url}/holds`, buyer.token, { seat_ids: [at.seats[0], at.seats[1]] })
    await send('POST', `${at.url}/holds`, buyer.token, { zone_id: at.zones[1], quantity: 3 })
    const { lines, fees, tax, total, currency, not_priced, holds } = await cart(at)
    const seat = { zone_id: at.zones[0], category: 'gold', ticket_type: 't0', quantity: 1 }
    const holdOf = (index: number) =>
      holds.find((hold: { seat_id?: string }) => hold.seat_id === at.seats[index])
    expect(lines).toHaveLength(3)
    expect(lines).toContainEqual({
      ...seat,
      hold_id: holdOf(0).hold_id,
      seat_id: at.seats[0],
      label: 'Stalls R1 1',
      unit_amount: 80_000,
      amount: 80_000,
    })
    expect(lines.find((line: { label: string }) => line.label === 'Pit')).toMatchObject({
      category: 'standing',
      quantity: 3,
      unit_amount: 25_000,
      amount: 75_000,
    })
    expect(fees).toEqual([{ name: 'Booking fee', amount: 7_500 }])
    expect(total).toBe(2 * 80_000 + 75_000 + 7_500)
    expect(tax).toEqual({ name: 'VAT', percent: 15, included: true, amount: 31_630 })
    expect({ currency, not_priced }).toEqual({ currency: 'ZAR', not_priced: [] })
  })

  it('of an event with prices costs nothing while it is empty', async () => {
    const at = await pricedHall()
    expect(await cart(at)).toMatchObject({ holds: [], lines: [], fees: [], total: 0, currency: 'ZAR' })
  })

  it('has no total without prices, or while a place has none', async () => {
    const at = await hall()
    await send('POST', `${at.url}/holds`, buyer.token, { seat_ids: [at.seats[0]] })
    const held = await send('POST', `${at.url}/holds`, buyer.token, { zone_id: at.zones[1], quantity: 1 })
    const { holds, ...unpriced } = await cart(at)
    expect(unpriced).toMatchObject({ lines: [], fees: [], tax: null, total: null, currency: null })
    expect(unpriced.not_priced.sort()).toEqual(holds.map((hold: { hold_id: string }) => hold.hold_id).sort())
    const { zones: _, ...list } = pricesOf(at)
    await put(at, { ...list, categories: [list.categories[0]] }, '"0"')
    expect(await cart(at)).toMatchObject({
      lines: [],
      total: null,
      currency: 'ZAR',
      not_priced: [held.body.data.holds[0].hold_id],
    })
  })

  it('has the category of the overlay where the list says nothing of a zone', async () => {
    const at = await hall()
    const rules = { pricing_zones: { [at.zones[1]!]: { pricing_rule_id: 'gold' } } }
    const overlay = await organize(
      'PUT',
      `/api/admin/events/${at.eventId}/layout`,
      { overrides: rules },
      {
        'if-match': '*',
      },
    )
    expect(overlay.status, overlay.text).toBe(200)
    const { zones: _, ...list } = pricesOf(at)
    const onlyGold = { ...list, categories: [list.categories[0]], fees: [], tax: null }
    expect((await put(at, onlyGold, '"0"')).body.data.warnings).toEqual([])
    await send('POST', `${at.url}/holds`, buyer.token, { zone_id: at.zones[1], quantity: 2 })
    expect(await cart(at)).toMatchObject({ total: 160_000 })
    await put(at, { ...pricesOf(at), fees: [], tax: null }, '"1"')
    expect(await cart(at)).toMatchObject({ total: 50_000 })
  })

  it('is priced from memory: Postgres is asked again only after the event has changed', async () => {
    const at = await pricedHall()
    await cart(at)
    const before = await reads()
    for (let ask = 0; ask < 5; ask += 1) await cart(at)
    expect(await reads()).toEqual({ ...before, memory: before.memory + 5 })
    await put(at, { ...pricesOf(at), currency: 'EUR' }, '"1"')
    expect((await cart(at)).currency).toBe('EUR')
    await cart(at)
    expect(await reads()).toEqual({ memory: before.memory + 6, postgres: before.postgres + 1 })
  })

  it('has the new prices on every node', async () => {
    const at = await pricedHall()
    const other = await startListeningNode(server.database.url)
    try {
      const currency = async () => {
        const answer = await fetch(`${other.url}${at.url}/cart`, {
          headers: { authorization: `Bearer ${buyer.token}` },
        })
        return ((await answer.json()) as { data: { currency: string } }).data.currency
      }
      expect(await currency()).toBe('ZAR')
      await put(at, { ...pricesOf(at), currency: 'EUR' }, '"1"')
      await waitUntil('the other node has heard', async () => (await currency()) === 'EUR')
    } finally {
      await other.close()
    }
  })
})

it('prices of one organization are not those of another, in the table either', async () => {
  const at = await pricedHall()
  const theirs = await server.organization('Theirs')
  expect((await send('GET', adminUrl(at), theirs.tokens.admin)).status).toBe(404)
  expect((await send('GET', `${at.url}/prices`, theirs.tokens.admin)).status).toBe(404)
})
