import type { Words } from '../../../kit/words/en.ts'
import type { MapModel } from '../../../map/index.ts'
import { notesOf } from '../hall/seat-words.ts'
import type { MyHold } from './holdings.svelte.ts'

/** Finds the seat of a hold on the map; undefined for places without numbers. */
export function ordinalOf(model: MapModel, hold: MyHold): number | undefined {
  if (!('seat_id' in hold)) return undefined
  return model.ordinalOf(hold.seat_id, { zoneId: hold.zone_id, row: hold.row, number: hold.seat_number })
}

/** A seat as every message names it: section, row, seat, and what is special about it. */
export function fullName(model: MapModel, ordinal: number, words: Words): string {
  const zone = model.zones[model.zoneOf[ordinal]!]?.name ?? ''
  const name = words.seatCard.name(zone, model.rowOf(ordinal), String(model.numberOf(ordinal)))
  return withNotes(name, notesOf(model, ordinal, words))
}

/** The same for a hold. The map is not needed to name it, only to know what is special. */
export function holdName(model: MapModel | null, hold: MyHold, words: Words): string {
  if (!('seat_id' in hold)) return words.placesIn(hold.quantity, hold.zone_name)
  const name = words.seatCard.name(hold.zone_name, hold.row, String(hold.seat_number))
  return withNotes(name, holdNotes(model, hold, words))
}

export function holdNotes(model: MapModel | null, hold: MyHold, words: Words): string[] {
  const ordinal = model ? ordinalOf(model, hold) : undefined
  return model && ordinal !== undefined ? notesOf(model, ordinal, words) : []
}

export function listOf(model: MapModel, ordinals: readonly number[], words: Words): string {
  return ordinals.map(ordinal => fullName(model, ordinal, words)).join(' · ')
}

export function listOfHolds(model: MapModel | null, holds: readonly MyHold[], words: Words): string {
  return holds.map(hold => holdName(model, hold, words)).join(' · ')
}

function withNotes(name: string, notes: readonly string[]): string {
  return notes.length === 0 ? name : `${name} (${notes.join(', ')})`
}
