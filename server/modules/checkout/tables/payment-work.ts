import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** Work on an order that is due. No other process takes it until its lease is over. */
export interface DueOrder {
  readonly scope: TenantScope
  readonly orderId: string
}

export interface DuePayment extends DueOrder {
  readonly intentId: string | null
  /** When the gateway was last asked to take the money. */
  readonly sentAt: Date
  /** No call that would take it can still be on its way. */
  readonly isSettled: boolean
  /** It is never looked up again, although the buyer may have been charged. */
  readonly isGivenUp: boolean
}

export interface DueRefund extends DueOrder {
  readonly refundId: string
  /** The gateway was asked for long enough: it is not asked again until staff say so. */
  readonly isOver: boolean
}

/** From 0; one that failed is followed by the next. */
export interface RefundAttempt {
  readonly orderId: string
  readonly refundId: string
  readonly attempt: number
}

interface Lease {
  readonly limit: number
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  readonly giveUpAfterMs: number
}

/** Twice as long each time; when it is over, never again. */
const next = (isOver: string, at: number) => `case when ${isOver} then null
  else now() + least($${at} * power(2, least(w.looks, 30)), $${at + 1}) * interval '1 millisecond' end`

/**
 * Payments whose outcome is not known. Their next look is later than this one, so a lease is a pause. Where
 * the buyer may have been charged, they are looked up once a day when the pauses are over, until they are
 * given up.
 */
export async function leasePayments(
  tx: PlatformTx,
  gateway: string,
  { limit, firstPauseMs, longestPauseMs, giveUpAfterMs }: Lease,
  { settledAfterMs, dailyForMs }: { settledAfterMs: number; dailyForMs: number },
): Promise<DuePayment[]> {
  const isPast = (at: number) =>
    `coalesce(w.sent_at, w.created_at) < now() - $${at} * interval '1 millisecond'`
  const mayBeCharged = "w.status in ('created', 'unknown') and not w.waits_for_buyer"
  const rows = await tx.query<{
    organization_id: OrganizationId
    order_id: string
    intent_id: string | null
    sent_at: Date
    is_settled: boolean
    is_given_up: boolean
  }>(
    `with due as (select organization_id, id from payments where look_at <= now() and gateway = $7
       order by look_at limit $1 for update skip locked)
     update payments w set looks = w.looks + 1, look_at = case
       when ${mayBeCharged} and ${isPast(4)} and not ${isPast(6)} then now() + interval '1 day'
       else ${next(isPast(4), 2)} end
     from due where w.organization_id = due.organization_id and w.id = due.id
     returning w.organization_id, w.order_id, w.intent_id, coalesce(w.sent_at, w.created_at) as sent_at,
       ${isPast(5)} as is_settled, w.look_at is null and ${mayBeCharged} as is_given_up`,
    [limit, firstPauseMs, longestPauseMs, giveUpAfterMs, settledAfterMs, dailyForMs, gateway],
  )
  return rows.map(row => ({
    scope: TenantScope.of(row.organization_id),
    orderId: row.order_id,
    intentId: row.intent_id,
    sentAt: row.sent_at,
    isSettled: row.is_settled,
    isGivenUp: row.is_given_up,
  }))
}

/**
 * Money that waits to go back through the gateway. One whose time is over is given up and not asked for:
 * while a call may be on its way, it has a next look. One that the gateway has, and has not decided on, is
 * not given up: staff would give the money back a second time. It is asked about once a day.
 */
export async function leaseRefunds(
  tx: PlatformTx,
  { limit, firstPauseMs, longestPauseMs, giveUpAfterMs }: Lease,
): Promise<DueRefund[]> {
  const rows = await tx.query<{
    organization_id: OrganizationId
    order_id: string
    id: string
    is_over: boolean
  }>(
    `with late as (select organization_id, id, tried_since < now() - $4 * interval '1 millisecond' as is_late,
         coalesce(told = 'pending', false) as is_there
       from refunds where look_at <= now() order by look_at limit $1 for update skip locked),
     due as (select *, is_late and not is_there as is_over from late)
     update refunds w set looks = w.looks + 1, look_at = case when due.is_late and due.is_there
       then now() + interval '1 day' else ${next('due.is_over', 2)} end
     from due where w.organization_id = due.organization_id and w.id = due.id
     returning w.organization_id, w.order_id, w.id, due.is_over`,
    [limit, firstPauseMs, longestPauseMs, giveUpAfterMs],
  )
  return rows.map(row => ({
    scope: TenantScope.of(row.organization_id),
    orderId: row.order_id,
    refundId: row.id,
    isOver: row.is_over,
  }))
}

