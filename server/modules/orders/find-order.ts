import type { Role } from '@voelgoed/core/access'
import type { SignedIn } from '@voelgoed/kit/http/principals'
import { hashSecret } from '@voelgoed/kit/http/tokens'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { hasJoined, hasSecret, readOrder, type WholeOrder } from './tables/orders.ts'

/** True: the caller bought it, as who they are or as the guest whom they were in this browser. */
export function isBuyer({ order }: WholeOrder, { userId }: SignedIn['user']): boolean {
  return order.user_id === userId || order.account_id === userId
}

/**
 * An order for its buyer, for the account whose proven address it went to, or for a caller who has the secret
 * of its link.
 */
export async function findOwnOrder(
  tx: TenantTx,
  orderId: string,
  { user }: SignedIn,
  secret: string | undefined,
): Promise<WholeOrder | null> {
  const order = await readOrder(tx, orderId)
  if (!order || isBuyer(order, user)) return order
  const isOpen =
    (secret !== undefined && (await hasSecret(tx, orderId, hashSecret(secret)))) ||
    (await hasJoined(tx, orderId, user.userId))
  return isOpen ? order : null
}

/** They print tickets for buyers. */
const PRINTING: readonly Role[] = ['support', 'organizer', 'admin']

/** An order whose tickets the caller may print. */
export async function findOrderToPrint(
  tx: TenantTx,
  orderId: string,
  principal: SignedIn,
  secret: string | undefined,
): Promise<WholeOrder | null> {
  return PRINTING.includes(principal.user.role)
    ? readOrder(tx, orderId)
    : findOwnOrder(tx, orderId, principal, secret)
}
