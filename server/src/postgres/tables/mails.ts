import type { TenantTx } from '../database.ts'

export interface NewMail {
  readonly id: string
  readonly key: string
  readonly kind: string
  readonly recipient: string
  readonly locale: string | null
  readonly data: object
  readonly orderId: string | null
  readonly userId: string | null
}

/** Returns the id; null: the organization has a mail with this key. */
export async function insertMail(tx: TenantTx, mail: NewMail): Promise<string | null> {
  const row = await tx.one<{ id: string }>(
    `insert into mails (organization_id, id, key, kind, recipient, locale, data, order_id, user_id)
     values ($1, $2, $3, $4, $5, nullif($6, ''), $7, $8, $9)
     on conflict (organization_id, key) do nothing returning id`,
    [
      mail.id,
      mail.key,
      mail.kind,
      mail.recipient,
      mail.locale,
      JSON.stringify(mail.data),
      mail.orderId,
      mail.userId,
    ],
  )
  return row?.id ?? null
}
