import { Refused } from '@voelgoed/client'

/** The order that was to make way was paid at that moment. */
export function isPaid(error: unknown): boolean {
  return error instanceof Refused && error.is('checkout_closed') && error.problem.current_status === 'paid'
}

/** No answer, or one that says that the server does not know either: what was asked for may have happened. */
export function isLostAnswer(error: unknown): boolean {
  return !(error instanceof Refused) || error.status >= 500
}
