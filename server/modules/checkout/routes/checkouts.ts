import * as contract from '@voelgoed/contract/checkouts'
import { normaliseEmail } from '@voelgoed/core/email'
import { livingHolds } from '@voelgoed/core/event/rules/cart'
import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { given } from '@voelgoed/kit/http/given'
import { languagesOf } from '@voelgoed/kit/http/languages-of'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { PriceLists } from '../../events/price-lists.ts'
import { visibleTo } from '../../events/routes/events.ts'
import { findEvent } from '../../events/tables/events.ts'
import { withLabels } from '../../live/seats-answers.ts'
import type { Kit } from '../../module.ts'
import { Card } from '../../payments/card.ts'
import type { Gateway, GatewayName } from '../../payments/gateway.ts'
import { checkoutAnswer, paidAnswer } from '../checkout-answers.ts'
import type { Checkouts } from '../checkouts.ts'
import type { FoundCheckout } from '../find-checkout.ts'
import { makeWay } from '../make-way.ts'
import { type CheckoutToOpen, openCheckout } from '../open-checkout.ts'

interface Needs {
  readonly lanes: Lanes
  readonly priceLists: Pick<PriceLists, 'of'>
  readonly checkouts: Checkouts
  readonly gateway: Gateway
  readonly takesMoney: GatewayName | null
}

/** Buyers pay for what they hold. */
export function serveCheckouts(
  router: Router,
  { database, clock, http }: Pick<Kit, 'database' | 'clock' | 'http'>,
  { lanes, priceLists, checkouts, gateway, takesMoney }: Needs,
): void {
  router.serve(contract.openCheckout, async call => {
    const { scope, user } = call.principal
    const eventId = call.body.event_id.toLowerCase() as EventId
    // A cart that this node has only a part of must not become an order for that part.
    const read = await lanes.readOwn(scope, eventId)
    if (!read) return refuse(await notOnSale(call, eventId))
    if (!visibleTo(user.role, { status: read.view.state.settings.status, wasOnSale: true })) {
      return refuse({ kind: 'event_not_found' })
    }
    const error = read.isCurrent ? null : await lanes.lane(scope, eventId).sync()
    if (error !== null) throw error
    // Catching up may have loaded the event again, into another view.
    const view = lanes.inMemory(scope, eventId) ?? read.view
    const result = await open(call, await wanted(call, view))
    if (result.ok || result.problem.kind !== 'hold_in_payment') return withLabels(result, view)
    const named = call.body.hold_ids && new Set(call.body.hold_ids.map(id => id.toLowerCase()))
    const refusal = await makeWay(checkouts, scope, view, given(call).actor, named ?? null)
    if (refusal) return refuse(refusal)
    const after = lanes.inMemory(scope, eventId) ?? view
    return withLabels(await open(call, await wanted(call, after)), after)
  })

  async function wanted(
    call: Call<typeof contract.openCheckout>,
    view: CheckoutToOpen['view'],
  ): Promise<CheckoutToOpen> {
    const { hold_ids, items = [], contact, accept_alternatives } = call.body
    return {
      view,
      prices: await priceLists.of(view),
      ...given(call),
      holdIds: hold_ids ? [...new Set(hold_ids.map(id => id.toLowerCase()))] : null,
      items: items.map(({ hold_id, ticket_type, attendee }) => ({
        holdId: hold_id.toLowerCase(),
        ...(ticket_type !== undefined && { ticketType: ticket_type }),
        ...(attendee !== undefined && { attendee }),
      })),
      contact: { ...contact, emailKey: normaliseEmail(contact.email), phone: null },
      acceptAlternatives: accept_alternatives ?? false,
      locale: languagesOf(call),
      channel: call.site ? 'embed' : 'page',
      gateway: takesMoney && gateway,
      now: clock.now(),
    }
  }

  function open(
    call: Call<typeof contract.openCheckout>,
    checkout: CheckoutToOpen,
  ): Promise<Result<Answer, Refusal>> {
    const { scope } = call.principal
    return inTenant(database, scope, call, async tx => {
      const opened = await openCheckout(tx, checkout)
      if (!opened.ok) return opened
      const { orderId, isNew } = opened.value
      const found = (await checkouts.readIn(tx, orderId))!
      return ok({ status: isNew ? 201 : 200, body: { data: answerOf(scope, found) } })
    })
  }

  router.serve(contract.readCheckout, async ({ principal, params }) => {
    const { scope, user } = principal
    const found = await checkouts.read(scope, params.checkout, user.userId)
    if (!found) return refuse({ kind: 'order_not_found' })
    await lanes.readOwn(scope, found.whole.order.event_id)
    return ok({ status: 200, body: { data: answerOf(scope, found) } })
  })

  router.serve(contract.cancelCheckout, async call => {
    const { scope } = call.principal
    const { actor } = given(call)
    const { checkout } = call.params
    const cancelled = await (call.query.keep_holds === 'true'
      ? checkouts.replace(scope, checkout, actor)
      : checkouts.cancel(scope, checkout, actor))
    return cancelled.ok ? ok({ status: 200, body: { data: answerOf(scope, cancelled.value) } }) : cancelled
  })

  router.serve(contract.payCheckout, async call => {
    const { scope, organization } = call.principal
    const { card, total } = call.body
    const orderId = call.params.checkout
    const paid = await checkouts.pay(scope, {
      actor: given(call).actor,
      orderId,
      card: card ? new Card(card) : null,
      total: total ?? null,
      returnUrl: `${http.pageUrl()}/${organization.slug}/checkout/${orderId}`,
    })
    return paid.ok ? ok({ status: 200, body: { data: paidAnswer(orderId, paid.value) } }) : paid
  })

  /** The holds may have been extended since the checkout was told of their end. */
  function answerOf(scope: TenantScope, found: FoundCheckout): Record<string, unknown> {
    const { order } = found.whole
    const view = lanes.inMemory(scope, order.event_id)
    const now = view ? databaseNow(view) : clock.now()
    const mine = view?.state.users.get(order.user_id)
    const ids = new Set(found.checkout.hold_ids)
    const ends = mine
      ? livingHolds(mine.all, now).flatMap(hold => (ids.has(hold.holdId) ? [hold.heldUntil] : []))
      : []
    return checkoutAnswer(found, ends.length === ids.size ? Math.min(...ends) : null, now)
  }

  async function notOnSale(call: Call<typeof contract.openCheckout>, eventId: EventId): Promise<Refusal> {
    const { scope, user } = call.principal
    const event = await database.tenant(scope, tx => findEvent(tx, eventId))
    if (!event || !visibleTo(user.role, event)) return { kind: 'event_not_found' }
    return { kind: 'event_not_available', status: event.status }
  }
}
