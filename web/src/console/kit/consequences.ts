import type { Occupancy } from '@voelgoed/client'
import type { EventAction } from '@voelgoed/core/event/lifecycle'
import type { AdminPrices } from '../events/prices/price-draft.svelte.ts'
import { ban, lock, play, radio, ticket, timer, triangleAlert, undo } from './icons.ts'
import type { ConsoleWords } from './words/words.ts'

export interface Consequence {
  readonly icon: string
  readonly title: string
  readonly note: string
  /** A number, or a moment. */
  readonly size: string
}

/** Lists what an action does, in the order in which it happens. */
export function consequencesOf(
  action: EventAction,
  occupancy: Occupancy | null,
  words: ConsoleWords['life'],
  {
    opens,
    closes,
    mail,
    prices,
  }: {
    opens: string | null
    /** When sales end. */
    closes: { readonly at: string; readonly isPast: boolean } | null
    mail: Consequence
    prices: AdminPrices | null
  },
): readonly Consequence[] {
  const { effects, now } = words
  const held = effects.seats(occupancy?.held ?? 0)
  const of = (icon: string, title: string, note: string, size: string = now) => ({ icon, title, note, size })
  switch (action) {
    case 'publish':
      return [
        of(radio, effects.visible, effects.visibleNote(opens), effects.places(occupancy?.total ?? 0)),
        of(lock, effects.frozen, effects.frozenNote),
        ...(closes?.isPast ? [of(triangleAlert, effects.closed, effects.closedNote(closes.at), '')] : []),
        ...(closes && !closes.isPast ? [of(timer, effects.closes, effects.closesNote(closes.at), '')] : []),
        ...(prices ? unpaid(prices, words) : []),
      ]
    case 'go-live':
      return [
        of(play, effects.gates, effects.gatesNote, effects.tickets(occupancy?.sold ?? 0)),
        of(ticket, effects.sells, effects.sellsNote, effects.places(occupancy?.available ?? 0)),
      ]
    case 'complete':
      return [
        of(ban, effects.salesStop, effects.salesStopNote),
        of(timer, effects.holdsEnd, effects.holdsEndNote, held),
      ]
    case 'cancel':
      return [
        of(ban, effects.salesStop, effects.salesStopCancel),
        of(timer, effects.holdsEnd, effects.holdsEndNote, held),
        ...(occupancy && occupancy.sold > 0
          ? [
              of(ticket, effects.ticketsVoid, effects.ticketsVoidNote, effects.tickets(occupancy.sold)),
              of(undo, effects.money, effects.moneyNote, ''),
              mail,
            ]
          : []),
      ]
    case 'archive':
      return [of(ban, effects.hidden, effects.hiddenNote)]
  }
}

/** Says why buyers could hold seats and not pay for them. */
function unpaid(
  { gateway, categories, warnings }: AdminPrices,
  { effects }: ConsoleWords['life'],
): readonly Consequence[] {
  const of = (title: string, note: string) => ({ icon: triangleAlert, title, note, size: '' })
  if (categories.length === 0) return [of(effects.noPrices, effects.noPricesNote)]
  return [
    ...(gateway === 'none' ? [of(effects.noGateway, effects.noGatewayNote)] : []),
    ...(warnings.length > 0 ? [of(effects.unpriced, warnings.map(({ message }) => message).join(' '))] : []),
  ]
}
