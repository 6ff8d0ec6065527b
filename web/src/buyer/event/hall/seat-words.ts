import type { PriceList } from '@voelgoed/core/prices/price-list'
import type { Words } from '../../../kit/words/en.ts'
import { isAtAisle, type MapModel, SEAT_CATEGORIES } from '../../../map/index.ts'
import { categoryOfSeat, toPay } from './prices.ts'
import { type ZoneAccess, zoneAccess } from './zone-access.ts'

const STATES = ['free', 'held', 'sold', 'blocked'] as const

type SeatState = (typeof STATES)[number] | 'mine' | 'pending' | 'unknown'

/** The page knows this of seats. */
interface KnownSeats {
  readonly mine: { has(ordinal: number): boolean }
  readonly pending: { has(ordinal: number): boolean }
  readonly isKnown: boolean
  statusOf(ordinal: number): 0 | 1 | 2 | 3
  readonly prices: PriceList | null
  readonly session: Parameters<typeof zoneAccess>[0]
}

/**
 * Everything the page says of one seat, in the reader's language. The map,
 * its card and the list say the same.
 */
export interface SeatWords {
  readonly zone: string
  readonly row: string
  readonly number: string
  readonly state: SeatState
  readonly stateText: string
  readonly access: ZoneAccess
  /** Special: wheelchair place, restricted view, at an aisle. */
  readonly notes: readonly string[]
  /** `Premium, R815`, with all that has to be paid; without prices the layout's word alone. */
  readonly price: string | null
}

export function seatWords(seating: KnownSeats, model: MapModel, ordinal: number, words: Words): SeatWords {
  const state = stateOf(seating, ordinal)
  return {
    zone: model.zones[model.zoneOf[ordinal]!]!.name,
    row: model.rowOf(ordinal),
    number: String(model.numberOf(ordinal)),
    state,
    access: zoneAccess(seating.session, model.zones[model.zoneOf[ordinal]!]!),
    stateText: state === 'unknown' ? words.seatCard.unknown : words.status[state],
    notes: notesOf(model, ordinal, words),
    price: priceOf(seating, model, ordinal, words),
  }
}

/** The seat costs this until its buyer chooses another than the first type of ticket. */
function priceOf({ prices }: KnownSeats, model: MapModel, ordinal: number, words: Words): string | null {
  const category = prices && categoryOfSeat(prices, model, ordinal)
  if (!category) return model.priceCategories[model.priceOf[ordinal]!]?.label ?? null
  return `${category.name}, ${toPay(prices, [category.ticket_types[0]!.amount], words).total}`
}

/** Returns what a buyer must know about a seat besides its place. */
export function notesOf(model: MapModel, ordinal: number, words: Words): string[] {
  const category = SEAT_CATEGORIES[model.categoryOf[ordinal]!]!
  const notes = category === 'standard' ? [] : [words.category[category]]
  if (category !== 'aisle' && isAtAisle(model, ordinal)) notes.push(words.seatCard.atAisle)
  return notes
}

/** `Stalls, row C, seat 12, free, restricted view, Premium`. */
export function seatSentence(seat: SeatWords, words: Words): string {
  const name = words.seatCard.name(seat.zone, seat.row, seat.number)
  return [
    name,
    seat.stateText,
    ...accessWords(seat.access, words),
    ...seat.notes,
    ...(seat.price ? [seat.price] : []),
  ].join(', ')
}

/** Says for whom a section is that is not for everyone. */
export function accessWords(access: ZoneAccess, words: Words): string[] {
  if (access === 'everyone') return []
  return [access === 'yours' ? words.zone.yours : words.event.members]
}

function stateOf(seating: KnownSeats, ordinal: number): SeatState {
  if (seating.mine.has(ordinal)) return 'mine'
  if (seating.pending.has(ordinal)) return 'pending'
  return seating.isKnown ? STATES[seating.statusOf(ordinal)] : 'unknown'
}
