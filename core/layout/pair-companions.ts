import { quoted } from './check-text.ts'
import type { SeatDraft, SeatIndex } from './compile-seats.ts'
import type { LayoutFaults } from './faults.ts'
import type { SeatConfig } from './model.ts'

interface ZoneSeats {
  readonly zoneIndex: number
  readonly firstOrdinal: number
  readonly seats: readonly SeatConfig[]
}

/**
 * A pair is one wheelchair place and one companion seat of one zone. It is enough that one of the two names
 * the other; when both name a seat, they must name each other.
 */
export function pairCompanions(faults: LayoutFaults, index: SeatIndex, zone: ZoneSeats): void {
  const named = namedCompanions(faults, index, zone)
  for (const [ordinal, companionOrdinal] of named) {
    const seat = index.seats[ordinal]!
    const companion = index.seats[companionOrdinal]!
    const back = named.get(companionOrdinal)
    if (back !== undefined && back !== ordinal) {
      const other = index.seats[back]!.label
      const message = `Make the two name each other: ${quoted(companion.label)} names ${quoted(other)}, not ${quoted(seat.label)}.`
      faults.add(companionPath(zone, ordinal), 'companion_not_mutual', message)
    } else if (companion.companionOrdinal !== null && companion.companionOrdinal !== ordinal) {
      const other = index.seats[companion.companionOrdinal]!.label
      const message = `Choose another seat: ${quoted(companion.label)} is paired with ${quoted(other)} already.`
      faults.add(companionPath(zone, ordinal), 'companion_claimed_twice', message)
    } else {
      seat.companionOrdinal = companionOrdinal
      companion.companionOrdinal = ordinal
    }
  }
}

/** Who names whom, by ordinal, as far as each name makes sense on its own. */
function namedCompanions(faults: LayoutFaults, index: SeatIndex, zone: ZoneSeats): Map<number, number> {
  const byLabel = index.ordinalsByLabel[zone.zoneIndex]!
  const named = new Map<number, number>()
  for (const [seatIndex, { companion_seat_label: label }] of zone.seats.entries()) {
    if (label == null) continue
    const ordinal = zone.firstOrdinal + seatIndex
    const companionOrdinal = byLabel.get(label)
    if (companionOrdinal === undefined) {
      const message = `Name a seat of this zone: there is no ${quoted(label)} here.`
      faults.add(companionPath(zone, ordinal), 'companion_not_found', message)
    } else if (companionOrdinal === ordinal) {
      const message = 'Name another seat: a seat is no companion of itself.'
      faults.add(companionPath(zone, ordinal), 'companion_is_itself', message)
    } else if (!isPair(index.seats[ordinal]!, index.seats[companionOrdinal]!)) {
      const message = 'Pair a wheelchair seat with a companion seat: set the category of both.'
      faults.add(companionPath(zone, ordinal), 'companion_category_wrong', message)
    } else named.set(ordinal, companionOrdinal)
  }
  return named
}

function isPair(a: SeatDraft, b: SeatDraft): boolean {
  return (
    (a.category === 'wheelchair' && b.category === 'companion') ||
    (a.category === 'companion' && b.category === 'wheelchair')
  )
}

function companionPath({ zoneIndex, firstOrdinal }: ZoneSeats, ordinal: number): string {
  return `/zones/${zoneIndex}/seats/${ordinal - firstOrdinal}/companion_seat_label`
}
