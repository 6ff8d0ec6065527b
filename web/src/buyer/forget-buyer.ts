import { forgetPurchases } from './checkout/kept.ts'
import { forgetLastKnown } from './event/last-known.ts'
import { forgetTicketChoices } from './event/ticket-choices.svelte.ts'

/** A buyer signs out: the next person at this browser has no business with what it keeps of them. */
export function forgetBuyer(userId: string): void {
  forgetLastKnown(userId)
  forgetPurchases(userId)
  forgetTicketChoices()
}
