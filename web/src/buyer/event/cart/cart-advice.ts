import { hallOf, type MapModel, SEAT_CATEGORIES } from '../../../map/index.ts'
import { ordinalOf } from './hold-words.ts'
import type { MyHold } from './holdings.svelte.ts'

const WHEELCHAIR = SEAT_CATEGORIES.indexOf('wheelchair')
/** Companion seats that are looked after at once. */
const MOST_COMPANIONS = 20

/** The companion seats of the wheelchair places among these seats. */
export function companionsOf(model: MapModel, mine: Iterable<number>): number[] {
  const places = [...mine].filter(ordinal => model.categoryOf[ordinal] === WHEELCHAIR)
  // Nearly all carts end here: the hall need not be made for them.
  if (places.length === 0) return []
  const { rows, companions } = hallOf(model)
  return places
    .flatMap(place => companions.seatsOf.get(rows.positions[place]!) ?? [])
    .map(position => rows.ordinals[position]!)
    .filter(ordinal => model.has(ordinal))
    .slice(0, MOST_COMPANIONS)
}

/** All seats of the groups, sold as a whole, that these seats are part of. */
export function wholesWith(model: MapModel, ordinals: readonly number[]): number[] {
  return model.groups
    .filter(group => group.sale === 'whole' && group.ordinals.some(ordinal => ordinals.includes(ordinal)))
    .flatMap(group => group.ordinals)
}

/** These holds, and those that the server gives back with them: a table goes as a whole. */
export function withWholes(
  model: MapModel,
  all: readonly MyHold[],
  holds: readonly MyHold[],
): readonly MyHold[] {
  const along = new Set(
    wholesWith(
      model,
      holds.flatMap(hold => ordinalOf(model, hold) ?? []),
    ),
  )
  if (along.size === 0) return holds
  return all.filter(hold => holds.includes(hold) || along.has(ordinalOf(model, hold) ?? -1))
}

/**
 * From the cart as it is to a cart with these seats: what to hold first, and what to release then. Places
 * without numbers and groups that are sold as a whole are no part of such a cart, and stay.
 */
export function stepsTo(
  model: MapModel,
  all: readonly MyHold[],
  seatIds: readonly string[],
): { readonly missing: string[]; readonly leaving: MyHold[] } {
  const held = new Set(all.flatMap(hold => ('seat_id' in hold ? [hold.seat_id] : [])))
  const isPartOfWhole = (hold: MyHold) => {
    const ordinal = ordinalOf(model, hold)
    return ordinal !== undefined && wholesWith(model, [ordinal]).length > 0
  }
  return {
    missing: seatIds.filter(id => !held.has(id)),
    leaving: all.filter(hold => 'seat_id' in hold && !seatIds.includes(hold.seat_id) && !isPartOfWhole(hold)),
  }
}

/** Seats of the rows that these seats are in, by id. To look through the whole hall would take too long. */
export function inRowsOf(model: MapModel, mine: Iterable<number>, seatIds: readonly string[]): number[] {
  const wanted = new Set(seatIds)
  const rows = new Set(
    Array.from(mine, ordinal =>
      model.zones[model.zoneOf[ordinal]!]?.rows.find(
        row => ordinal >= row.firstOrdinal && ordinal < row.firstOrdinal + row.seatCount,
      ),
    ),
  )
  const found: number[] = []
  for (const row of rows) {
    for (let index = 0; row && index < row.seatCount; index += 1) {
      if (wanted.has(model.seatIdOf(row.firstOrdinal + index))) found.push(row.firstOrdinal + index)
    }
  }
  return found
}
