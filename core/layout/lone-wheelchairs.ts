import type { Layout, LayoutFault } from './model.ts'

/**
 * A wheelchair place without a companion seat can be sold, but the buyer's companion sits elsewhere: most
 * often the pair was forgotten. One warning per zone, at its first such place.
 */
export function loneWheelchairs({ zones, seats }: Pick<Layout, 'zones' | 'seats'>): LayoutFault[] {
  return zones.flatMap(({ firstOrdinal, seatCount }, zoneIndex) => {
    const alone = seats
      .slice(firstOrdinal, firstOrdinal + seatCount)
      .filter(seat => seat.category === 'wheelchair' && seat.companionOrdinal === null)
    const first = alone[0]
    if (!first) return []
    const more = alone.length > 1 ? ` Found ${alone.length} times in this zone.` : ''
    return {
      path: `/zones/${zoneIndex}/seats/${first.ordinal - firstOrdinal}`,
      code: 'wheelchair_without_companion',
      message: `Wheelchair place ${first.label} has no companion seat: name one in companion_seat_label.${more}`,
    }
  })
}
