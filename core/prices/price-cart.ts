import { ok, type Result, refuse } from '../result.ts'
import { taxOf } from './all-in.ts'
import type { Category, PriceList, TicketType } from './price-list.ts'

/** Places of one hold that are bought as one type of ticket. A hold of many places may be several. */
export interface CartItem {
  readonly holdId: string
  /** As `categoryOf` says. */
  readonly category: Category | null
  readonly quantity: number
  /** Left out: the first of the category. */
  readonly ticketType?: string
}

interface PricedLine {
  readonly holdId: string
  readonly category: Category
  readonly ticketType: TicketType
  readonly quantity: number
  readonly amount: number
}

export interface PricedCart {
  readonly currency: string
  readonly lines: readonly PricedLine[]
  readonly fees: readonly { readonly name: string; readonly amount: number }[]
  readonly tax: {
    readonly name: string
    readonly percent: number
    readonly included: boolean
    readonly amount: number
  } | null
  readonly total: number
}

export type NotPriced =
  /** These holds have no category with a price; all of them if the event has no prices. */
  | { readonly kind: 'not_priced'; readonly holdIds: readonly string[] }
  | { readonly kind: 'ticket_type_unknown'; readonly holdIds: readonly string[] }
  /** More than a number can say exactly. */
  | { readonly kind: 'total_too_large' }

/**
 * Returns what a cart costs, exact to the minor unit.
 *
 *   line    amount of the ticket type × quantity
 *   fee     its amount × tickets, or its amount once for an order that has tickets
 *   tax     of the sum of lines and fees, rounded once for the whole cart, half a minor unit up:
 *             on top     sum × percent / 100              total = sum + tax
 *             included   sum × percent / (100 + percent)  total = sum
 *
 * Lines and fees are whole by themselves, so the tax is the only number that is ever rounded.
 */
export function priceCart(list: PriceList | null, items: readonly CartItem[]): Result<PricedCart, NotPriced> {
  if (!list) return refuse({ kind: 'not_priced', holdIds: items.map(({ holdId }) => holdId) })
  const notPriced = items.filter(({ category }) => !category?.ticket_types.length)
  if (notPriced.length > 0) {
    return refuse({ kind: 'not_priced', holdIds: notPriced.map(({ holdId }) => holdId) })
  }
  const chosen = items.map(item => ({ ...item, category: item.category!, ticket: ticketOf(item) }))
  const unknown = chosen.filter(({ ticket }) => ticket === undefined)
  if (unknown.length > 0) {
    return refuse({ kind: 'ticket_type_unknown', holdIds: unknown.map(({ holdId }) => holdId) })
  }

  const tickets = sum(items.map(({ quantity }) => BigInt(quantity)))
  const amounts = chosen.map(({ ticket, quantity }) => BigInt(ticket!.amount) * BigInt(quantity))
  const fees = tickets === 0n ? [] : list.fees
  const feeAmounts = fees.map(({ amount, per }) => BigInt(amount) * (per === 'ticket' ? tickets : 1n))
  const base = sum(amounts) + sum(feeAmounts)
  const tax = list.tax && taxOf(base, list.tax)
  const total = list.tax?.included ? base : base + (tax ?? 0n)
  if (total > BigInt(Number.MAX_SAFE_INTEGER)) return refuse({ kind: 'total_too_large' })
  return ok({
    currency: list.currency,
    lines: chosen.map(({ holdId, category, ticket, quantity }, index) => ({
      holdId,
      category,
      ticketType: ticket!,
      quantity,
      amount: Number(amounts[index]),
    })),
    fees: fees.map(({ name }, index) => ({ name, amount: Number(feeAmounts[index]) })),
    tax: list.tax && { ...list.tax, amount: Number(tax) },
    total: Number(total),
  })
}

function ticketOf({ category, ticketType }: CartItem): TicketType | undefined {
  const types = category!.ticket_types
  return ticketType === undefined ? types[0] : types.find(({ key }) => key === ticketType)
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n)
}
