import { isEmail, normaliseEmail } from '@voelgoed/core/email'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { BUYERS_MAIL, countMailsOfDay, insertMail, type NewMail } from './tables/mails.ts'

/** Mails are about these, and carry what their templates can not read when they are sent. */
export type MailContent =
  | { readonly kind: 'order_paid' | 'order_moved'; readonly data: { readonly orderId: string } }
  | {
      readonly kind: 'order_refunded'
      readonly data: {
        readonly orderId: string
        readonly cause: 'late_money' | 'staff' | 'goodwill' | 'event_cancelled'
        /** In minor units of the order's currency. Null: the seller counts the money elsewhere. */
        readonly amount: number | null
      }
    }
  | {
      readonly kind:
        | 'password_reset'
        | 'password_changed'
        | 'invitation'
        | 'address_confirmation'
        | 'membership_confirmation'
      readonly data: { readonly userId: string }
    }

export type MailToQueue = MailContent & {
  /** One address. */
  readonly to: string
  /** A language tag or an Accept-Language header of the reader. Null: the organization's language. */
  readonly locale: string | null
  /** Unique in the organization: a mail with a key that is there already is not queued again. */
  readonly key: string
}

/**
 * Queues a mail in the transaction of what it tells of: both take effect, or neither. It is sent later, by
 * any node, and never keeps the caller waiting. Returns its id; null: it was queued before.
 */
export async function queueMail(tx: TenantTx, mail: MailToQueue): Promise<string | null> {
  const row = mailRow(mail)
  return row && insertMail(tx, row)
}

/** The row of a mail. Null: the address can't be written to. */
export function mailRow(mail: MailToQueue): NewMail | null {
  const { key, to, locale, kind, data } = mail
  // Older orders may have an address that the contract refuses today. A mail must not undo what it tells of.
  if (!isEmail(normaliseEmail(to)) || !PRINTABLE.test(to)) return null
  return {
    id: uuidV7(Date.now()),
    key,
    kind,
    recipient: to,
    locale: locale?.slice(0, MAX_LOCALE) ?? null,
    data,
    orderId: 'orderId' in data ? data.orderId : null,
    userId: 'userId' in data ? data.userId : null,
    resendOf: null,
  }
}

/**
 * Queues a mail once more because staff or the buyer say so, as a mail of its own. Null: the address can't be
 * written to, or the order or the user got `maxInADay` mails within a day.
 */
export async function queueAgain(
  tx: TenantTx,
  mail: {
    readonly id?: string
    readonly kind: string
    readonly locale: string | null
    readonly data: unknown
    readonly order_id: string | null
    readonly user_id: string | null
  },
  to: string,
  maxInADay: number,
  by: 'staff' | 'buyer' = 'staff',
): Promise<string | null> {
  const { kind, locale, order_id: orderId, user_id: userId } = mail
  if (!PRINTABLE.test(to) || (await countMailsOfDay(tx, { orderId, userId })) >= maxInADay) return null
  const id = uuidV7(Date.now())
  const again = {
    id,
    key: `${by === 'buyer' ? BUYERS_MAIL : 'again:'}${id}`,
    kind,
    recipient: to,
    locale,
    data: mail.data as object,
  }
  return insertMail(tx, { ...again, orderId, userId, resendOf: mail.id ?? null })
}

const PRINTABLE = /^[^\p{Cc}]{3,254}$/u

/** A header may be longer; its first languages are those that the reader prefers. */
const MAX_LOCALE = 200
