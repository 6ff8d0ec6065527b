import type { EventId, OrganizationId, UserId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

type RefundRunStatus = 'running' | 'stopped' | 'done'

/**
 * Where an order of a cancelled event is: it waits; the run could not refund it; its tickets are void, and
 * the money is on its way through the gateway, was refused by it, is owed by staff, or was given back.
 */
export const REFUND_STATES = ['waiting', 'failed', 'on_the_way', 'refused', 'by_hand', 'refunded'] as const
export type RefundState = (typeof REFUND_STATES)[number]

/** Answers of the gateway that say nothing against a refund. */
const NO_REFUSAL = `('unknown', 'pending')`

/** Every order of the event ($2) that is to be refunded or was, with its state and its amount. */
const ORDERS = `select o.id as order_id, o.number, o.currency, r.id as refund_id, o.contact_name, o.contact_email,
    case when r.id is null then case when f.order_id is null then 'waiting' else 'failed' end
      when r.status = 'done' then 'refunded'
      when r.key is null then 'by_hand'
      when r.status = 'failed' or r.told not in ${NO_REFUSAL} then 'refused'
      else 'on_the_way' end as state,
    case when r.id is not null then r.amount
      when o.status = 'partly_refunded' then o.total - (select coalesce(sum(x.amount), 0) from refunds x
        where x.organization_id = $1 and x.order_id = o.id)
      else o.total end as amount,
    coalesce(case when r.id is null then f.reason end, r.told, r.status::text) as said,
    (select p.method from payments p where p.organization_id = $1 and p.order_id = o.id) as method, r.created_at
  from orders o
  -- A part of it may be owed again, as a refund of its own: the order is where that is.
  left join lateral (select x.id, x.status, x.key, x.told, x.created_at, sum(x.amount) over () as amount from refunds x
    where x.organization_id = $1 and x.order_id = o.id and x.cause = 'event_cancelled'
    order by x.status = 'done', x.id limit 1) r on true
  left join refund_failures f on f.organization_id = $1 and f.order_id = o.id
  where o.organization_id = $1 and o.event_id = $2
    and (r.id is not null or o.status in ('paid', 'partly_refunded'))`

export interface RefundRunRow {
  readonly status: RefundRunStatus
  readonly started_by: UserId
  readonly started_at: Date
  readonly moved_at: Date
  readonly ended_at: Date | null
}

/** With `lock` the run is not stopped until this transaction ends. Null: there is none. */
export async function readRefundRun(
  tx: TenantTx,
  eventId: EventId,
  { lock = false } = {},
): Promise<RefundRunRow | null> {
  const row = await tx.one<RefundRunRow & Record<string, unknown>>(
    `select status, started_by, started_at, moved_at, ended_at from refund_runs
     where organization_id = $1 and event_id = $2 ${lock ? 'for share' : ''}`,
    [eventId],
  )
  return row ?? null
}

/** Starts a run, or goes on with one that was stopped or is done. */
export async function startRefundRun(tx: TenantTx, eventId: EventId, by: string): Promise<void> {
  await tx.query(
    `insert into refund_runs (organization_id, event_id, status, started_by) values ($1, $2, 'running', $3)
     on conflict (organization_id, event_id) do update set status = 'running', started_by = excluded.started_by,
       started_at = now(), moved_at = now(), ended_at = null`,
    [eventId, by],
  )
}

/** At once, and then as often as a new refund. */
const AGAIN = 'look_at = now(), looks = 0, tried_since = now()'

/** Refunds of an order that the gateway has not made are asked for again. Returns their ids. */
export async function retryRefundsOfOrder(tx: TenantTx, orderId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update refunds set ${AGAIN}
     where organization_id = $1 and order_id = $2 and status <> 'done' and key is not null returning id`,
    [orderId],
  )
  return rows.map(row => row.id).sort()
}

/** Tries again at once what could not be done, by the run and at the gateway. */
export async function retryRefunds(tx: TenantTx, eventId: EventId): Promise<void> {
  await tx.query(
    `update refund_failures f set again_at = now(), attempts = 1 from orders o
     where f.organization_id = $1 and o.organization_id = $1 and o.id = f.order_id and o.event_id = $2`,
    [eventId],
  )
  await tx.query(
    `update refunds r set ${AGAIN} from orders o
     where r.organization_id = $1 and o.organization_id = $1 and o.id = r.order_id and o.event_id = $2
       and r.cause = 'event_cancelled' and r.status <> 'done' and r.key is not null
       and (r.status = 'failed' or r.told not in ${NO_REFUSAL} or r.look_at is null)`,
    [eventId],
  )
}

/** Nothing is left that the run would try. False: it was not running. */
export async function endRefundRun(tx: TenantTx, eventId: EventId): Promise<boolean> {
  const rows = await tx.query(
    `update refund_runs set status = 'done', ended_at = now()
     where organization_id = $1 and event_id = $2 and status = 'running' returning 1`,
    [eventId],
  )
  return rows.length > 0
}

/** Staff stop a run that goes on, or leave those that it could not refund. False: there is neither. */
export async function stopRefundRun(tx: TenantTx, eventId: EventId): Promise<boolean> {
  const rows = await tx.query(
    `update refund_runs set status = 'stopped', ended_at = now()
     where organization_id = $1 and event_id = $2 and (status = 'running' or status = 'done' and exists (
       select from ${STILL_FAILED} and f.organization_id = $1 and o.event_id = $2)) returning 1`,
    [eventId],
  )
  return rows.length > 0
}

export async function noteRefunded(tx: TenantTx, eventId: EventId, orderId: string): Promise<void> {
  await tx.query('update refund_runs set moved_at = now() where organization_id = $1 and event_id = $2', [
    eventId,
  ])
  await tx.query('delete from refund_failures where organization_id = $1 and order_id = $2', [orderId])
}

/** After so many attempts, not again before staff resume the run. */
export async function noteFailedRefund(
  tx: TenantTx,
  orderId: string,
  reason: string,
  { firstPauseMs, attempts }: { readonly firstPauseMs: number; readonly attempts: number },
): Promise<void> {
  await tx.query(
    `insert into refund_failures as f (organization_id, order_id, reason, again_at)
     values ($1, $2, $3, now() + $4 * interval '1 millisecond')
     on conflict (organization_id, order_id) do update set reason = excluded.reason, attempts = f.attempts + 1,
       failed_at = now(), again_at = case when f.attempts + 1 < $5
         then now() + $4 * power(2, f.attempts) * interval '1 millisecond' end`,
    [orderId, reason.slice(0, 100), firstPauseMs, attempts],
  )
}

export async function hasPaidOrders(tx: TenantTx, eventId: EventId): Promise<boolean> {
  const row = await tx.one(
    `select 1 from orders where organization_id = $1 and event_id = $2 and status in ('paid', 'partly_refunded')
     limit 1`,
    [eventId],
  )
  return row !== undefined
}

/**
 * Finds the orders that a run can refund now. `isOver`: nothing is left that it would try again by itself.
 */
export async function nextOrdersToRefund(
  tx: TenantTx,
  eventId: EventId,
  limit: number,
): Promise<{ orderIds: string[]; isOver: boolean }> {
  const rows = await tx.query<{ id: string; is_due: boolean }>(
    `select o.id, f.order_id is null or f.again_at <= now() as is_due from orders o
     left join refund_failures f on f.organization_id = $1 and f.order_id = o.id
     where o.organization_id = $1 and o.event_id = $2 and o.status in ('paid', 'partly_refunded')
       and (f.order_id is null or f.again_at is not null)
     order by is_due desc, o.id limit $3`,
    [eventId, limit],
  )
  return { orderIds: rows.filter(row => row.is_due).map(row => row.id), isOver: rows.length === 0 }
}

/** Refunds of runs that the gateway was not asked for yet, or has not answered; counted up to the limit. */
export async function countUnanswered(tx: TenantTx, limit: number): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*)::int as count from (select 1 from refunds
       where organization_id = $1 and status = 'pending' and cause = 'event_cancelled' and key is not null
         and look_at is not null and coalesce(told, 'unknown') = 'unknown' limit $2) as waiting`,
    [limit],
  )
  return row!.count
}

