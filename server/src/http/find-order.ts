import type { Role } from '@voelgoed/core/access'
import type { SignedIn } from '../accounts/principals.ts'
import { hashSecret } from '../accounts/tokens.ts'
import type { TenantTx } from '../postgres/database.ts'
import { hasSecret, readOrder, type WholeOrder } from '../postgres/tables/orders.ts'

/** An order for its buyer, or for a caller who has the secret of its link. */
export async function findOwnOrder(
  tx: TenantTx,
  orderId: string,
  { user }: SignedIn,
  secret: string | undefined,
): Promise<WholeOrder | null> {
  const order = await readOrder(tx, orderId)
  if (!order || order.order.user_id === user.userId) return order
  const isOpen = secret !== undefined && (await hasSecret(tx, orderId, hashSecret(secret)))
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
