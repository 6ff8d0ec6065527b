import * as contract from '@voelgoed/core/contract/orders'
import type { RequestFault } from '@voelgoed/core/refusal'
import { ok, refuse } from '@voelgoed/core/result'
import { moveOrder } from '../../events/move-order.ts'
import { readOrder } from '../../postgres/tables/orders.ts'
import { changedOrderAnswer } from '../answers/order-answers.ts'
import type { AppDeps } from '../deps.ts'
import { given } from '../given.ts'
import type { Router } from '../serve.ts'
import { oncePerKey } from '../transactions.ts'

/** Tickets go to other seats. */
export function serveMoves(
  router: Router,
  deps: Pick<AppDeps, 'database' | 'clock' | 'lanes' | 'metrics' | 'log' | 'priceLists'>,
): void {
  const { database, clock, lanes, metrics, log, priceLists } = deps

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
    metrics.orders.moved(result.ok ? null : result.problem.kind)
    if (result.ok) {
      const tickets = moves.length
      log.info({ order_id: orderId, event_id, user_id: call.by.userId, tickets }, 'moved tickets of an order')
    }
    return result
  })
}

/** What the schema can not say. */
function faultsOf(moves: readonly { readonly ticketId: string; readonly seatId: string }[]): RequestFault[] {
  const twice = (ids: readonly string[]) => ids.findIndex((id, index) => ids.indexOf(id) < index)
  const ticket = twice(moves.map(move => move.ticketId))
  const seat = twice(moves.map(move => move.seatId))
  return [
    ...(ticket < 0 ? [] : [{ path: `/moves/${ticket}/ticket_id`, message: 'must not be named twice' }]),
    ...(seat < 0 ? [] : [{ path: `/moves/${seat}/seat_id`, message: 'must not be named twice' }]),
  ]
}
