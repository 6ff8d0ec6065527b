import type { Words } from '../../../kit/words/en.ts'
import type { MapZone } from '../../../map/index.ts'
import type { SeatWords } from './seat-words.ts'

/** Stands at the head of a card: a word, and what it is here. */
export type PlaceFact = readonly [label: string, value: string]

export function seatPlace({ zone, row, number }: SeatWords, words: Words): PlaceFact[] {
  return [
    [words.seatCard.section, zone],
    [words.seatCard.row, row],
    [words.seatCard.seat, number],
  ]
}

export function zonePlace({ name, zoneType }: MapZone, available: string, words: Words): PlaceFact[] {
  return [
    [words.zoneType[zoneType], name],
    [words.zone.leftLabel, available],
  ]
}
