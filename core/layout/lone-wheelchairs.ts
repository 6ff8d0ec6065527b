import { pairsOf } from '../allocation/companions.ts'
import { compileRows } from '../allocation/rows.ts'
import type { Layout, LayoutFault, Seat } from './model.ts'

/**
 * A wheelchair place without a companion seat can be sold, but the buyer's companion sits elsewhere: most
 * often the pair was forgotten. A companion seat beside it is enough: the two are then taken for a pair.
 * One warning per zone, at its first such place.
 */
export function loneWheelchairs({ zones, seats }: Pick<Layout, 'zones' | 'seats'>): LayoutFault[] {
  const unpaired = seats.filter(seat => seat.category === 'wheelchair' && seat.companionOrdinal === null)
  if (unpaired.length === 0) return []
  // From where rows are counted makes no difference to who sits beside whom.
  const rows = compileRows(seats, { x: 0, y: 0 })
  const { seatsOf } = pairsOf(seats, rows)
  const byZone = new Map<number, Seat[]>()
  for (const seat of unpaired) {
    if (seatsOf.has(rows.positions[seat.ordinal]!)) continue
    const known = byZone.get(seat.zoneIndex)
    if (known) known.push(seat)
    else byZone.set(seat.zoneIndex, [seat])
  }
  return Array.from(byZone, ([zoneIndex, alone]) => {
    const first = alone[0]!
    const { firstOrdinal } = zones[zoneIndex]!
    const more = alone.length > 1 ? ` Found ${alone.length} times in this zone.` : ''
    return {
      path: `/zones/${zoneIndex}/seats/${first.ordinal - firstOrdinal}`,
      code: 'wheelchair_without_companion',
      message: `Wheelchair place ${first.label} has no companion seat: put one beside it, or name one in companion_seat_label.${more}`,
    }
  })
}
