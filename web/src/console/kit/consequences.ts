import type { Occupancy } from '@voelgoed/client'
import type { EventAction } from '@voelgoed/core/event/lifecycle'
import { ban, calendar, lock, pencilLine, play, radio, ticket, timer, triangleAlert, undo } from './icons.ts'
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
  { life: words, care, ready }: Pick<ConsoleWords, 'life' | 'care' | 'ready'>,
  {
    opens,
    starts,
    mail,
  }: {
    opens: string | null
    /** When it starts; null: within a day, or it has no date. */
    starts: { readonly at: string; readonly days: number } | null
    mail: Consequence
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
      ]
    case 'unpublish':
      return [
        of(ban, care.offSale, care.offSaleNote),
        of(pencilLine, care.again, care.againNote),
        of(triangleAlert, care.onlyUntaken, care.onlyUntakenNote, ''),
      ]
    case 'go-live':
      return [
        ...(starts ? [of(calendar, ready.early, ready.earlyNote(starts.at, starts.days), '')] : []),
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
