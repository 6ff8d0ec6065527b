interface HasAmount {
  readonly amount: number | null
}

/** A refund that was begun. `byChoice`: so much more than its tickets cost, or less. */
interface EarlierRefund extends HasAmount {
  readonly byChoice: number
}

interface RefundedOrder {
  readonly total: number | null
  readonly refunds: readonly EarlierRefund[]
}

/**
 * Returns what tickets cost that are taken back. Fees and taxes on top of the lines are kept while another
 * ticket of the order is valid, and go back with the last one. Null: the seller did not say what was paid.
 */
export function worthOf(
  { total, refunds }: RefundedOrder,
  lines: readonly HasAmount[],
  { areLast }: { readonly areLast: boolean },
): number | null {
  const amount = sumOf(lines)
  if (amount === null || total === null || !areLast) return amount
  return total - refunds.reduce((sum, { amount, byChoice }) => sum + (amount ?? 0) - byChoice, 0)
}

/** Returns what goes back for tickets unless staff say another amount: what they cost, while it is there. */
export function refundAmount(
  order: RefundedOrder,
  lines: readonly HasAmount[],
  which: { readonly areLast: boolean },
): number | null {
  const worth = worthOf(order, lines, which)
  return worth === null ? null : Math.min(worth, leftOf(order) ?? worth)
}

/** So much of the money is neither given back nor promised. Null: no amount is known. */
export function leftOf({ total, refunds }: RefundedOrder): number | null {
  return total === null ? null : total - (sumOf(refunds) ?? 0)
}

/** Null: none of them has an amount. */
export function sumOf(parts: readonly HasAmount[]): number | null {
  let total: number | null = null
  for (const { amount } of parts) if (amount !== null) total = (total ?? 0) + amount
  return total
}
