import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { Gateway, Payee } from '../payments/gateway.ts'
import { readStripeAccount } from './tables/payment-work.ts'

/** Finds the account that gets the money of an order. */
export async function payeeOf(
  { database, gateway }: { readonly database: Pick<Database, 'tenant'>; readonly gateway: Gateway },
  scope: TenantScope,
  orderId: string,
): Promise<Payee> {
  if (gateway.name !== 'stripe') return { scope, account: null }
  return { scope, account: await database.tenant(scope, tx => readStripeAccount(tx, orderId)) }
}
