import { randomUUID } from 'node:crypto'
import type { Person } from '@voelgoed/core/access'
import type { PersonActing } from '@voelgoed/core/event/command'
import { type NamedGuests, NO_GUESTS } from '@voelgoed/core/guests/guest-rule'
import type { CheckoutId, CommandId, HoldId, PaymentId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { Step } from '@voelgoed/engine/round/step'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { knowForCheckout } from '../../guests/guests-of-places.ts'
import { type ChangedOrder, decideChange, orderOf } from '../../orders/order-rows.ts'
import { writeOrderChanges } from '../../orders/tables/order-changes.ts'
import { holdsOfCart } from '../checkout-cart.ts'
import { type FoundCheckout, findCheckout } from '../find-checkout.ts'
import { FIRST_LOOK_MS } from '../settle-outcome.ts'
import { noteCheckout, notePayment } from '../tables/checkouts.ts'
import { type OrderRow, RIDING_ORDERS } from '../tables/riding-orders.ts'
import { rowToRide } from './row-to-ride.ts'
import { type SettledCapture, settle } from './settle.ts'

interface Known extends FoundCheckout {
  readonly buyer: Person
  readonly guests: NamedGuests
  readonly payment: ChangedOrder
}

/**
 * A payment begins: the holds go into payment, and the order with them. What costs nothing is settled at
 * once; else nothing is settled, and the gateway is asked next.
 */
export function begin(
  view: Pick<CommittedView, 'eventId' | 'state'>,
  found: FoundCheckout,
  { actor, now }: { readonly actor: PersonActing; readonly now: number },
): Step<Known, OrderRow, SettledCapture | null> {
  const { id: orderId, total } = found.whole.order
  const { gateway, cart } = found.checkout
  const holdIds = found.checkout.hold_ids as readonly HoldId[]
  const sent = { isSent: true, lookInMs: FIRST_LOOK_MS }

  function know(at: FoundCheckout, who: Pick<Known, 'buyer' | 'guests'>): Result<Known, Refusal> {
    const paymentId = uuidV7(now) as PaymentId
    const payment = decideChange(orderOf(at.whole), { kind: 'pay', paymentId })
    return payment.ok ? ok({ ...at, ...who, payment: payment.value }) : payment
  }

  function rides() {
    const row = gateway === 'none' ? null : rowToRide(view.state, found, actor.person)
    const known = know(found, { buyer: actor.person, guests: NO_GUESTS })
    const isFirst = known.ok && known.value.payment.changes[0]?.kind === 'payment_created'
    return row && isFirst ? { known: known.value, row } : null
  }

  return {
    table: RIDING_ORDERS,
    rides: rides(),
    async read(tx) {
      const locked = await findCheckout(tx, orderId, { lock: true })
      if (!locked) return refuse({ kind: 'order_not_found' })
      return know(locked, await knowForCheckout(tx, view, actor.person, holdIds))
    },
    command: ({ buyer, guests, payment }) =>
      payment.changes.length === 0
        ? null
        : {
            kind: 'start_payment',
            commandId: randomUUID() as CommandId,
            actor: { ...actor, person: buyer },
            holdIds,
            guests,
            checkoutId: orderId as CheckoutId,
          },
    decide({ whole, payment }, given) {
      // Another request was here first: the gateway knows the payment by the order.
      if (!given) return ok({ done: null, row: null, besides: tx => notePayment(tx, orderId, sent) })
      const { holds } = given.decision
      const quantities = new Map(holdsOfCart(cart).map(({ holdId, quantity }) => [holdId, quantity]))
      if (holds.some(hold => quantities.get(hold.holdId) !== hold.quantity)) {
        const quantity = holds.reduce((sum, hold) => sum + hold.quantity, 0)
        return refuse({ kind: 'hold_changed', quantity })
      }
      const expiresAt = Math.min(...holds.map(hold => hold.heldUntil))
      const [change] = payment.changes
      if (change?.kind === 'payment_created') {
        const { paymentId } = change
        const { lookInMs } = sent
        const row = {
          kind: 'begun',
          orderId,
          paymentId,
          amount: total!,
          gateway,
          expiresAt,
          lookInMs,
        } as const
        if (gateway !== 'none') return ok({ done: null, row })
        return ok({ done: null, row, next: settle(view, null, { orderId, intentId: null, now }) })
      }
      return ok({
        done: null,
        row: null,
        async besides(tx) {
          await writeOrderChanges(tx, orderId, orderOf(whole), payment)
          await Promise.all([
            noteCheckout(tx, orderId, { expiresAt: new Date(expiresAt), dueAt: null }),
            notePayment(tx, orderId, { ...sent, declineCode: null }),
          ])
        },
      })
    },
  }
}
