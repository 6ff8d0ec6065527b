import type { OrganizationId } from '@voelgoed/core/ids'
import { texts, uuids } from '@voelgoed/kit/postgres/binary-arrays'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

export interface NewMail {
  readonly id: string
  readonly key: string
  readonly kind: string
  readonly recipient: string
  readonly locale: string | null
  readonly data: object
  readonly orderId: string | null
  readonly userId: string | null
  /** The mail that staff sent again. */
  readonly resendOf: string | null
}

/** Returns the id; null: the organization has a mail with this key. */
export async function insertMail(tx: TenantTx, mail: NewMail): Promise<string | null> {
  const row = await tx.one<{ id: string }>(
    `insert into mails (organization_id, id, key, kind, recipient, locale, data, order_id, user_id, resend_of)
     values ($1, $2, $3, $4, $5, nullif($6, ''), $7, $8, $9, $10)
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
      mail.resendOf,
    ],
  )
  return row?.id ?? null
}

/** In a batch. A key that is known has its mail. */
export function sendMails(tx: TenantTx, mails: readonly NewMail[]): void {
  if (mails.length === 0) return
  tx.send(
    'batch_mails',
    `insert into mails (organization_id, id, key, kind, recipient, locale, data, order_id)
     select $1, m.id, m.key, m.kind, m.recipient, nullif(m.locale, ''), m.data::jsonb, m.order_id
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[])
       as m (id, key, kind, recipient, locale, data, order_id)
     on conflict (organization_id, key) do nothing`,
    [
      uuids(mails, mail => mail.id),
      texts(mails, mail => mail.key),
      texts(mails, mail => mail.kind),
      texts(mails, mail => mail.recipient),
      texts(mails, mail => mail.locale),
      texts(mails, mail => JSON.stringify(mail.data)),
      uuids(mails, mail => mail.orderId),
    ],
  )
}

/** Mails about one order or one user in the last 24 hours. */
export async function countMailsOfDay(
  tx: TenantTx,
  { orderId, userId }: Pick<NewMail, 'orderId' | 'userId'>,
): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*)::int as count from mails
     where organization_id = $1 and created_at > now() - interval '1 day'
       and ${orderId === null ? 'user_id' : 'order_id'} = $2`,
    [orderId ?? userId],
  )
  return row!.count
}

/** Keys of mails that buyers ask for begin so. */
export const BUYERS_MAIL = 'buyer:'

/**
 * Mails that a buyer asked for in the last 24 hours. A buyer who asks twice at once waits here, so that the
 * limits hold.
 */
export async function countBuyersMails(
  tx: TenantTx,
  { orderId, userId }: { readonly orderId: string; readonly userId: string },
): Promise<{ ofOrder: number; ofBuyer: number }> {
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended('mails of ' || $1::text || ' ' || $2::text, 0))`,
    [userId],
  )
  const row = await tx.one<{ of_order: number; of_buyer: number }>(
    `select count(*) filter (where m.order_id = $3)::int as of_order, count(*)::int as of_buyer
     from mails m join orders o on o.organization_id = $1 and o.id = m.order_id
     where m.organization_id = $1 and (o.user_id = $2 or o.account_id = $2) and m.created_at > now() - interval '1 day'
       and m.key like '${BUYERS_MAIL}%'`,
    [userId, orderId],
  )
  return { ofOrder: row!.of_order, ofBuyer: row!.of_buyer }
}

/** The last mail with the tickets of an order to an address. */
export async function readTicketMail(
  tx: TenantTx,
  orderId: string,
  recipient: string,
): Promise<Pick<MailRow, 'status' | 'ended_at'> | null> {
  const row = await tx.one<Pick<MailRow, 'status' | 'ended_at'> & Record<string, unknown>>(
    `select status, ended_at from mails
     where organization_id = $1 and order_id = $2 and recipient = $3 and kind in ('order_paid', 'order_moved')
     order by id desc limit 1`,
    [orderId, recipient],
  )
  return row ?? null
}

/** True: tickets of the order have left, or may have. */
export async function hasMailedTickets(tx: TenantTx, orderId: string): Promise<boolean> {
  const row = await tx.one(
    `select 1 from mails where organization_id = $1 and order_id = $2 and kind in ('order_paid', 'order_moved')
       and status in ('sending', 'sent', 'unknown') limit 1`,
    [orderId],
  )
  return row !== undefined
}

/** Invitations of the last 24 hours. Those who invite wait for each other here, so that the limit holds. */
export async function countInvitations(
  tx: TenantTx,
  userId: string,
): Promise<{ ofAll: number; ofUser: number }> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('invitations of ' || $1::text, 0))`)
  const row = await tx.one<{ of_all: number; of_user: number }>(
    `select count(*)::int as of_all, count(*) filter (where user_id = $2)::int as of_user from mails
     where organization_id = $1 and kind = 'invitation' and created_at > now() - interval '1 day'`,
    [userId],
  )
  return { ofAll: row!.of_all, ofUser: row!.of_user }
}

