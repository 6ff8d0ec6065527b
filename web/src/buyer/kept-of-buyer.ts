import { forgetPurchases, handOnPurchases } from './checkout/kept.ts'
import { forgetTicketChoices, handOnTicketChoices } from './event/cart/ticket-choices.svelte.ts'
import { forgetLastKnown, handOnLastKnown } from './event/hall/last-known.ts'

/** A buyer signs out: the next person at this browser has no business with what it keeps of them. */
export function forgetBuyer(userId: string): void {
  forgetLastKnown(userId)
  forgetPurchases(userId)
  forgetTicketChoices(userId)
}

/** The same buyer goes on with another id: what this browser keeps of them stays theirs. */
export function handOnBuyer(from: string, to: string): void {
  handOnLastKnown(from, to)
  handOnPurchases(from, to)
  handOnTicketChoices(from, to)
}
