import type { PersonActing } from '@voelgoed/core/event/command'
import { livingHolds } from '@voelgoed/core/event/rules/cart'
import type { Refusal } from '@voelgoed/core/refusal'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Checkouts } from './checkouts.ts'
import type { CheckoutToOpen } from './open-checkout.ts'

/**
 * The buyer wants something else than they began to pay for: that makes way, unless a bank decides about it.
 * Null: none of these holds is in payment any more.
 */
export async function makeWay(
  checkouts: Pick<Checkouts, 'replace'>,
  scope: TenantScope,
  view: CheckoutToOpen['view'],
  actor: PersonActing,
  /** Null: all that the buyer holds. */
  named: ReadonlySet<string> | null,
): Promise<Refusal | null> {
  const mine = view.state.users.get(actor.person.userId)
  const holds = mine ? livingHolds(mine.all, databaseNow(view)) : []
  const inTheWay = holds.flatMap(({ holdId, checkoutId }) =>
    checkoutId && (named?.has(holdId) ?? true) ? [checkoutId] : [],
  )
  for (const orderId of new Set(inTheWay)) {
    const replaced = await checkouts.replace(scope, orderId, actor)
    if (replaced.ok) continue
    return replaced.problem.kind === 'payment_undecided' ? { kind: 'hold_in_payment' } : replaced.problem
  }
  return null
}
