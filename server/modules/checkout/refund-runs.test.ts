import { TenantScope } from '@voelgoed/kit/base/tenant'
import { type Hall, openHall, UNLIMITED } from '@voelgoed/testing/hall'
import { expectSound } from '@voelgoed/testing/invariants'
import { startListeningNode } from '@voelgoed/testing/second-node'
import { useServer } from '@voelgoed/testing/use-server'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'

// With the reaper off the job runs when a test says so.
const { server, ours, send, organize } = useServer({
  VOELGOED_REAPER: 'off',
  VOELGOED_REFUNDS_PER_SECOND: '2',
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => expectSound(server.database))

const CARD = { card: { number: '4242 4242 4242 4242', expiry: '12/40', cvc: '737' } }
const PRICE = 10_000
const FEE = 500

async function pricedHall(): Promise<Hall> {
  const at = await openHall(server.request, ours.tokens.organizer, {
    prices: ['gold'],
    event: { seating_overrides: { ...UNLIMITED, orphan_avoidance_strict: false } },
  })
  const put = await organize(
    'PUT',
    `/api/admin/events/${at.eventId}/prices`,
    {
      currency: 'ZAR',
      categories: [
        { key: 'gold', name: 'Gold', ticket_types: [{ key: 'adult', name: 'Adult', amount: PRICE }] },
      ],
      fees: [{ name: 'Fee', amount: FEE, per: 'ticket' }],
    },
    { 'if-match': '"0"' },
  )
  expect(put.status, put.text).toBe(200)
  return at
}

async function hold(at: Hall, token: string, seat: number): Promise<string> {
  const held = await send('POST', `${at.url}/seats/${at.seats[seat]}/reserve`, token)
  expect(held.status, held.text).toBe(201)
  return held.body.data.hold_id
}

/** A buyer who paid for seats by card. */
async function buy(at: Hall, ...seats: number[]): Promise<string> {
  const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  const { token } = guest.body.data
  for (const seat of seats) await hold(at, token, seat)
  const contact = { name: 'Ben', email: `ben${seats[0]}@example.org` }
  const opened = await send('POST', '/api/checkouts', token, { event_id: at.eventId, contact })
  const id = opened.body.data.checkout_id
  const paid = await send('POST', `/api/checkouts/${id}/pay`, token, CARD)
  expect(paid.body.data.status, paid.text).toBe('paid')
  return id
}

async function sell(at: Hall, seat: number, method: string): Promise<string> {
  const hold_ids = [await hold(at, ours.tokens.organizer, seat)]
  const sold = await organize('POST', '/api/admin/orders', { event_id: at.eventId, hold_ids, method })
  expect(sold.status, sold.text).toBe(201)
  return sold.body.data.order_id
}

const urlOf = (at: Hall, rest = '') => `/api/admin/events/${at.eventId}/refunds${rest}`
const state = async (at: Hall) => (await organize('GET', urlOf(at))).body.data
const order = async (id: string) => (await organize('GET', `/api/admin/orders/${id}`)).body.data
const listed = async (at: Hall, which: string) =>
  (await organize('GET', urlOf(at, `/orders?state=${which}`))).body.data
const cancel = async (at: Hall) => {
  const done = await organize('POST', `/api/admin/events/${at.eventId}/cancel`)
  expect(done.status, done.text).toBe(200)
}
/** All that the job and the gateway have to do. */
async function goOn(): Promise<void> {
  while ((await server.node.refundRuns.bite(100)) > 0);
  await server.node.refundRuns.bite(100)
  await server.node.paymentWork.runNow()
}
const refundedAt = async (ids: string[]) => {
  const rows = await server.database.sql<{ order_key: string; refunded: number; refunds: number }>(
    `select i.order_key, i.refunded::int as refunded, (select count(*)::int from simulated_refunds r where r.intent_id = i.id)
       as refunds from simulated_intents i where i.order_key = any ($1::text[])`,
    [ids],
  )
  return ids.map(id => rows.find(row => row.order_key === id)).map(row => [row?.refunded, row?.refunds])
}

describe('the refunds of a cancelled event', () => {
  it('begin with the cancellation, void all tickets, give the money back once, and tell the buyers', async () => {
    const at = await pricedHall()
    const online = [await buy(at, 0), await buy(at, 1)]
    const partly = await buy(at, 2, 6)
    const [{ ticket_id }] = (await order(partly)).tickets
    await organize('POST', `/api/admin/orders/${partly}/refund`, { ticket_ids: [ticket_id], reason: 'ill' })
    await server.node.paymentWork.runNow()
    const cash = await sell(at, 3, 'cash')
    const external = await sell(at, 4, 'external')
    const free = await sell(at, 5, 'complimentary')
    expect(await state(at)).toMatchObject({ status: 'none', orders: { total: 0 } })
    await cancel(at)
    expect(await state(at)).toMatchObject({
      status: 'running',
      orders: { total: 6, waiting: 6, refunded: 0 },
      amounts: [{ currency: 'ZAR', total: 3 * (PRICE + FEE) + FEE + PRICE }],
    })
    const archive = () => organize('POST', `/api/admin/events/${at.eventId}/archive`)
    expect((await archive()).body).toMatchObject({ status: 409, code: 'invalid_transition' })
    await goOn()
    const whole = PRICE + FEE
    expect(await refundedAt([...online, partly])).toEqual([
      [whole, 1],
      [whole, 1],
      [2 * whole, 2],
    ])
    expect(await state(at)).toMatchObject({
      status: 'done',
      orders: { total: 6, waiting: 0, refunded: 4, by_hand: 2, on_the_way: 0, refused: 0, failed: 0 },
      amounts: [{ currency: 'ZAR', refunded: 3 * whole + FEE, by_hand: PRICE }],
    })
    for (const id of [...online, partly, cash, external, free]) {
      const { status, tickets } = await order(id)
      expect([id, status, tickets.at(-1).status]).toEqual([id, 'refunded', 'void'])
    }
    const mails = await server.database.sql(
      `select distinct kind, data->>'cause' as cause from mails where order_id = any ($1::uuid[]) and kind <> 'order_paid'`,
      [online],
    )
    expect(mails).toEqual([{ kind: 'order_refunded', cause: 'event_cancelled' }])
    expect((await listed(at, 'by_hand')).map((row: { order_id: string }) => row.order_id).sort()).toEqual(
      [cash, external].sort(),
    )
    const [entry] = (await send('GET', `/api/admin/audit?entity_id=${online[0]}`, ours.tokens.admin)).body
      .data
    expect(entry).toMatchObject({ action: 'order_refunded', actor: 'system' })
    expect(entry.user_id).toBe((await state(at)).started_by)

    const given = () => organize('POST', `/api/admin/orders/${cash}/refund/given-back`)
    expect((await order(cash)).payments).toMatchObject([{ status: 'refunding', refunded_amount: 0 }])
    expect((await given()).body.data.payments).toMatchObject([{ status: 'refunded', refunded_amount: PRICE }])
    expect((await given()).body).toMatchObject({ status: 409, code: 'invalid_transition' })
    expect((await state(at)).orders).toMatchObject({ by_hand: 1, refunded: 5 })
    expect((await archive()).status).toBe(200)
  })

  it('stop in the middle and go on where they were, at the pace of the installation', async () => {
    const at = await pricedHall()
    const ids = []
    for (let seat = 0; seat < 5; seat += 1) ids.push(await buy(at, seat))
    await cancel(at)
    const nextBite = async () => {
      await server.database.sql(`update job_runs set started_at = now() - interval '5 seconds'`)
      await server.node.refundRuns.runNow()
    }
    await nextBite()
    expect((await state(at)).orders).toMatchObject({ waiting: 3 })
    // The second is not over: no node goes on.
    await server.database.sql(`update job_runs set started_at = now() + interval '1 minute'`)
    await server.node.refundRuns.runNow()
    expect((await state(at)).orders).toMatchObject({ waiting: 3 })
    expect((await organize('POST', urlOf(at, '/stop'))).body.data.status).toBe('stopped')
    await nextBite()
    expect(await server.node.refundRuns.bite(10)).toBe(0)
    await server.node.paymentWork.runNow()
    expect(await state(at)).toMatchObject({ status: 'stopped', orders: { waiting: 3, refunded: 2 } })
    expect((await organize('POST', urlOf(at, '/stop'))).body.data.status).toBe('stopped')
    expect((await organize('POST', urlOf(at, '/resume'))).body.data.status).toBe('running')
    await goOn()
    expect(await state(at)).toMatchObject({ status: 'done', orders: { waiting: 0, refunded: 5 } })
    expect(await refundedAt(ids)).toEqual(ids.map(() => [PRICE + FEE, 1]))
    expect((await organize('POST', `/api/admin/events/${at.eventId}/refunds/resume`)).status).toBe(200)
    const other = await pricedHall()
    const refused = await organize('POST', urlOf(other, '/resume'))
    expect(refused.body).toMatchObject({ status: 409, code: 'invalid_transition' })
  })

  it('that was stopped while a node takes an order up is not refunded by it', async () => {
    const at = await pricedHall()
    const id = await buy(at, 0)
    await cancel(at)
    const lane = server.node.lanes.lane(TenantScope.of(ours.id as never), at.eventId as never)
    const exclusive = lane.exclusive.bind(lane)
    vi.spyOn(lane, 'exclusive').mockImplementationOnce(async work => {
      await organize('POST', urlOf(at, '/stop'))
      return exclusive(work)
    })
    expect(await server.node.refundRuns.bite(10)).toBe(0)
    expect((await order(id)).status).toBe('paid')
    await organize('POST', urlOf(at, '/resume'))
    await goOn()
  })

  it('go back once each when two nodes go on at once, and when a node dies with an answer on its way', async () => {
    const at = await pricedHall()
    const ids = []
    for (let seat = 0; seat < 6; seat += 1) ids.push(await buy(at, seat))
    await cancel(at)
    const other = await startListeningNode(server.database.url, { VOELGOED_REAPER: 'off' })
    try {
      const { gateway } = server.node.payments
      const refund = gateway.refund.bind(gateway)
      // It takes effect, and the node that asked is gone.
      const dying = vi.spyOn(gateway, 'refund').mockImplementationOnce(async (payee, asked) => {
        await refund(payee, asked)
        throw new Error('the node dies here')
      })
      const lanes = [server.node, other.node].map(node => node.refundRuns)
      await server.database.sql(`update refund_runs set visited_at = now()`)
      await Promise.all(
        [...lanes, ...lanes].map(async runs => {
          for (let n = 0; n < 4; n += 1) await runs.bite(3)
        }),
      )
      await Promise.all([server.node.paymentWork.runNow(), other.node.paymentWork.runNow()])
      await server.database.sql(
        `update refunds set look_at = now() where status <> 'done' and key is not null`,
      )
      await Promise.all([server.node.paymentWork.runNow(), other.node.paymentWork.runNow()])
      // The other node may have asked for all of them: then no node dies at what is left.
      dying.mockRestore()
    } finally {
      await other.close()
    }
    await goOn()
    expect(await refundedAt(ids)).toEqual(ids.map(() => [PRICE + FEE, 1]))
    expect(await state(at)).toMatchObject({ status: 'done', orders: { total: 6, refunded: 6 } })
    const rows = await server.database.sql('select key from refunds where order_id = any ($1::uuid[])', [ids])
    expect(rows.map(row => row.key).sort()).toEqual(ids.map(id => `event_cancelled:${id}`).sort())
  })

  it('that the gateway refuses are listed with its reason, and are tried again when staff resume', async () => {
    const at = await pricedHall()
    const id = await buy(at, 0)
    const other = await buy(at, 1)
    await cancel(at)
    vi.spyOn(server.node.payments.gateway, 'refund').mockResolvedValue({
      ok: false,
      problem: { kind: 'misconfigured', detail: 'the account is closed' },
    })
    await goOn()
    expect(await state(at)).toMatchObject({ status: 'done', orders: { refused: 2, refunded: 0 } })
    expect(await listed(at, 'refused')).toMatchObject([{ order_id: id, reason: 'misconfigured' }, {}])
    expect((await order(other)).tickets[0].status).toBe('void')
    // A week later they were given up. Staff begin another week, not one attempt.
    await server.database.sql(
      `update refunds set look_at = null, tried_since = now() - interval '8 days' where order_id = any ($1::uuid[])`,
      [[id, other]],
    )
    await organize('POST', urlOf(at, '/resume'))
    await goOn()
    expect((await order(id)).refunds).toMatchObject([{ told: 'misconfigured', given_up: false }])
    vi.restoreAllMocks()
    await organize('POST', urlOf(at, '/resume'))
    await goOn()
    expect(await state(at)).toMatchObject({ status: 'done', orders: { refused: 0, refunded: 2 } })
  })

  it('show what was said of the last attempt, when an answer to an older one comes late', async () => {
    const at = await pricedHall()
    const id = await buy(at, 0)
    await cancel(at)
    vi.spyOn(server.node.payments.gateway, 'refund').mockImplementationOnce(async () => {
      const next = `update refunds set failures = failures + 1, told = 'pending' where order_id = $1`
      await server.database.sql(next, [id])
      return { ok: true, value: { kind: 'unknown', reason: 'time_out' } }
    })
    await goOn()
    expect((await order(id)).refunds).toMatchObject([{ told: 'pending' }])
    await server.database.sql('update refunds set look_at = now() where order_id = $1', [id])
    await goOn()
    expect((await order(id)).refunds).toMatchObject([{ status: 'done' }])
  })

  it('that fail are left for later, and do not keep the others waiting', async () => {
    const at = await pricedHall()
    const bad = await buy(at, 0)
    await buy(at, 1)
    const lane = server.node.lanes.lane(TenantScope.of(ours.id as never), at.eventId as never)
    const exclusive = lane.exclusive.bind(lane)
    await cancel(at)
    vi.spyOn(lane, 'exclusive').mockImplementation(async work =>
      exclusive(async (...given) => {
        await work(...given)
        throw new Error('a bug')
      }),
    )
    await server.node.refundRuns.bite(1)
    expect(await listed(at, 'failed')).toMatchObject([{ order_id: bad, reason: 'internal_error' }])
    vi.restoreAllMocks()
    await goOn()
    expect(await state(at)).toMatchObject({ status: 'running', orders: { failed: 1, refunded: 1 } })
    const givenUp = async () => {
      await server.node.refundRuns.runNow()
      return server.node.refundRuns.inProgress.givenUp
    }
    expect(await givenUp()).toBe(0)
    // After its last attempt the run is done with the others, and waits for staff.
    await server.database.sql('update refund_failures set again_at = null where order_id = $1', [bad])
    await goOn()
    expect(await state(at)).toMatchObject({ status: 'done', orders: { failed: 1, refunded: 1 } })
    expect(await givenUp()).toBe(1)
    const archive = () => organize('POST', `/api/admin/events/${at.eventId}/archive`)
    expect((await archive()).body).toMatchObject({
      status: 409,
      code: 'invalid_transition',
      detail:
        '1 order of this cancelled event could not be refunded. Resume the refunds, refund what is left of them, or stop the refunds.',
    })
    await organize('POST', urlOf(at, '/resume'))
    await goOn()
    expect(await state(at)).toMatchObject({ status: 'done', orders: { failed: 0, refunded: 2 } })
    expect(await givenUp()).toBe(0)
    // There is nothing left to stop.
    expect((await organize('POST', urlOf(at, '/stop'))).body.data.status).toBe('done')
    expect((await archive()).status).toBe(200)
  })

  it('that failed to the last are left so when staff stop a run that is done', async () => {
    const at = await pricedHall()
    const bad = await buy(at, 0)
    await cancel(at)
    await server.database.sql(
      `insert into refund_failures (organization_id, order_id, reason, again_at) values ($1, $2, 'internal_error', null)`,
      [ours.id, bad],
    )
    await goOn()
    expect(await state(at)).toMatchObject({ status: 'done', orders: { failed: 1 } })
    const archive = () => organize('POST', `/api/admin/events/${at.eventId}/archive`)
    expect((await archive()).status).toBe(409)
    const stop = () => organize('POST', urlOf(at, '/stop'))
    expect((await stop()).body.data).toMatchObject({ status: 'stopped', orders: { failed: 1 } })
    expect((await stop()).body.data.status).toBe('stopped')
    const url = `/api/admin/audit?entity_id=${at.eventId}&action=refunds_stopped`
    expect((await send('GET', url, ours.tokens.admin)).body.data).toHaveLength(1)
    await server.node.refundRuns.runNow()
    expect(server.node.refundRuns.inProgress.givenUp).toBe(0)
    expect((await archive()).status).toBe(200)
  })

  it('wait while the gateway does not answer', async () => {
    const at = await pricedHall()
    const ids = [await buy(at, 0), await buy(at, 1)]
    await cancel(at)
    const waiting = Array.from({ length: 100 }, (_, n) => `('${ours.id}'::uuid, gen_random_uuid(), ${n})`)
    await server.database.sql(
      `insert into refunds (organization_id, id, order_id, payment_id, amount, reason, key, status, look_at, cause, told)
       select p.organization_id, v.id, p.order_id, p.id, 0, 'test', 'filler ' || v.n, 'pending', now() + interval '1 hour',
         'event_cancelled', 'unknown'
       from (values ${waiting.join(', ')}) as v (organization_id, id, n) join payments p on p.order_id = '${ids[0]}'`,
    )
    expect(await server.node.refundRuns.bite(10)).toBe(0)
    await server.database.sql(`delete from refunds where key like 'filler %'`)
    await goOn()
    expect((await state(at)).orders).toMatchObject({ refunded: 2 })
  })
})
