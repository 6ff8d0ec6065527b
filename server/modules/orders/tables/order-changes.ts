import type { PaymentId, RefundId, UserId } from '@voelgoed/core/ids'
import type {
  Order,
  OrderChange,
  PaymentStatus,
  RefundCause,
  TicketReplaced,
} from '@voelgoed/core/orders/order'
import { assertNever } from '@voelgoed/core/result'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** After so many attempts that failed, a refund waits for staff: the buyer's account may be closed. */
export const MOST_FAILURES = 5

/** The rows of a change need these, and the rules do not know them. */
export interface ChangeDetails {
  /** The member of staff who moves the tickets. */
  readonly movedBy?: UserId
  /**
   * A refund is started for this reason. `key`: by which the gateway knows it; null: staff give the money
   * back.
   */
  readonly refund?: { readonly cause: RefundCause; readonly reason: string; readonly key: string | null }
}

/** Writes what was decided on an order that is locked. */
export async function writeOrderChanges(
  tx: TenantTx,
  orderId: string,
  before: Order,
  { order: after, changes }: { readonly order: Order; readonly changes: readonly OrderChange[] },
  details: ChangeDetails = {},
): Promise<void> {
  // Sent in this order, in one round trip. Lines that are taken back name their refund.
  const started = changes.flatMap(change => (change.kind === 'refund_started' ? [startRefund(change)] : []))
  await Promise.all([...started, ...changes.map(write), moveOrder()])

  async function moveOrder(): Promise<void> {
    if (after.status === before.status) return
    await tx.prepared(
      'move_order',
      'update orders set status = $3::order_status where organization_id = $1 and id = $2',
      [orderId, after.status],
    )
  }

  async function write(change: OrderChange): Promise<void> {
    switch (change.kind) {
      case 'payment_tried_again':
        return movePayment(change.paymentId, 'created')
      case 'payment_waits':
        return movePayment(change.paymentId, 'created', change.forBuyer)
      case 'payment_unknown':
        return movePayment(change.paymentId, 'unknown')
      case 'payment_declined':
        return movePayment(change.paymentId, 'declined')
      case 'payment_captured':
        return movePayment(change.paymentId, 'captured')
      case 'tickets_moved':
        return moveTickets(change.moves)
      case 'lines_voided':
        await tx.query(
          `update order_lines set refund_id = $3
           where organization_id = $1 and order_id = $2 and ticket_id = any ($4::uuid[])`,
          [orderId, change.refundId, change.ticketIds],
        )
        return
      case 'refund_started':
        return movePayment(change.paymentId, 'refunding')
      case 'refund_failed':
        return failRefund(change.refundId)
      case 'refund_came_back':
        await Promise.all([failRefund(change.refundId), payBack(change.paymentId)])
        return
      case 'payment_refunded':
        await Promise.all([endRefund(change), payBack(change.paymentId)])
        return
      case 'outside_came_back':
        await Promise.all([...change.parts.map(lowerRefund), payBack(change.paymentId)])
        return
      case 'opened':
      case 'reopened':
      case 'cancelled':
      case 'expired':
      case 'not_sold':
        return
      case 'payment_created':
      case 'tickets_issued':
        throw new Error(`impossible: ${change.kind} is written with the command on its places`)
      default:
        assertNever(change, 'a kind of change that this program does not know')
    }
  }

  async function moveTickets(moves: readonly TicketReplaced[]): Promise<void> {
    const pairs = [orderId, moves.map(({ from }) => from), moves.map(({ to }) => to)]
    await tx.query(
      `insert into ticket_moves (organization_id, order_id, from_ticket_id, to_ticket_id, moved_by)
       select $1, $2, unnest($3::uuid[]), unnest($4::uuid[]), $5`,
      [...pairs, details.movedBy],
    )
    await tx.query(
      `update order_lines l set ticket_id = m.after
       from unnest($3::uuid[], $4::uuid[]) as m (before, after)
       where l.organization_id = $1 and l.order_id = $2 and l.ticket_id = m.before`,
      pairs,
    )
  }

  async function startRefund(change: Extract<OrderChange, { kind: 'refund_started' }>): Promise<void> {
    const { refundId, paymentId, amount, byChoice = 0, by } = change
    const { cause, reason, key } = details.refund!
    await tx.query(
      `insert into refunds (organization_id, order_id, id, payment_id, amount, cause, reason, recorded_by, key, by_choice,
         status, look_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending',
         case when $9::text is not null then clock_timestamp() end)`,
      [orderId, refundId, paymentId, amount, cause, reason, by, key, byChoice],
    )
  }

  async function movePayment(id: PaymentId, status: PaymentStatus, waitsForBuyer = false): Promise<void> {
    await tx.prepared(
      'move_payment',
      `update payments set status = $4::payment_status, waits_for_buyer = $5
       where organization_id = $1 and order_id = $2 and id = $3`,
      [orderId, id, status, waitsForBuyer],
    )
  }

  /** Writes how much of a payment went back by now. */
  async function payBack(id: PaymentId): Promise<void> {
    const { status, refunded } = after.payments.find(each => each.paymentId === id)!
    await tx.query(
      `update payments set status = $4, refunded_amount = $5
       where organization_id = $1 and order_id = $2 and id = $3`,
      [orderId, id, status, refunded],
    )
  }

  async function endRefund(change: Extract<OrderChange, { kind: 'payment_refunded' }>): Promise<void> {
    const { refundId, isByHand = false, outside = 0 } = change
    await tx.query(
      `update refunds set status = 'done', look_at = null, by_hand = $4, asked = nullif(amount - $5, amount)
       where organization_id = $1 and order_id = $2 and id = $3`,
      [orderId, refundId, isByHand, outside],
    )
  }

  async function lowerRefund({ refundId, amount }: { refundId: RefundId; amount: number }): Promise<void> {
    await tx.query(
      `update refunds set amount = amount - $4, asked = nullif(asked, amount - $4)
       where organization_id = $1 and order_id = $2 and id = $3`,
      [orderId, refundId, amount],
    )
  }

  /** The attempt is over. The next asks for all of it, and has its own time, unless there were too many. */
  async function failRefund(id: RefundId): Promise<void> {
    await tx.query(
      `update refunds set status = 'failed', told = 'failed', failures = failures + 1, asked = null,
         tried_since = now(), looks = case when look_at is null then 0 else looks end,
         look_at = case when failures + 1 < $4 then coalesce(look_at, clock_timestamp()) end
       where organization_id = $1 and order_id = $2 and id = $3`,
      [orderId, id, MOST_FAILURES],
    )
  }
}