/** Runs that go on, the one first that the job has left alone for longest. Each counts as visited now. */
export async function visitRefundRuns(
  tx: PlatformTx,
  limit: number,
): Promise<{ scope: TenantScope; eventId: EventId }[]> {
  const rows = await tx.query<{ organization_id: OrganizationId; event_id: EventId }>(
    `with due as (select organization_id, event_id from refund_runs where status = 'running'
       order by visited_at limit $1 for update skip locked)
     update refund_runs r set visited_at = now() from due
     where r.organization_id = due.organization_id and r.event_id = due.event_id
     returning r.organization_id, r.event_id`,
    [limit],
  )
  return rows.map(row => ({ scope: TenantScope.of(row.organization_id), eventId: row.event_id }))
}

/** An order that a run could not refund, and that was not refunded otherwise since. */
const STILL_FAILED = `refund_failures f join orders o on o.organization_id = f.organization_id and o.id = f.order_id
  where o.status in ('paid', 'partly_refunded')`

/**
 * Counts the runs that go on, the seconds since the one that stands still for longest refunded an order, and
 * the orders of runs that were not stopped which are not tried again before staff resume them.
 */
export async function countRefundRuns(
  tx: PlatformTx,
): Promise<{ running: number; stillSeconds: number; givenUp: number }> {
  const row = await tx.one<{ running: number; still: number; given_up: number }>(
    `select count(*)::int as running, coalesce(extract(epoch from now() - min(moved_at)), 0)::float8 as still,
       (select count(*)::int from ${STILL_FAILED} and f.again_at is null and exists (
          select from events e join refund_runs r on r.organization_id = e.organization_id and r.event_id = e.id
          where e.organization_id = o.organization_id and e.id = o.event_id
            and e.status = 'cancelled' and r.status <> 'stopped')) as given_up
     from refund_runs where status = 'running'`,
  )
  return { running: row!.running, stillSeconds: Math.max(0, row!.still), givenUp: row!.given_up }
}

