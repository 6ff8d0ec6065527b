interface HasAmount {
  readonly amount: number | null
}

/**
 * Returns what goes back for tickets. Fees and taxes on top of the lines are kept while another ticket of the
 * order is valid, and go back with the last one. Null: the seller did not say what was paid.
 */
export function refundAmount(
  order: { readonly total: number | null; readonly refunds: readonly HasAmount[] },
  lines: readonly HasAmount[],
  { areLast }: { readonly areLast: boolean },
): number | null {
  const amount = sumOf(lines)
  if (amount === null || order.total === null || !areLast) return amount
  return order.total - (sumOf(order.refunds) ?? 0)
}

/** Null: none of them has an amount. */
export function sumOf(parts: readonly HasAmount[]): number | null {
  let total: number | null = null
  for (const { amount } of parts) if (amount !== null) total = (total ?? 0) + amount
  return total
}
