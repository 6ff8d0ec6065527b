import type { PriceList } from './price-list.ts'

/** Splits what has to be paid for places: `total` is their amounts, `fees` and `taxOnTop`. */
export interface AllIn {
  readonly total: number
  /** The fees of tickets. Fees of the order come once, and belong to no place. */
  readonly fees: number
  /** 0 where the amounts include the tax. */
  readonly taxOnTop: number
}

/**
 * Returns what has to be paid for places of these amounts: with the fee of a ticket, and with tax where the
 * amounts do not include it. The tax is rounded once, as for a cart of these places (`priceCart`).
 */
export function allIn({ fees, tax }: Pick<PriceList, 'fees' | 'tax'>, amounts: readonly number[]): AllIn {
  const perTicket = fees.reduce((sum, { amount, per }) => (per === 'ticket' ? sum + amount : sum), 0)
  const feeAmount = perTicket * amounts.length
  const base = amounts.reduce((sum, amount) => sum + amount, feeAmount)
  const taxOnTop = taxOnTopOf(base, tax)
  return { total: base + taxOnTop, fees: feeAmount, taxOnTop }
}

/**
 * Splits the total of a cart among groups of its places and the fees of the order, so that the parts add up
 * to it, to the minor unit: each costs what it adds to those before it.
 */
export function splitCart(
  { fees, tax }: Pick<PriceList, 'fees' | 'tax'>,
  groups: readonly (readonly number[])[],
): { groups: number[]; orderFees: { name: string; amount: number }[] } {
  let base = 0
  let paid = 0
  const added = (more: number) => {
    base += more
    const total = base + taxOnTopOf(base, tax)
    const part = total - paid
    paid = total
    return part
  }
  const ofPlaces = groups.map(amounts => {
    const places = allIn({ fees, tax: null }, amounts)
    return added(places.total)
  })
  const ofOrder = fees.filter(({ per }) => per === 'order')
  return {
    groups: ofPlaces,
    orderFees: ofOrder.map(({ name, amount }) => ({ name, amount: added(amount) })),
  }
}

/**
 * Returns the lowest price of an event: of a place as the first type of its category, which is what it costs
 * until its buyer chooses another. `usual`: the amounts of those types. Null: none.
 */
export function allInFrom(list: Pick<PriceList, 'fees' | 'tax'>, usual: readonly number[]): number | null {
  if (usual.length === 0) return null
  return allIn(list, [usual.reduce((least, amount) => Math.min(least, amount))]).total
}

function taxOnTopOf(base: number, tax: PriceList['tax']): number {
  return tax && !tax.included ? Number(taxOf(BigInt(base), tax)) : 0
}

/** A hundred per cent. Percentages have three decimals at most, so as thousandths they are whole. */
const WHOLE = 100_000n

/** The tax of a sum, half a minor unit up. */
export function taxOf(base: bigint, { percent, included }: NonNullable<PriceList['tax']>): bigint {
  const thousandths = BigInt(Math.round(percent * 1_000))
  const of = included ? WHOLE + thousandths : WHOLE
  return (2n * base * thousandths + of) / (2n * of)
}
