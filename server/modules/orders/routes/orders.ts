import * as contract from '@voelgoed/contract/orders'
import { normaliseEmail } from '@voelgoed/core/email'
import { type EventId, isUuid, type TicketId } from '@voelgoed/core/ids'
import type { OrderStatus } from '@voelgoed/core/orders/order'
import { searchTermsOf } from '@voelgoed/core/orders/order-words'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { given } from '@voelgoed/kit/http/given'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Router } from '@voelgoed/kit/http/serve'
import { oncePerKey } from '@voelgoed/kit/http/transactions'
import { isUniqueViolation } from '@voelgoed/kit/postgres/violations'
import type { PriceLists } from '../../events/price-lists.ts'
import { findEvent } from '../../events/tables/events.ts'
import type { HoldHistory } from '../../holds/hold-history.ts'
import { withLabels } from '../../live/seats-answers.ts'
import type { Kit } from '../../module.ts'
import { readUserNames } from '../../people/tables/users.ts'
import { findOwnOrder, isBuyer } from '../find-order.ts'
import { changedOrderAnswer, orderSummary, signedOrderAnswer, staffOrderAnswer } from '../order-answers.ts'
import type { OrderMetrics } from '../order-metrics.ts'
import type { OrderSecrets } from '../order-secrets.ts'
import { readOrderMail } from '../read-order-mail.ts'
import { type OrderToSell, type SoldOrder, sameOrder, sellOrder } from '../sell-order.ts'
import { listOrders, type OrderFilter } from '../tables/list-orders.ts'
import { findReference, listOrdersOf, readOrder, type WholeOrder } from '../tables/orders.ts'

/** Times that a hold may end between the history's catching up and the event's lock. */
const ATTEMPTS = 3

export interface OrderNeeds {
  readonly lanes: Pick<Lanes, 'lane'>
  readonly history: Pick<HoldHistory, 'catchUp'>
  readonly priceLists: Pick<PriceLists, 'of'>
  readonly mails: { readonly canSend: boolean }
  readonly ticketKeys: {
    signOrder(scope: TenantScope, order: WholeOrder): Promise<ReadonlyMap<TicketId, string>>
  }
  readonly orderSecrets: OrderSecrets
  readonly metrics: OrderMetrics
}

