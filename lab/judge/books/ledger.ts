import type { Violation } from '../record.ts'
import type { Books, Heard, IntentRow, LineRow, OrderRow, PaymentRow, RefundRow, TicketRow } from './books.ts'

/** Everything of one order. */
export interface Account {
  readonly order: OrderRow
  readonly payments: readonly PaymentRow[]
  readonly refunds: readonly RefundRow[]
  readonly lines: readonly LineRow[]
  readonly tickets: readonly TicketRow[]
  /** At the gateway. */
  readonly intents: readonly IntentRow[]
  /** The gateway gave back so much, by its own books. */
  readonly givenBack: number
  /** Staff gave back so much by hand of money that the gateway had taken. */
  readonly byHand: number
}

/** The books by order. */
export function accountsOf(books: Books): Map<string, Account> {
  const payments = groupBy(books.payments, ({ order }) => order)
  const refunds = groupBy(books.refunds, ({ order }) => order)
  const lines = groupBy(books.lines, ({ order }) => order)
  const tickets = groupBy(books.tickets, ({ order }) => order)
  const intents = groupBy(books.intents, ({ order }) => order)
  const givenBack = groupBy(books.gatewayRefunds, ({ intent }) => intent)
  return new Map(
    books.orders.map(order => {
      const own = intents.get(order.id) ?? []
      const account: Account = {
        order,
        payments: payments.get(order.id) ?? [],
        refunds: refunds.get(order.id) ?? [],
        lines: lines.get(order.id) ?? [],
        tickets: tickets.get(order.id) ?? [],
        intents: own,
        byHand: sum((refunds.get(order.id) ?? []).filter(each => each.byHand).map(({ amount }) => amount)),
        givenBack: sum(own.flatMap(({ id }) => givenBack.get(id) ?? []).map(({ amount }) => amount)),
      }
      return [order.id, account]
    }),
  )
}

/** Counts what the gateway took, also where it gave some of it back later. */
export function capturedOf({ intents }: Account): number {
  return sum(intents.filter(({ status }) => status === 'captured').map(({ amount }) => amount))
}

/** The order that has made way for another, says this answer; null: none has. */
export function replacedBy({ kind, outcome, order, replaces }: Heard): string | null {
  if (outcome !== 'ok') return null
  if (kind === 'replace') return order ?? null
  return kind === 'open' && replaces !== order ? (replaces ?? null) : null
}

export function hasMoney({ status }: PaymentRow): boolean {
  return status === 'captured' || status === 'refunding' || status === 'refunded'
}

export function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

export function sum(amounts: readonly (number | null)[]): number {
  return amounts.reduce<number>((total, amount) => total + (amount ?? 0), 0)
}

/** Adds what a rule finds wrong. */
export type Complain = (violation: Violation) => void

/** The least that shows what is wrong with an order. */
export function evidenceOf({ order, payments, refunds, lines, intents, givenBack }: Account): unknown[] {
  return [order, ...intents, { givenBack }, ...payments, ...refunds, ...lines]
}
