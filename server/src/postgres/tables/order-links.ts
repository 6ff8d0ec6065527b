import type { TenantTx } from '../database.ts'

/** What opens an order to the reader of a mail. A mail that is tried again gets another one. */
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