/** Counts the mails that wait for something, each kind up to `most`. */
export async function countMailsByStatus(
  tx: TenantTx,
  most: number,
): Promise<Record<'queued' | 'sending' | 'kept' | 'dead' | 'unknown' | 'oldest_seconds', number>> {
  const count = (status: string) =>
    `(select count(*)::int from (select 1 from mails where organization_id = $1 and status = '${status}' limit $2) m)`
  return (await tx.one<Record<'queued' | 'sending' | 'kept' | 'dead' | 'unknown' | 'oldest_seconds', number>>(
    `select ${count('queued')} as queued, ${count('sending')} as sending, ${count('kept')} as kept,
       ${count('dead')} as dead, ${count('unknown')} as unknown,
       coalesce((select greatest(extract(epoch from now() - due_at), 0)::int from mails
         where organization_id = $1 and status = 'queued' order by due_at limit 1), 0) as oldest_seconds`,
    [most],
  ))!
}

/** A mail that one node sends, and which of its attempts that is. */
export interface LeasedMail {
  readonly organizationId: OrganizationId
  readonly id: string
  readonly attempts: number
}

/** A person waits for these at a screen. */
const URGENT = `kind in ('password_reset', 'password_changed', 'address_confirmation')`

/**
 * Takes one mail that is due, of the next organization after `after` that has one: organizations take turns,
 * so one with many mails keeps no other waiting. It stays taken: a mail whose node dies in the middle may
 * have gone out, so no other node tries it again (`endLeases`). Two nodes never take the same one.
 */
export async function leaseMail(
  tx: PlatformTx,
  leaseMs: number,
  turn: { readonly after: string; readonly isUrgent: boolean },
): Promise<LeasedMail | null> {
  const row = await tx.one<LeasedMail & Record<string, unknown>>(
    `with due as (
       select organization_id, id from mails
       where status = 'queued' and due_at <= now() and organization_id > $2 ${turn.isUrgent ? `and ${URGENT}` : ''}
       order by organization_id, due_at limit 1 for update skip locked)
     update mails m set status = 'sending', attempts = m.attempts + 1,
       lease_until = now() + $1 * interval '1 millisecond'
     from due where m.organization_id = due.organization_id and m.id = due.id
     returning m.organization_id as "organizationId", m.id, m.attempts`,
    [leaseMs, turn.after],
  )
  return row ?? null
}

/** Mails whose node is not heard of: they may have gone out. Returns those whose lease ended now. */
export function endLeases(tx: PlatformTx, limit: number): Promise<LeasedMail[]> {
  return tx.query<LeasedMail & Record<string, unknown>>(
    `with over as (
       select organization_id, id from mails where status = 'sending' and lease_until < now()
       order by lease_until limit $1 for update skip locked)
     update mails m set status = 'unknown', lease_until = null, ended_at = now(), last_error = 'node gone'
     from over where m.organization_id = over.organization_id and m.id = over.id
     returning m.organization_id as "organizationId", m.id, m.attempts`,
    [limit],
  )
}

/** Puts mails aside when no mail server is configured. Returns their number. */
export async function keepMails(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `with due as (
       select organization_id, id from mails where status = 'queued' and due_at <= now()
       order by due_at limit $1 for update skip locked)
     update mails m set status = 'kept', ended_at = now()
     from due where m.organization_id = due.organization_id and m.id = due.id
     returning 1`,
    [limit],
  )
  return rows.length
}

export interface MailQueue {
  /** Counted up to a limit. */
  readonly queued: number
  /** Seconds since the oldest of them was due; 0 when none is. */
  readonly oldestSeconds: number
}

