import type { Books, Heard } from './books.ts'
import { type Account, accountsOf, capturedOf, groupBy, replacedBy } from './ledger.ts'

/** A checkout ends in one of these ways and counts once. */
export const WAYS = [
  'paid at once',
  'paid after a second step',
  'paid after a card was declined',
  'unknown, then paid',
  'free of charge',
  'late: the same places',
  'late: other places',
  'late: refunded',
  'cancelled, and the money went back',
  'cancelled without money',
  'made way for another',
  'declined, then expired',
  'not confirmed, then expired',
  'unknown, then expired',
  'never paid for, expired',
] as const
type Way = (typeof WAYS)[number]

export interface WayFigures {
  readonly ways: ReadonlyMap<Way, number>
  readonly checkouts: number
  /** These two count paid checkouts only. */
  readonly refundedWhole: number
  readonly refundedInPart: number
  readonly external: number
  readonly captured: number
  readonly givenBack: number
  readonly tickets: number
  readonly moved: number
  readonly admitted: number
  readonly conflicts: number
}

/** Counts the checkouts by their end, from the books and from what their buyers heard. */
export function countWays(books: Books, heard: readonly Heard[]): WayFigures {
  const accounts = accountsOf(books)
  const ofOrder = groupBy(
    heard.filter(({ order }) => order !== undefined),
    ({ order }) => order!,
  )
  const replaced = new Set(heard.map(replacedBy))
  const ways = new Map<Way, number>()
  let captured = 0
  let givenBack = 0
  const checkouts = books.orders.filter(({ isCheckout }) => isCheckout)
  for (const { id } of checkouts) {
    const account = accounts.get(id)!
    const made = account.order.status === 'cancelled' && replaced.has(id)
    const way = made ? 'made way for another' : wayOf(account, ofOrder.get(id) ?? [])
    ways.set(way, (ways.get(way) ?? 0) + 1)
    captured += capturedOf(account)
    givenBack += account.givenBack
  }
  const taken = (status: string) => checkouts.filter(order => order.status === status)
  return {
    ways,
    checkouts: checkouts.length,
    refundedWhole: taken('refunded').filter(({ id }) => accounts.get(id)!.lines.length > 0).length,
    refundedInPart: taken('partly_refunded').length,
    external: books.orders.length - checkouts.length,
    captured,
    givenBack,
    tickets: books.tickets.length,
    moved: books.moves.length,
    admitted: books.entries.filter(({ conflict }) => conflict === null).length,
    conflicts: books.entries.filter(({ conflict }) => conflict !== null).length,
  }
}

function wayOf({ order, payments, lines, intents }: Account, heard: readonly Heard[]): Way {
  const isCaptured = intents.some(({ status }) => status === 'captured')
  const attempts = heard.filter(({ kind }) => kind === 'pay')
  if (order.status === 'cancelled') return 'cancelled without money'
  if (order.status === 'expired') {
    if (payments.length === 0) return 'never paid for, expired'
    if (attempts.some(({ card }) => card === 'step')) return 'not confirmed, then expired'
    return attempts.some(({ isDeclined }) => isDeclined) ? 'declined, then expired' : 'unknown, then expired'
  }
  if (order.lateStep === 'same_places') return 'late: the same places'
  if (order.lateStep === 'other_places') return 'late: other places'
  if (lines.length === 0) {
    const wasCancelled = heard.some(({ kind, outcome }) => kind === 'cancel' && outcome !== 'refused')
    return wasCancelled ? 'cancelled, and the money went back' : 'late: refunded'
  }
  if (!isCaptured) return 'free of charge'
  if (heard.some(({ kind, step }) => kind === 'step' && step === 'accept')) return 'paid after a second step'
  if (attempts.some(({ isDeclined }) => isDeclined)) return 'paid after a card was declined'
  const first = attempts[0]
  return first?.orderStatus === 'paid' ? 'paid at once' : 'unknown, then paid'
}
