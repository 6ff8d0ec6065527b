import { inspect } from 'node:util'
import type { RequestFault } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'

export interface CardFields {
  readonly number: string
  readonly expiry: string
  readonly cvc: string
}

const HIDDEN = '[card]'

/**
 * A card as the buyer typed it. Its fields are private, and every way to print it says `[card]`: a log line
 * or an error can't show what it holds by accident.
 */
export class Card {
  readonly #fields: CardFields

  constructor({ number, expiry, cvc }: CardFields) {
    this.#fields = { number, expiry, cvc }
  }

  /** The digits of the number, if all of it is right at this moment. */
  check(now: number): Result<string, readonly RequestFault[]> {
    const digits = this.#fields.number.replace(/[ -]/g, '')
    const errors: RequestFault[] = []
    if (!/^\d{12,19}$/.test(digits) || !passesLuhn(digits)) {
      errors.push({ path: '/card/number', message: 'This is not the number of a card. Check the digits.' })
    }
    const expiry = expiryFault(this.#fields.expiry, now)
    if (expiry) errors.push({ path: '/card/expiry', message: expiry })
    const length = /^3[47]/.test(digits) ? 4 : 3
    if (!/^\d+$/.test(this.#fields.cvc) || this.#fields.cvc.length !== length) {
      errors.push({ path: '/card/cvc', message: `The security code of this card has ${length} digits.` })
    }
    return errors.length === 0 ? ok(digits) : refuse(errors)
  }

  toJSON(): string {
    return HIDDEN
  }

  toString(): string {
    return HIDDEN
  }

  [inspect.custom](): string {
    return HIDDEN
  }
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** A card is good until the end of its month, in every time zone. */
function expiryFault(text: string, now: number): string | null {
  const match = /^\s*(\d{1,2})\s*[/-]\s*(?:20)?(\d{2})\s*$/.exec(text)
  const month = Number(match?.[1])
  if (!match || month < 1 || month > 12) return 'Give the month and the year, such as 04/29.'
  const lastHours = 12 * 3_600_000
  return Date.UTC(2000 + Number(match[2]), month) + lastHours <= now ? 'This card has expired.' : null
}
