import { quoted } from './check-text.ts'
import type { SeatDraft, SeatIndex } from './compile-seats.ts'
import type { LayoutFaultCode, LayoutFaults } from './faults.ts'
import { LAYOUT_LIMITS, type SeatConfig } from './model.ts'

interface ZoneSeats {
  readonly zoneIndex: number
  readonly firstOrdinal: number
  readonly seats: readonly SeatConfig[]
}

/**
 * A wheelchair place has one companion seat of its zone or several, and a companion seat belongs to one
 * place. It is enough that one of the two names the other; a companion seat that names a place belongs to
 * that one and to no other.
 */
export function pairCompanions(faults: LayoutFaults, index: SeatIndex, zone: ZoneSeats): void {
  const names = namesOf(faults, index, zone)
  const placeOf = new Map<number, number>()
  for (const { by, named } of names) {
    if (index.seats[by]!.category === 'companion') placeOf.set(by, named)
  }
  const claimed = new Map<number, number>()
  for (const { by, named, path } of names) {
    if (index.seats[by]!.category === 'companion') continue
    const own = placeOf.get(named)
    const earlier = claimed.get(named)
    if (own !== undefined && own !== by) {
      const [place, companion, other] = [by, named, own].map(ordinal => quoted(index.seats[ordinal]!.label))
      const message = `Make the two name each other: ${companion} names ${other}, not ${place}.`
      faults.add(path, 'companion_not_mutual', message)
    } else if (earlier !== undefined && earlier !== by) {
      const [companion, other] = [named, earlier].map(ordinal => quoted(index.seats[ordinal]!.label))
      const message = `Choose another seat: ${companion} is paired with ${other} already.`
      faults.add(path, 'companion_claimed_twice', message)
    } else claimed.set(named, by)
  }
  for (const [companion, place] of claimed) placeOf.set(companion, place)
  setPairs(faults, index, zone, placeOf)
}

function setPairs(
  faults: LayoutFaults,
  index: SeatIndex,
  zone: ZoneSeats,
  placeOf: ReadonlyMap<number, number>,
): void {
  const counts = new Map<number, number>()
  for (const [companionOrdinal, placeOrdinal] of placeOf) {
    const companion = index.seats[companionOrdinal]!
    const place = index.seats[placeOrdinal]!
    companion.companionOrdinal = placeOrdinal
    place.companionOrdinal = Math.min(place.companionOrdinal ?? companionOrdinal, companionOrdinal)
    const count = (counts.get(placeOrdinal) ?? 0) + 1
    counts.set(placeOrdinal, count)
    if (count === LAYOUT_LIMITS.companionsPerPlace + 1) addTooMany(faults, seatPath(zone, placeOrdinal))
  }
}

/** One seat names another, by ordinal. */
interface Name {
  readonly by: number
  readonly named: number
  readonly path: string
}

/** Returns who names whom, as far as each name makes sense on its own. */
function namesOf(faults: LayoutFaults, index: SeatIndex, zone: ZoneSeats): Name[] {
  const names: Name[] = []
  for (const [
    seatIndex,
    { companion_seat_label: label, companion_seat_labels: list },
  ] of zone.seats.entries()) {
    if (label == null && list === undefined) continue
    const by = zone.firstOrdinal + seatIndex
    const path = seatPath(zone, by)
    const add = (said: string, at: string) => {
      const named = namedSeat(index, zone.zoneIndex, by, said)
      if (typeof named === 'number') names.push({ by, named, path: at })
      else faults.add(at, named.code, named.message)
    }
    if (label != null) add(label, `${path}/companion_seat_label`)
    if (list === undefined) continue
    const listPath = `${path}/companion_seat_labels`
    if (index.seats[by]!.category !== 'wheelchair') {
      const message = 'List companion seats at their wheelchair place: this seat is none.'
      faults.add(listPath, 'companion_category_wrong', message)
    } else if (list.length > LAYOUT_LIMITS.companionsPerPlace) addTooMany(faults, listPath)
    else {
      for (const [at, said] of list.entries()) {
        if (list.indexOf(said) === at) add(said, `${listPath}/${at}`)
        else {
          const message = `Name each companion seat once: ${quoted(said)} is in this list already.`
          faults.add(`${listPath}/${at}`, 'companion_named_twice', message)
        }
      }
    }
  }
  return names
}

function namedSeat(
  index: SeatIndex,
  zoneIndex: number,
  by: number,
  label: string,
): number | { code: LayoutFaultCode; message: string } {
  const named = index.ordinalsByLabel[zoneIndex]!.get(label)
  if (named === undefined) {
    const message = `Name a seat of this zone: there is no ${quoted(label)} here.`
    return { code: 'companion_not_found', message }
  }
  if (named === by) {
    return {
      code: 'companion_is_itself',
      message: 'Name another seat: a seat is no companion of itself.',
    }
  }
  if (!isPair(index.seats[by]!, index.seats[named]!)) {
    const message = 'Pair a wheelchair seat with a companion seat: set the category of both.'
    return { code: 'companion_category_wrong', message }
  }
  return named
}

function isPair(a: SeatDraft, b: SeatDraft): boolean {
  return (
    (a.category === 'wheelchair' && b.category === 'companion') ||
    (a.category === 'companion' && b.category === 'wheelchair')
  )
}

function addTooMany(faults: LayoutFaults, path: string): void {
  const message = `Give a wheelchair place at most ${LAYOUT_LIMITS.companionsPerPlace} companion seats.`
  faults.add(path, 'too_many_companions', message)
}

function seatPath({ zoneIndex, firstOrdinal }: ZoneSeats, ordinal: number): string {
  return `/zones/${zoneIndex}/seats/${ordinal - firstOrdinal}`
}
