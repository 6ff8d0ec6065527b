import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { readTicketMail } from '../mail/tables/mails.ts'
import type { WholeOrder } from './tables/orders.ts'

/** Says where an order's tickets were sent. Null: it has no address. */
export async function readOrderMail(
  tx: TenantTx,
  { order: { id, contact_email: to } }: WholeOrder,
  { canSend }: { readonly canSend: boolean },
) {
  if (to === null) return null
  const mail = await readTicketMail(tx, id, to)
  // It is put aside in a moment: nothing can send it.
  const status = mail?.status === 'queued' && !canSend ? 'kept' : (mail?.status ?? null)
  return { to, status, ended_at: mail?.ended_at?.toISOString() ?? null }
}
