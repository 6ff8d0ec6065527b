import * as contract from '@voelgoed/contract/orders'
import type { RequestFault } from '@voelgoed/core/refusal'
import { ok, refuse } from '@voelgoed/core/result'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { given } from '@voelgoed/kit/http/given'
import type { Router } from '@voelgoed/kit/http/serve'
import { oncePerKey } from '@voelgoed/kit/http/transactions'
import type { PriceLists } from '../../events/price-lists.ts'
import type { Kit } from '../../module.ts'
import { changedOrderAnswer } from '../../orders/order-answers.ts'
import { readOrder } from '../../orders/tables/orders.ts'
import { moveOrder } from '../move-order.ts'
import type { OrderChangeMetrics } from '../order-change-metrics.ts'
import { refundOrder } from '../refund-order.ts'

interface Needs {
  readonly lanes: Pick<Lanes, 'lane'>
  readonly priceLists: Pick<PriceLists, 'of'>
  readonly changes: OrderChangeMetrics
  readonly paymentWork: { wake(): void }
}

/** Staff change what was sold: tickets go back for their money, or to other seats. */
export function serveOrderChanges(
  router: Router,
  { database, clock, log }: Pick<Kit, 'database' | 'clock' | 'log'>,
  { lanes, priceLists, changes, paymentWork }: Needs,
): void {
  router.serve(contract.refundOrder, async call => {
    const { scope } = call.principal
    const orderId = call.params.order
    const found = await database.tenant(scope, tx => readOrder(tx, orderId))
    if (!found) return refuse({ kind: 'order_not_found' })
    const { ticket_ids, amount, keep_tickets: keepsTickets = false, reason } = call.body
    if (keepsTickets && !amount) {
      const errors = [{ path: '/amount', message: 'must be above 0: the tickets stay valid' }]
      return refuse({ kind: 'invalid_request', errors })
    }
    const ticketIds = ticket_ids ? [...new Set(ticket_ids.map(id => id.toLowerCase()))] : null
    const by = { actor: given(call).actor, audit: call.by }
    const { event_id } = found.order
    const result = await lanes.lane(scope, event_id).exclusive((tx, give) =>
      oncePerKey(tx, call, async () => {
        const done = await refundOrder(tx, give, {
          ...{ orderId, ticketIds, amount, keepsTickets, cause: 'staff', reason, by },
          now: clock.now(),
        })
        return done.ok ? ok({ status: 200, body: { data: changedOrderAnswer(done.value) } }) : done
      }),
    )
    changes.refunded(result.ok ? null : result.problem.kind)
    if (result.ok) {
      log.info({ order_id: orderId, event_id, user_id: call.by.userId }, 'refunded an order')
      paymentWork.wake()
    }
    return result
  })

  router.serve(contract.moveOrder, async call => {
    const { scope } = call.principal
    const orderId = call.params.order
    const moves = call.body.moves.map(({ ticket_id, seat_id }) => {
      return { ticketId: ticket_id.toLowerCase(), seatId: seat_id.toLowerCase() }
    })
    const errors = faultsOf(moves)
    if (errors.length > 0) return refuse({ kind: 'invalid_request', errors })
    const found = await database.tenant(scope, tx => readOrder(tx, orderId))
    if (!found) return refuse({ kind: 'order_not_found' })
    const { event_id } = found.order
    const lane = lanes.lane(scope, event_id)
    const view = await lane.ready()
    if (!view) return refuse({ kind: 'event_not_found' })
    const wanted = {
      orderId,
      moves,
      reason: call.body.reason ?? null,
      state: view.state,
      priceList: await priceLists.of(view),
      by: { actor: given(call).actor, audit: call.by },
      now: clock.now(),
    }
    const result = await lane.exclusive((tx, give, hall) =>
      oncePerKey(tx, call, async () => {
        const done = await moveOrder(tx, give, hall, wanted)
        return done.ok ? ok({ status: 200, body: { data: changedOrderAnswer(done.value) } }) : done
      }),
    )
    changes.moved(result.ok ? null : result.problem.kind)
    if (result.ok) {
      const tickets = moves.length
      log.info({ order_id: orderId, event_id, user_id: call.by.userId, tickets }, 'moved tickets of an order')
    }
    return result
  })
}

/** Finds what the schema can not say. */
function faultsOf(moves: readonly { readonly ticketId: string; readonly seatId: string }[]): RequestFault[] {
  const twice = (ids: readonly string[]) => ids.findIndex((id, index) => ids.indexOf(id) < index)
  const ticket = twice(moves.map(move => move.ticketId))
  const seat = twice(moves.map(move => move.seatId))
  return [
    ...(ticket < 0 ? [] : [{ path: `/moves/${ticket}/ticket_id`, message: 'must not be named twice' }]),
    ...(seat < 0 ? [] : [{ path: `/moves/${seat}/seat_id`, message: 'must not be named twice' }]),
  ]
}
