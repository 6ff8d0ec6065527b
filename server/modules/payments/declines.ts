/** A payment was declined for one of these reasons, as far as the buyer can do something about it. */
const MESSAGES = {
  card_declined: 'The bank declined the card. Use another card, or ask the bank.',
  insufficient_funds: 'There is not enough money on the card. Use another card.',
  expired_card: 'The card has expired. Use another card.',
  incorrect_details:
    'The number, the date or the security code of the card is wrong. Check them and try again.',
  confirmation_failed: 'The bank did not confirm that it is you. Try again, or use another card.',
  confirmation_expired: 'The payment was not confirmed in time. Try again.',
  not_supported: 'This card can not be used for this purchase. Use another card.',
  try_again: 'We could not reach the bank. You were not charged. Try again.',
  cancelled: 'The payment was cancelled. You were not charged.',
} as const

export type DeclineCode = keyof typeof MESSAGES

export const DECLINE_CODES = Object.keys(MESSAGES) as readonly DeclineCode[]

export interface Declined {
  readonly kind: 'declined'
  readonly intentId: string
  readonly code: DeclineCode
  /** The buyer can do this about it. */
  readonly message: string
  /** The gateway's own form still takes another card for it, without a call of ours. */
  readonly canGoOn?: true
}

export function declined(intentId: string, code: DeclineCode): Declined {
  return { kind: 'declined', intentId, code, message: MESSAGES[code] }
}

/** As it was stored. */
export function declineOf(code: string): { readonly code: DeclineCode; readonly message: string } {
  const known = DECLINE_CODES.find(each => each === code) ?? 'card_declined'
  return { code: known, message: MESSAGES[known] }
}
