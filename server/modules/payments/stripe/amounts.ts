import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { GatewayRefusal } from '../gateway.ts'

/**
 * So many of our minor units (ISO 4217) are so many of Stripe's. An amount between two steps can't be paid
 * through Stripe.
 */
interface Step {
  readonly ours: number
  readonly theirs: number
}

const SAME: Step = { ours: 1, theirs: 1 }
/** ISO has no minor unit; Stripe still counts with two decimals, which must be 00. */
const TWO_ZEROS: Step = { ours: 1, theirs: 100 }
/** ISO has hundredths; Stripe takes whole units only. */
const WHOLE_UNITS: Step = { ours: 100, theirs: 1 }
/** Three decimals, of which the last must be 0. */
const LAST_IS_ZERO: Step = { ours: 10, theirs: 10 }

/** By the code as Stripe writes it. https://docs.stripe.com/currencies (zero-decimal, special cases). */
const STEPS: Readonly<Record<string, Step>> = {
  ...{ isk: TWO_ZEROS, ugx: TWO_ZEROS, mga: WHOLE_UNITS },
  ...{ bhd: LAST_IS_ZERO, jod: LAST_IS_ZERO, kwd: LAST_IS_ZERO, omr: LAST_IS_ZERO, tnd: LAST_IS_ZERO },
  ...{ iqd: LAST_IS_ZERO, lyd: LAST_IS_ZERO },
}

const stepOf = (currency: string): Step => STEPS[currency] ?? SAME

/** Amounts of a currency, in our minor units, are multiples of this. */
export function amountStep(currency: string): number {
  return stepOf(currency.toLowerCase()).ours
}

/** Stripe counts eight digits, and twelve of rupiah. https://docs.stripe.com/currencies (maximum amount) */
const MOST = 99_999_999
const MOST_OF: Readonly<Record<string, number>> = { idr: 999_999_999_999 }

/** The most that can be paid at once, in our minor units. */
export function maxAmount(currency: string): number {
  const code = currency.toLowerCase()
  const { ours, theirs } = stepOf(code)
  return Math.floor((MOST_OF[code] ?? MOST) / theirs) * ours
}

/** Turns an amount of ours into what to send. `currency` as Stripe writes it, in small letters. */
export function toStripe(amount: number, currency: string): Result<number, GatewayRefusal> {
  const { ours, theirs } = stepOf(currency)
  if (amount % ours === 0) return ok((amount / ours) * theirs)
  const detail = `Stripe takes multiples of ${ours} minor units of ${currency.toUpperCase()} only`
  return refuse({ kind: 'invalid_amount', detail })
}

/** An amount of Stripe's in our minor units. */
export function fromStripe(amount: number, currency: string): number {
  const { ours, theirs } = stepOf(currency)
  return Math.round((amount * ours) / theirs)
}
