import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { MailRow } from './mails.ts'

const OF_PERSON = 'organization_id = $1 and (user_id = $2 or order_id = any ($3::uuid[]))'

/** Mails to a person, and about these orders of theirs, the newest first. */
export function listMailsOf(
  tx: TenantTx,
  userId: string,
  orderIds: readonly string[],
  limit: number,
): Promise<Pick<MailRow, 'kind' | 'recipient' | 'status' | 'created_at'>[]> {
  return tx.query<Pick<MailRow, 'kind' | 'recipient' | 'status' | 'created_at'> & Record<string, unknown>>(
    `select kind, recipient, status, created_at from mails where ${OF_PERSON} order by id desc limit $4`,
    [userId, orderIds, limit],
  )
}

/** Deletes them, sent or not. A node that sends one of them finds nothing to note. Returns how many. */
export async function deleteMailsOf(
  tx: TenantTx,
  userId: string,
  orderIds: readonly string[],
): Promise<number> {
  const rows = await tx.query(`delete from mails where ${OF_PERSON} returning 1`, [userId, orderIds])
  return rows.length
}
