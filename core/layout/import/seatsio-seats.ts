import { LAYOUT_LIMITS, type Point, type SeatCategory, type SeatConfig } from '../model.ts'
import { canonicalNumber, defaultLabel } from '../seat-number.ts'
import type { Cursor } from './cursor.ts'
import { addPoints, type DraftZone, UniqueNames } from './draft.ts'
import { pairRow } from './pair-row.ts'
import { addCapacityZone } from './seatsio-areas.ts'
import { type ChartContext, labelOf, type Place } from './seatsio-place.ts'

export function readRow(context: ChartContext, place: Place, row: Cursor, index: number): void {
  const label = labelOf(place, row, `Row ${index + 1}`)
  addSeats(context, place, row, label, readSeats(context, place, row))
}

/** The seats around a table are a row. A table that is sold whole is a group; one without seats, a zone. */
export function readTable(context: ChartContext, place: Place, table: Cursor, index: number): void {
  const label = labelOf(place, table, `Table ${index + 1}`)
  const seats = readSeats(context, place, table)
  if (seats.length === 0) {
    const capacity = table.number('capacity') ?? 0
    if (capacity > 0) addCapacityZone(context, place, table, { label, zoneType: 'ga_seated', outline: null })
    else table.report.warn('empty_table', place.at, table, 'A table without seats was left out.')
    return
  }
  const added = addSeats(context, place, table, label, seats)
  if (!table.flag('bookAsAWhole') || !added) return
  if (added.labels.length > LAYOUT_LIMITS.seatsPerGroup) {
    const message = 'This table has too many seats to be sold as a whole; its seats are sold one by one.'
    table.report.warn('booked_as_a_whole', place.at, table, message)
    return
  }
  const zone = added.zone.config.name
  context.draft.addGroup({
    group_type: 'vip_table',
    name: label,
    seats: added.labels.map(seatLabel => ({ zone, label: seatLabel })),
    metadata: { sell: 'whole' },
  })
}

/**
 * A booth is one seat: it is booked by one party, as a whole, and has a label and a place like any seat.
 * It is a row of its own, so that a buyer who asks for two seats together is not given two booths.
 */
export function readBooth(context: ChartContext, place: Place, booth: Cursor, index: number): void {
  const label = labelOf(place, booth, `Booth ${index + 1}`)
  const centre = booth.point('center') ?? booth.xy()
  if (context.draft.isFull) return
  const zone = place.zoneFor(booth)
  const seatLabel = zone.labels.take(label)
  if (seatLabel !== label) warnNotUnique(place, booth, label, seatLabel)
  const priceCategory = priceOf(context, place, booth, null)
  warnUnused(place, booth)
  const config = {
    label: seatLabel,
    row: `Booth ${seatLabel}`,
    number: 1,
    coordinates: addPoints(place.origin, centre),
    ...(priceCategory === null ? {} : { price_category: priceCategory }),
  }
  context.draft.addSeat(zone, { config, at: booth })
}

interface ReadSeat {
  readonly at: Cursor
  readonly label: string
  readonly category: SeatCategory
  readonly priceCategory: string | null
  readonly place: Point
}

function readSeats(context: ChartContext, place: Place, owner: Cursor): ReadSeat[] {
  if (context.draft.isFull) return []
  const ownKey = owner.text('categoryKey')
  return owner.objects('seats').map((seat, index) => {
    const priceCategory = priceOf(context, place, seat, ownKey)
    warnUnused(place, seat)
    return {
      at: seat,
      label: labelOf(place, seat, String(index + 1)),
      category: categoryOf(context, place, seat, priceCategory),
      priceCategory,
      place: addPoints(place.origin, seat.xy()),
    }
  })
}

/** The seat's own category, else its row's, else its section's. */
function priceOf(
  context: ChartContext,
  place: Place,
  object: Cursor,
  ownerKey: string | null,
): string | null {
  const key = object.text('categoryKey') ?? ownerKey ?? place.categoryKey
  if (key !== null) context.draft.useCategory(place.at, object, key)
  else object.report.warn('without_category', place.at, object, 'There is no category to take a price from.')
  return key
}