/** Serves what was sold: at the box office, and by platforms with a checkout of their own. */
export function serveOrders(
  router: Router,
  { database, clock, log }: Pick<Kit, 'database' | 'clock' | 'log'>,
  { lanes, history, priceLists, mails, ticketKeys, orderSecrets, metrics }: OrderNeeds,
): void {
  router.serve(contract.createOrder, async call => {
    const { method } = call.body
    const result = await create(call).catch(error => {
      metrics.sold(method, 'failed')
      throw error
    })
    if (!result.ok) metrics.sold(method, 'refused')
    return result
  })

  async function create(call: Call<typeof contract.createOrder>): Promise<Result<Answer, Refusal>> {
    const faults = faultsOf(call.body)
    if (faults.length > 0) return refuse({ kind: 'invalid_request', errors: faults })
    const { scope } = call.principal
    const eventId = call.body.event_id.toLowerCase() as EventId
    const [view, event] = await Promise.all([
      lanes.lane(scope, eventId).ready(),
      database.tenant(scope, tx => findEvent(tx, eventId)),
    ])
    if (!event) return refuse({ kind: 'event_not_found' })
    if (!view) return refuse({ kind: 'event_not_available', status: event.status })
    const priceList = await priceLists.of(view)
    const wanted = orderToSell(call, { id: eventId, name: event.name, state: view.state }, priceList)
    for (let attempt = 1; ; attempt += 1) {
      const result = await sell(call, wanted)
      if (result.ok || result.problem.kind !== 'busy' || attempt === ATTEMPTS) return withLabels(result, view)
      const caughtUp = await history.catchUp(scope, eventId)
      if (!caughtUp.ok) return caughtUp
    }
  }

  async function sell(
    call: Call<typeof contract.createOrder>,
    wanted: OrderToSell,
  ): Promise<Result<Answer, Refusal>> {
    const { scope } = call.principal
    let sold = null as SoldOrder | null
    try {
      const result = await lanes.lane(scope, wanted.event.id).exclusive((tx, give, hall) =>
        oncePerKey(tx, call, async () => {
          const done = await sellOrder(tx, give, hall, wanted)
          if (!done.ok) return done
          sold = done.value
          return ok(soldAnswer(done.value))
        }),
      )
      if (result.ok && sold) told(sold, wanted)
      return result
    } catch (error) {
      // Another event sold something under the same reference at this moment.
      if (!isUniqueViolation(error, 'orders_reference')) throw error
      return database.tenant(scope, async tx => {
        const known = (await findReference(tx, wanted.reference!))!
        const same = await sameOrder(tx, wanted, known)
        return same.ok ? ok(soldAnswer(same.value)) : same
      })
    }
  }

  function told({ order, isRepeated, wasLate }: SoldOrder, { method, seller }: OrderToSell): void {
    const { id, event_id } = order.order
    const outcome = isRepeated ? 'repeated' : wasLate ? 'sold_late' : 'sold'
    metrics.sold(method, outcome)
    if (outcome === 'repeated') return
    const tickets = order.lines.length
    const user_id = seller.actor.person.userId
    log.info({ order_id: id, event_id, user_id, method, tickets, late: wasLate }, 'sold an order')
  }

  function orderToSell(
    call: Call<typeof contract.createOrder>,
    event: OrderToSell['event'],
    priceList: OrderToSell['priceList'],
  ): OrderToSell {
    const { hold_ids, cart_token, method, reference, contact, currency, lines, allow_stranding } = call.body
    const attendees = new Map<string, string[]>()
    for (const { hold_id, attendee } of call.body.attendees ?? []) {
      const holdId = hold_id.toLowerCase()
      attendees.set(holdId, [...(attendees.get(holdId) ?? []), attendee])
    }
    const email = contact?.email ?? null
    return {
      event,
      holds: hold_ids ? { holdIds: hold_ids.map(id => id.toLowerCase()) } : { cartToken: cart_token! },
      method,
      reference: reference ?? null,
      contact: {
        name: contact?.name ?? null,
        email,
        emailKey: email === null ? null : normaliseEmail(email),
        phone: contact?.phone ?? null,
      },
      currency: currency ?? null,
      priceList,
      prices: lines
        ? new Map(
            lines.map(({ hold_id, amount, ticket_type = null }) => {
              return [hold_id.toLowerCase(), { amount, ticketType: ticket_type }]
            }),
          )
        : null,
      attendees,
      allowStranding: allow_stranding ?? false,
      maxHolds: contract.MAX_HOLDS_OF_ORDER,
      seller: { actor: given(call).actor, by: call.by },
      secretOf: orderId => orderSecrets.of(call.principal.scope.organizationId, orderId),
      now: clock.now(),
    }
  }

  router.serve(contract.listOrders, ({ principal, query }) => list(principal.scope, query, filterOf(query)))

  router.serve(contract.listMyOrders, async ({ principal, query }) => {
    const { scope, user } = principal
    const page = readPage(query)
    if (!page.ok) return page
    const { after } = page.value
    const limit = Math.min(page.value.limit, contract.MAX_MY_ORDERS)
    const rows = await database.tenant(scope, async tx => {
      const ids = await listOrdersOf(tx, user.userId, {
        ...(after !== undefined && { after }),
        limit: limit + 1,
      })
      return Promise.all(ids.map(async id => (await readOrder(tx, id))!))
    })
    const tokens = await Promise.all(rows.map(order => ticketKeys.signOrder(scope, order)))
    const signed = rows.map((order, index) => signedOrderAnswer(order, tokens[index]!))
    return ok({
      status: 200,
      body: toPage(
        signed,
        limit,
        order => order.order_id,
        order => order,
      ),
    })
  })

  async function list(
    scope: TenantScope,
    query: { after?: string; limit?: string },
    filter: Omit<OrderFilter, 'after' | 'limit'>,
  ): Promise<Result<Answer, Refusal>> {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const { rows, lookedTo } = await database.tenant(scope, tx =>
      listOrders(tx, { ...filter, ...(after !== undefined && { after }), limit: limit + 1 }),
    )
    const found = toPage(rows, limit, row => row.id, orderSummary)
    return ok({ status: 200, body: { ...found, next: found.next ?? lookedTo } })
  }

  router.serve(contract.readOrder, async ({ principal, params }) => {
    const { scope } = principal
    const found = await database.tenant(scope, async tx => {
      const whole = await readOrder(tx, params.order)
      const soldBy = whole?.order.sold_by
      const names = await readUserNames(tx, soldBy ? [soldBy] : [])
      return whole && { whole, sellerName: (soldBy && names.get(soldBy)) ?? null }
    })
    if (!found) return refuse({ kind: 'order_not_found' })
    const tokens = await ticketKeys.signOrder(scope, found.whole)
    const data = staffOrderAnswer(found.whole, tokens, found.sellerName)
    return ok({ status: 200, body: { data } })
  })

  router.serve(contract.readMyOrder, async ({ principal, params, query }) => {
    const { scope } = principal
    const [found, mail] = await database.tenant(scope, async tx => {
      const found = await findOwnOrder(tx, params.order, principal, query.secret)
      const isOwn = found !== null && isBuyer(found, principal.user)
      return [found, found && isOwn ? await readOrderMail(tx, found, mails) : null]
    })
    if (!found) return refuse({ kind: 'order_not_found' })
    const tokens = await ticketKeys.signOrder(scope, found)
    return ok({ status: 200, body: { data: { ...signedOrderAnswer(found, tokens), mail } } })
  })
}

