import { randomBytes } from 'node:crypto'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/**
 * Writes the link that opens an order to the reader of a mail. A mail that is tried again gets another one.
 */
export async function writeOrderLink(
  tx: TenantTx,
  link: { readonly mailId: string; readonly orderId: string; readonly secretHash: Buffer },
): Promise<void> {
  await tx.query(
    `insert into order_links (organization_id, mail_id, order_id, secret_hash) values ($1, $2, $3, $4)
     on conflict (organization_id, mail_id) do update set secret_hash = excluded.secret_hash`,
    [link.mailId, link.orderId, link.secretHash],
  )
}

/** The links of all mails about an order open nothing any more. */
export async function endOrderLinks(tx: TenantTx, orderId: string): Promise<void> {
  await tx.query('update order_links set secret_hash = $3 where organization_id = $1 and order_id = $2', [
    orderId,
    randomBytes(32),
  ])
}
