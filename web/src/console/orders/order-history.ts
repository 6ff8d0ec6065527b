import type { Data } from '@voelgoed/client'
import {
  armchair,
  circleAlert,
  creditCard,
  mail as mailIcon,
  pencilLine,
  receipt,
  undo,
} from '../kit/icons.ts'
import type { ConsoleWords } from '../kit/words/words.ts'

export type Order = Data<'GET /api/admin/orders/:order'>
export type AuditEntry = Data<'GET /api/admin/audit'>[number]

export interface HistoryLine {
  readonly key: string
  readonly icon: string
  /** Null: no time of it is known, and it comes last. */
  readonly at: string | null
  readonly title: string
  readonly note: string
  readonly isBad: boolean
}

interface Told {
  readonly order: Order
  readonly mails: Data<'GET /api/admin/mails'>
  /** Entries of this order. Empty: the reader may not see who did what, or they are on their way. */
  readonly audit: readonly AuditEntry[]
}

/** Tells what happened to an order, newest first: who sold it, moved it, mended it; its money and mails. */
export function historyOf(
  { order, mails, audit }: Told,
  words: Pick<ConsoleWords, 'orders' | 'support'>,
  money: (amount: number | null) => string,
): HistoryLine[] {
  const { orders, support } = words
  const refundedBy = new Map(
    audit.flatMap(({ action, changes, user_name: name }) =>
      action === 'order_refunded' && name ? [[changes.refund_id, support.history.by(name)] as const] : [],
    ),
  )
  const line = (key: string, icon: string, at: string | null, title: string, notes: Notes): HistoryLine => {
    return { key, icon, at, title, note: notes.filter(Boolean).join(' · '), isBad: false }
  }
  const lines = [
    ...order.payments.map((payment, index) => ({
      ...line(`payment-${index}`, creditCard, null, titleOf(payment), [orders.methods[payment.method]]),
      isBad: payment.status === 'declined' || payment.status === 'unknown',
    })),
    ...order.refunds.map(refund => ({
      ...line(refund.refund_id, undo, refund.created_at, refundTitle(refund), [
        refundedBy.get(refund.refund_id),
        `“${refund.reason}”`,
        restOf(refund),
      ]),
      isBad: refund.status === 'failed' || refund.given_up,
    })),
    ...order.refunded_at_gateway.map(refund => ({
      ...line(
        refund.gateway_refund_id,
        undo,
        refund.created_at,
        `${orders.atGateway} ${money(refund.amount)}`,
        [orders.refundStatuses[refund.status] ?? refund.status],
      ),
      isBad: true,
    })),
    ...order.disputes.map(dispute => ({
      ...line(dispute.dispute_id, circleAlert, null, `${orders.dispute} ${money(dispute.amount)}`, [
        dispute.reason,
      ]),
      isBad: true,
    })),
    ...mails.map(sent => ({
      ...line(
        sent.mail_id,
        mailIcon,
        sent.ended_at ?? sent.created_at,
        `${orders.mailKinds[sent.kind] ?? sent.kind}: ${orders.mailStatuses[sent.status] ?? sent.status}`,
        [sent.to, sent.last_error],
      ),
      isBad: sent.status === 'dead',
    })),
    ...audit.flatMap(entry => lineOfAudit(entry) ?? []),
    line('ordered', receipt, order.created_at, orders.ordered, [
      order.sold_by_name ? orders.soldBy(order.sold_by_name) : '',
    ]),
  ]
  return lines.sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''))

  function titleOf({ status, amount }: Order['payments'][number]): string {
    return `${orders.paymentStatuses[status] ?? status} ${money(amount)}`.trim()
  }

  function refundTitle(refund: Order['refunds'][number]): string {
    const { status, given_up, by_hand } = refund
    const state = status === 'done' ? status : given_up ? 'given_up' : by_hand ? 'by_hand' : status
    return `${orders.refundStatuses[state] ?? status} ${money(refund.amount)}`.trim()
  }

  function restOf({ amount, asked_amount }: Order['refunds'][number]): string {
    return asked_amount !== null && asked_amount < (amount ?? 0) ? orders.refundRest(money(asked_amount)) : ''
  }

  function lineOfAudit({ id, at, action, user_name, changes }: AuditEntry): HistoryLine | null {
    const who = user_name === null ? '' : support.history.by(user_name)
    const reason = typeof changes.reason === 'string' ? `“${changes.reason}”` : ''
    switch (action) {
      case 'order_moved': {
        const moves = changes.moves as readonly { readonly from: string; readonly to: string }[]
        const [from, to] = [moves.map(move => move.from), moves.map(move => move.to)]
        return line(id, armchair, at, support.history.moved(from.join(', '), to.join(', ')), [who, reason])
      }
      case 'order_contact_changed': {
        const by = changes.by === 'buyer' ? support.history.byBuyer : who
        const again = typeof changes.reissued === 'number' && changes.reissued > 0 ? changes.reissued : 0
        const notes = [by, again > 0 && support.history.reissued(again)]
        return line(id, pencilLine, at, contactTitle(changes), notes)
      }
      case 'order_refund_retried':
        return line(id, undo, at, support.history.retried, [who])
      case 'order_money_given_back':
        return line(id, undo, at, support.history.givenBack, [who])
      default:
        return null
    }
  }

  function contactTitle({ before, after }: AuditEntry['changes']): string {
    const names = { name: support.name, email: support.email, phone: support.phone }
    const [was, is] = [before, after] as Record<string, string | null | undefined>[]
    if (!was || !is) return support.history.contact
    const parts = (['name', 'email', 'phone'] as const).flatMap(key => {
      if (was[key] === undefined) return []
      const none = support.history.none
      return [support.history.contactOf(names[key], was[key] ?? none, is[key] ?? none)]
    })
    return parts.join(', ') || support.history.contact
  }
}

type Notes = readonly (string | false | null | undefined)[]
