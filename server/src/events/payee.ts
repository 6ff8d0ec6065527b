import type { Gateway, Payee } from '../payments/gateway.ts'
import type { Database } from '../postgres/database.ts'
import { readStripeAccount } from '../postgres/tables/payment-work.ts'
import type { TenantScope } from '../tenant.ts'

/** Who gets the money of an order. */
export async function payeeOf(
  { database, gateway }: { readonly database: Pick<Database, 'tenant'>; readonly gateway: Gateway },
  scope: TenantScope,
  orderId: string,
): Promise<Payee> {
  if (gateway.name !== 'stripe') return { scope, account: null }
  return { scope, account: await database.tenant(scope, tx => readStripeAccount(tx, orderId)) }
}