/** The seat's own word comes before that of its price category. */
function categoryOf(
  context: ChartContext,
  place: Place,
  seat: Cursor,
  priceCategory: string | null,
): SeatCategory {
  const categories: SeatCategory[] = []
  if (seat.flag('accessible')) categories.push('wheelchair')
  if (seat.flag('companionSeat')) categories.push('companion')
  const isAccessible = priceCategory !== null && context.accessibleCategories.has(priceCategory)
  if (isAccessible && categories.length === 0) categories.push('wheelchair')
  if (seat.flag('restrictedView')) categories.push('restricted_view')
  if (categories.length > 1) {
    const message = `A seat has one category; of ${categories.join(' and ')} the first was taken.`
    seat.report.warn('only_one_category', place.at, seat, message)
  }
  return categories[0] ?? 'standard'
}

function addSeats(
  context: ChartContext,
  place: Place,
  owner: Cursor,
  rowLabel: string,
  seats: readonly ReadSeat[],
): { zone: DraftZone; labels: string[] } | null {
  if (seats.length === 0 || context.draft.isFull) return null
  const zone = place.zoneFor(owner)
  const inRow = new UniqueNames()
  const numbers = seats.map(({ label, at }) => {
    const unique = inRow.take(label)
    if (unique !== label) warnNotUnique(place, at, label, unique)
    return canonicalNumber(unique)
  })
  const row = freeRow(zone, rowLabel, numbers)
  if (row !== rowLabel) warnNotUnique(place, owner, rowLabel, row)
  const labels = numbers.map(number => zone.labels.take(defaultLabel(row, number)))

  const pairs = pairRow(seats)
  for (const [index, { at, category, priceCategory, place: coordinates }] of seats.entries()) {
    const config: SeatConfig & { coordinates: Point } = { row, number: numbers[index]!, coordinates }
    if (category !== 'standard') config.category = category
    if (priceCategory !== null) config.price_category = priceCategory
    const wheelchair = pairs.get(index)
    if (wheelchair !== undefined) config.companion_seat_label = labels[wheelchair]!
    else if (category === 'companion') {
      const message = 'There is no wheelchair place left in the row to pair this companion seat with.'
      at.report.warn('companion_without_wheelchair', place.at, at, message)
    }
    context.draft.addSeat(zone, { config, at })
  }
  return { zone, labels }
}

/**
 * Two rows A of one section are one row A as long as no seat label comes twice: often an aisle parts them.
 * Otherwise the second becomes `A (2)`, the third `A (3)`, in the order of the document.
 */
function freeRow(zone: DraftZone, label: string, numbers: readonly (number | string)[]): string {
  const isTaken = (row: string) => numbers.some(number => zone.labels.has(defaultLabel(row, number)))
  let count = zone.nextRow.get(label) ?? 2
  let row = label
  while (isTaken(row)) row = `${label} (${count++})`
  zone.nextRow.set(label, count)
  return row
}

function warnNotUnique(place: Place, at: Cursor, label: string, unique: string): void {
  const message = `Label ${label} is there before; it became ${unique}.`
  at.report.warn('label_not_unique', place.at, at, message)
}

function warnUnused(place: Place, object: Cursor): void {
  const { report } = object
  if (object.flag('semiAmbulatorySeat')) {
    const message = 'There is no category for semi-ambulatory seats; it is a standard seat.'
    report.warn('semi_ambulatory_dropped', place.at, object, message)
  }
  if (object.flag('disabledBySocialDistancingRules')) {
    const message = 'Social distancing is not carried over; block the seat instead.'
    report.warn('social_distancing_dropped', place.at, object, message)
  }
  if (object.text('displayLabel') !== null) {
    const message = 'A seat has one label; the one that is displayed instead was left out.'
    report.warn('display_label_dropped', place.at, object, message)
  }
  if (object.text('entrance') !== null) {
    const message = 'Entrances are kept for sections only.'
    report.warn('entrance_dropped', place.at, object, message)
  }
}