export async function readMailQueue(tx: PlatformTx, limit: number): Promise<MailQueue> {
  const row = await tx.one<{ queued: number; oldest: number }>(
    `select (select count(*)::int from (select 1 from mails where status = 'queued' limit $1) as waiting) as queued,
       coalesce((select greatest(extract(epoch from now() - due_at), 0)::float8 from mails
         where status = 'queued' order by due_at limit 1), 0) as oldest`,
    [limit],
  )
  return { queued: row!.queued, oldestSeconds: row!.oldest }
}

export interface MailRow {
  readonly id: string
  readonly kind: string
  readonly recipient: string
  readonly locale: string | null
  readonly data: unknown
  readonly order_id: string | null
  readonly user_id: string | null
  readonly status: string
  readonly attempts: number
  readonly last_error: string | null
  readonly resend_of: string | null
  readonly created_at: Date
  readonly due_at: Date
  readonly ended_at: Date | null
}

const COLUMNS = `id, kind, recipient, locale, data, order_id, user_id, status, attempts, last_error, resend_of,
  created_at, due_at, ended_at`

export async function readMail(tx: TenantTx, id: string): Promise<MailRow | null> {
  return (
    (await tx.one<MailRow & Record<string, unknown>>(
      `select ${COLUMNS} from mails where organization_id = $1 and id = $2`,
      [id],
    )) ?? null
  )
}

/** Newest first: ids begin with the time. `after` is the id of the last mail already seen. */
export function listMails(
  tx: TenantTx,
  filter: {
    readonly status: string | null
    readonly orderId: string | null
    readonly after: string | null
    readonly limit: number
  },
): Promise<MailRow[]> {
  return tx.query<MailRow & Record<string, unknown>>(
    `select ${COLUMNS} from mails
     where organization_id = $1 and ($2::text is null or status = $2) and ($3::uuid is null or order_id = $3)
       and ($4::uuid is null or id < $4)
     order by id desc limit $5`,
    [filter.status, filter.orderId, filter.after, filter.limit],
  )
}

/** Notes how an attempt ended. False: the mail is not in that attempt any more, and stays as it is. */
export async function noteMail(
  tx: TenantTx,
  { id, attempts }: Pick<LeasedMail, 'id' | 'attempts'>,
  note:
    | { readonly status: 'sent' }
    | { readonly status: 'dead' | 'unknown'; readonly error: string }
    | { readonly status: 'queued'; readonly error: string; readonly inMs: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update mails set status = $4, lease_until = null, last_error = $5,
       ended_at = case when $4 <> 'queued' then now() end,
       due_at = case when $4 = 'queued' then now() + $6 * interval '1 millisecond' else due_at end
     where organization_id = $1 and id = $2 and attempts = $3
       -- A node that was slow may still know that its mail was sent.
       and (status = 'sending' or (status = 'unknown' and $4 = 'sent'))
     returning 1`,
    [
      id,
      attempts,
      note.status,
      'error' in note ? note.error : null,
      'inMs' in note ? Math.round(note.inMs) : 0,
    ],
  )
  return rows.length > 0
}

/**
 * Mails that were kept while there was no mail server wait to be sent, the oldest first. Not those about
 * passwords: their links would be of no use. Returns how many, and how many are left.
 */
export async function queueKeptMails(
  tx: TenantTx,
  filter: { readonly since: Date | null; readonly limit: number },
): Promise<{ queued: number; left: number }> {
  const kept = `organization_id = $1 and status = 'kept' and not ${URGENT} and ($2::timestamptz is null or created_at >= $2)`
  const rows = await tx.query(
    `update mails set status = 'queued', due_at = now(), ended_at = null
     where organization_id = $1 and id in (select id from mails where ${kept} order by id limit $3 for update)
     returning 1`,
    [filter.since, filter.limit],
  )
  const left = await tx.one<{ count: number }>(`select count(*)::int as count from mails where ${kept}`, [
    filter.since,
  ])
  return { queued: rows.length, left: left!.count }
}

/** Mails that ended so many days ago, and were not queued again meanwhile. Returns how many rows went. */
export async function sweepMails(tx: PlatformTx, keepDays: number, limit: number): Promise<number> {
  const rows = await tx.query(
    `delete from mails where ended_at < now() - make_interval(days => $1) and (organization_id, id) in (
       select organization_id, id from mails
       where ended_at < now() - make_interval(days => $1) order by ended_at limit $2)
     returning 1`,
    [keepDays, limit],
  )
  return rows.length
}
