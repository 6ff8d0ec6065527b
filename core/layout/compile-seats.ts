import { deriveSeatId, isUuid, type SeatId, type ZoneId } from '../ids.ts'
import { compilePoint, isCoordinate } from './check-points.ts'
import { checkText, quoted, textFault } from './check-text.ts'
import type { LayoutFaults } from './faults.ts'
import { LAYOUT_LIMITS, type Seat, type SeatConfig } from './model.ts'
import { canonicalNumber, defaultLabel } from './seat-number.ts'

/** A seat while it is compiled: its place and its companion come later. */
export type SeatDraft = { -readonly [Field in keyof Seat]: Seat[Field] }

/** All seats compiled so far, and the ways to find one. */
export interface SeatIndex {
  readonly seats: SeatDraft[]
  /** Ordinals of the seats that came without coordinates. */
  readonly unplaced: number[]
  readonly ordinalsById: Map<SeatId, number>
  /** One map per zone. */
  readonly ordinalsByLabel: Map<string, number>[]
  /** The listed price categories; null when none are listed and every key is welcome. */
  readonly priceKeys: ReadonlySet<string> | null
}

interface Position {
  readonly zoneIndex: number
  readonly seatIndex: number
}

/**
 * Runs once per seat, up to 250,000 times, so paths are only built for faults, and not by a closure per seat:
 * those took a fifth of the time.
 */
export function compileSeats(
  faults: LayoutFaults,
  index: SeatIndex,
  zone: { zoneIndex: number; zoneId: ZoneId; seats: readonly SeatConfig[] },
): void {
  const firstOrdinal = index.seats.length
  const byLabel = new Map<string, number>()
  index.ordinalsByLabel.push(byLabel)

  for (const [seatIndex, config] of zone.seats.entries()) {
    const ordinal = firstOrdinal + seatIndex
    const at: Position = { zoneIndex: zone.zoneIndex, seatIndex }
    const number = canonicalNumber(config.number)
    const label = config.label ?? defaultLabel(config.row, number)
    checkSeatTexts(faults, at, config, label)

    const sameLabel = byLabel.get(label)
    if (sameLabel === undefined) byLabel.set(label, ordinal)
    else {
      const earlier = pathOf({ ...at, seatIndex: sameLabel - firstOrdinal })
      const message = `Give this seat a label of its own: ${earlier} has ${quoted(label)} already.`
      faults.add(`${pathOf(at)}/label`, 'duplicate_seat_label', message)
    }

    const seatId = compileSeatId(faults, at, zone.zoneId, config.seat_id, label)
    const sameId = index.ordinalsById.get(seatId)
    if (sameId === undefined) index.ordinalsById.set(seatId, ordinal)
    else if (sameLabel === undefined || config.seat_id !== undefined) {
      faults.add(
        `${pathOf(at)}/seat_id`,
        'duplicate_seat_id',
        duplicateIdMessage(config, index.seats[sameId]!),
      )
    }

    const priceCategory = config.price_category ?? null
    if (priceCategory !== null) checkPrice(faults, at, index, priceCategory)

    let x = 0
    let y = 0
    if (config.coordinates) {
      const { coordinates } = config
      // Nearly every seat is in bounds: without this test each of them would pay for a path.
      const inBounds = isCoordinate(coordinates.x) && isCoordinate(coordinates.y)
      if (!inBounds) compilePoint(faults, `${pathOf(at)}/coordinates`, coordinates)
      x = coordinates.x + 0
      y = coordinates.y + 0
    } else index.unplaced.push(ordinal)

    index.seats.push({
      ordinal,
      seatId,
      zoneIndex: zone.zoneIndex,
      label,
      row: config.row,
      number,
      category: config.category ?? 'standard',
      priceCategory,
      x,
      y,
      companionOrdinal: null,
      aisleAfter: config.aisle_after ?? null,
    })
  }
}

function pathOf({ zoneIndex, seatIndex }: Position): string {
  return `/zones/${zoneIndex}/seats/${seatIndex}`
}

function checkSeatTexts(faults: LayoutFaults, at: Position, config: SeatConfig, label: string): void {
  const { labelLength } = LAYOUT_LIMITS
  if (textFault(config.row, labelLength)) checkText(faults, `${pathOf(at)}/row`, config.row, labelLength)

  if (typeof config.number === 'number') {
    if (!Number.isSafeInteger(config.number)) {
      const message = 'Give a whole number, or text such as 12A.'
      faults.add(`${pathOf(at)}/number`, 'number_not_whole', message)
    }
  } else if (textFault(config.number, labelLength)) {
    checkText(faults, `${pathOf(at)}/number`, config.number, labelLength)
  }

  if (config.label !== undefined) {
    if (textFault(label, labelLength)) checkText(faults, `${pathOf(at)}/label`, label, labelLength)
  } else if (label.length > labelLength && config.row.length <= labelLength) {
    const message = `Give this seat a label of at most ${labelLength} characters: row and number make a longer one.`
    faults.add(pathOf(at), 'text_too_long', message)
  }
}

function compileSeatId(
  faults: LayoutFaults,
  at: Position,
  zoneId: ZoneId,
  given: string | undefined,
  label: string,
): SeatId {
  if (given !== undefined) {
    const seatId = given.toLowerCase()
    if (isUuid(seatId)) return seatId as SeatId
    faults.add(`${pathOf(at)}/seat_id`, 'id_not_uuid', 'Give a UUID, or leave the id out to have it derived.')
  }
  return deriveSeatId(zoneId, label)
}

/** A seat that was relabelled keeps its id; a new seat with the old label would then derive the same one. */
function duplicateIdMessage(config: SeatConfig, earlier: Seat): string {
  return config.seat_id === undefined
    ? `Give this seat an id: the one derived from its label belongs to seat ${quoted(earlier.label)} already.`
    : `Give this seat an id of its own: seat ${quoted(earlier.label)} has ${config.seat_id} already.`
}

function checkPrice(faults: LayoutFaults, at: Position, index: SeatIndex, key: string): void {
  if (index.priceKeys?.has(key)) return
  if (index.priceKeys !== null) {
    const message = `Use one of the listed price categories, or list ${quoted(key)} too.`
    faults.add(`${pathOf(at)}/price_category`, 'price_category_unknown', message)
  } else if (textFault(key, LAYOUT_LIMITS.labelLength)) {
    checkText(faults, `${pathOf(at)}/price_category`, key, LAYOUT_LIMITS.labelLength)
  }
}