/** Checkouts whose holds may have run out. */
export async function leaseCheckouts(tx: PlatformTx, limit: number, leaseMs: number): Promise<DueOrder[]> {
  const rows = await tx.query<{ organization_id: OrganizationId; order_id: string }>(
    `with due as (select organization_id, order_id from checkouts where due_at <= now()
       order by due_at limit $1 for update skip locked)
     update checkouts c set due_at = now() + $2 * interval '1 millisecond'
     from due where c.organization_id = due.organization_id and c.order_id = due.order_id
     returning c.organization_id, c.order_id`,
    [limit, leaseMs],
  )
  return rows.map(row => ({ scope: TenantScope.of(row.organization_id), orderId: row.order_id }))
}

/**
 * Counts what waits for the gateway: payments, without those that wait for the buyer or were declined, and
 * the seconds since the oldest of them was made; refunds, and those that were given up.
 */
export async function countWaitingPayments(
  tx: PlatformTx,
): Promise<{ unknown: number; refunds: number; oldestSeconds: number; givenUp: number }> {
  const row = await tx.one<{ unknown: number; refunds: number; oldest: number | null; given_up: number }>(
    `select (select count(*)::int from payments
         where look_at is not null and status <> 'declined' and not waits_for_buyer) as unknown,
       (select count(*)::int from refunds where look_at is not null) as refunds,
       (select extract(epoch from now() - min(created_at))::float8 from payments
         where look_at is not null and status <> 'declined' and not waits_for_buyer) as oldest,
       (select count(*)::int from refunds where status <> 'done' and look_at is null and key is not null)
         as given_up`,
  )
  const { unknown, refunds, oldest, given_up } = row!
  return { unknown, refunds, oldestSeconds: oldest ?? 0, givenUp: given_up }
}

/** A refund as the gateway must be asked for it now; null: there is nothing left to ask. */
export async function readGatewayRefund(
  tx: TenantTx,
  orderId: string,
  refundId: string,
): Promise<{ key: string; attempt: number; intentId: string; amount: number } | null> {
  const row = await tx.one<{ key: string; failures: number; intent_id: string; amount: number }>(
    `select r.key, r.failures, p.intent_id, coalesce(r.asked, r.amount)::float8 as amount
     from refunds r join payments p on p.organization_id = $1 and p.id = r.payment_id
     where r.organization_id = $1 and r.order_id = $2 and r.id = $3 and r.status <> 'done'
       and r.key is not null and p.intent_id is not null`,
    [orderId, refundId],
  )
  if (!row) return null
  // A refund that the gateway gave up keeps its key there: the next has another.
  const key = row.failures === 0 ? row.key : `${row.key}:${row.failures}`
  return { key, attempt: row.failures, intentId: row.intent_id, amount: row.amount }
}

/**
 * The gateway has no more than this to give back. The key that it refused is over: it keeps its answer for a
 * while, and a key is for one amount.
 */
export async function askForLess(
  tx: TenantTx,
  { orderId, refundId, attempt }: RefundAttempt,
  amount: number,
): Promise<void> {
  await tx.query(
    `update refunds set asked = $5, failures = failures + 1, look_at = clock_timestamp()
     where organization_id = $1 and order_id = $2 and id = $3 and failures = $4 and status <> 'done'`,
    [orderId, refundId, attempt, amount],
  )
}

/**
 * Keeps the gateway's answer to an attempt that did not give the money back, unless there was another since.
 */
export async function noteRefundAnswer(
  tx: TenantTx,
  { orderId, refundId, attempt }: RefundAttempt,
  told: string,
): Promise<void> {
  await tx.query(
    `update refunds set told = $5
     where organization_id = $1 and order_id = $2 and id = $3 and failures = $4 and status <> 'done'`,
    [orderId, refundId, attempt, told],
  )
}

/** The refund whose present attempt the gateway knows by this key. */
export async function findRefundByKey(tx: TenantTx, key: string): Promise<RefundAttempt | null> {
  const row = await tx.one<{ order_id: string; id: string; failures: number }>(
    `select order_id, id, failures from refunds where organization_id = $1 and key is not null and not by_hand
       and $2 = key || case when failures = 0 then '' else ':' || failures end`,
    [key],
  )
  return row ? { orderId: row.order_id, refundId: row.id, attempt: row.failures } : null
}

/**
 * Tells if a refund of the order has, or had, this key at the gateway. A refund that staff gave back by hand
 * does not count: if the gateway gave it back as well, staff must see it.
 */
export async function isKeyOfRefund(tx: TenantTx, orderId: string, key: string): Promise<boolean> {
  const row = await tx.one(
    `select 1 from refunds where organization_id = $1 and order_id = $2 and not by_hand
       and (key = $3 or starts_with($3, key || ':'))`,
    [orderId, key],
  )
  return row !== undefined
}

/**
 * The account at Stripe that takes the money for an order: that of its payment, which stays with it, else the
 * organization's; null: the platform's own.
 */
export async function readStripeAccount(tx: TenantTx, orderId: string): Promise<string | null> {
  const row = await tx.one<{ account: string | null }>(
    `select case when p.id is null then o.stripe_account else p.account end as account
     from organizations o left join payments p on p.organization_id = $1 and p.order_id = $2
     where o.id = $1`,
    [orderId],
  )
  return row?.account ?? null
}