/** Counts the orders of an event that its run could not refund. */
export async function countFailedRefunds(tx: TenantTx, eventId: EventId): Promise<number> {
  const row = await tx.one<{ failed: number }>(
    `select count(*)::int as failed from ${STILL_FAILED} and f.organization_id = $1 and o.event_id = $2`,
    [eventId],
  )
  return row!.failed
}

export interface RefundCount {
  readonly state: RefundState
  readonly currency: string | null
  readonly orders: number
  readonly amount: number | null
}

export function countRefundStates(tx: TenantTx, eventId: EventId): Promise<RefundCount[]> {
  return tx.query<RefundCount & Record<string, unknown>>(
    `select state, currency, count(*)::int as orders, sum(amount)::float8 as amount from (${ORDERS}) as each
     group by state, currency order by currency, state`,
    [eventId],
  )
}

/** Counts the refunds of the last minute that the event's cancellation caused. */
export async function countRefundsOfMinute(tx: TenantTx, eventId: EventId): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*)::int as count from refunds r join orders o on o.organization_id = $1 and o.id = r.order_id
     where r.organization_id = $1 and o.event_id = $2 and r.cause = 'event_cancelled'
       and r.created_at > now() - interval '1 minute'`,
    [eventId],
  )
  return row!.count
}

export interface RefundedOrderRow {
  readonly order_id: string
  readonly number: string
  readonly contact_name: string | null
  readonly contact_email: string | null
  readonly method: string
  readonly state: RefundState
  readonly currency: string | null
  readonly amount: number | null
  readonly said: string | null
  readonly created_at: Date | null
}

/** In the order of their ids; `after` is the last that was seen. */
export function listRefundStates(
  tx: TenantTx,
  eventId: EventId,
  filter: { readonly state: RefundState | null; readonly after: string | null; readonly limit: number },
): Promise<RefundedOrderRow[]> {
  return tx.query<RefundedOrderRow & Record<string, unknown>>(
    `select order_id, number, contact_name, contact_email, method, state, currency, amount::float8 as amount, said,
       created_at
     from (${ORDERS}) as each
     where ($3::text is null or state = $3) and ($4::uuid is null or order_id > $4)
     order by order_id limit $5`,
    [eventId, filter.state, filter.after, filter.limit],
  )
}

/**
 * Refunds that staff owe: no gateway took the money, or it was given up. No other transaction changes them
 * until this one ends.
 */
export async function lockOwedRefunds(tx: TenantTx, orderId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from refunds where organization_id = $1 and order_id = $2 and status <> 'done'
       and (key is null or look_at is null)
     order by id for update`,
    [orderId],
  )
  return rows.map(row => row.id)
}