function soldAnswer({ order, secret, isRepeated }: SoldOrder): Answer & { readonly body: unknown } {
  return {
    status: isRepeated ? 200 : 201,
    body: { data: { ...changedOrderAnswer(order), secret } },
  }
}

/** Finds what the schema can not say. */
function faultsOf({
  hold_ids,
  cart_token,
  currency,
  lines,
  method,
}: Call<typeof contract.createOrder>['body']): { path: string; message: string }[] {
  const faults = []
  if ((hold_ids === undefined) === (cart_token === undefined)) {
    faults.push({ path: '/hold_ids', message: 'give either these or cart_token' })
  }
  if (hold_ids && new Set(hold_ids.map(id => id.toLowerCase())).size < hold_ids.length) {
    faults.push({ path: '/hold_ids', message: 'must not name a hold twice' })
  }
  if ((currency === undefined) !== (lines === undefined)) {
    faults.push({ path: '/currency', message: 'comes with lines, and lines with a currency' })
  }
  if (lines && new Set(lines.map(line => line.hold_id.toLowerCase())).size < lines.length) {
    faults.push({ path: '/lines', message: 'must not name a hold twice' })
  }
  if (method === 'complimentary' && lines?.some(line => line.amount > 0)) {
    faults.push({ path: '/lines', message: 'must cost nothing: the tickets are complimentary' })
  }
  return faults
}

/** Reads the filter of lists of orders, and of their export. */
export function filterOf(query: {
  event_id?: string
  status?: OrderStatus
  query?: string
}): Omit<OrderFilter, 'after' | 'limit'> {
  const { event_id, status } = query
  return {
    ...(event_id !== undefined && { eventId: event_id.toLowerCase() }),
    ...(status !== undefined && { status }),
    ...(query.query !== undefined && searchOf(query.query)),
  }
}

function searchOf(query: string): Pick<OrderFilter, 'anyId' | 'text'> {
  const text = query.trim()
  if (isUuid(text.toLowerCase())) return { anyId: text.toLowerCase() }
  return { text: { asGiven: text, number: text.toUpperCase(), terms: searchTermsOf(text) } }
}
