import type { Layout, LayoutConfig, SeatConfig } from '@voelgoed/core/layout/model'
import { EMPTY_OVERLAY, type Overlay } from '@voelgoed/core/layout/overlay'
import fc from 'fast-check'

const text = fc
  .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
  .filter(value => value.trim() !== '' && value.isWellFormed() && !/\p{C}/u.test(value))

const wildSeat = fc.record({
  row: fc.oneof(fc.constantFrom('A', 'B', 'AA'), text),
  number: fc.oneof(fc.integer({ min: -3, max: 40 }), fc.maxSafeInteger(), text),
  label: fc.option(text, { nil: undefined }),
  seat_id: fc.option(fc.uuid(), { nil: undefined, freq: 4 }),
  category: fc.constantFrom('standard', 'restricted_view', 'aisle' as const),
  price_category: fc.constantFrom(null, 'gold', 'silver', 'unlisted'),
  coordinates: fc.record({
    x: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    y: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  }),
  aisle_after: fc.constantFrom(undefined, undefined, true, false),
})

const wildZone = fc.tuple(
  fc.array(wildSeat, { maxLength: 12 }),
  fc.constantFrom('open', 'closed', 'cleared'),
  fc.constantFrom(undefined, 0, -1, 2.5, 'first'),
  fc.constantFrom('none', 'whole', 'family', 'block'),
  fc.constantFrom(undefined, 'Stalls', 'Balcony'),
)

/**
 * Up to four zones of a few seats each; some of them closed, some without their chairs, some with a rank,
 * some with a group, some on a floor.
 */
export const wildHall = fc.array(wildZone, { minLength: 1, maxLength: 4 }).map(zones => {
  const seen = new Set<string>()
  const config: LayoutConfig = {
    zones: zones.map(([seats, , rank, , level], index) => ({
      name: `Zone ${index}`,
      zone_type: 'reserved_seating',
      ...(rank !== undefined && { metadata: { rank } }),
      ...(level !== undefined && { level }),
      seats: [
        ...seats.filter(seat => isNew(seen, index, seat)),
        {
          row: 'Z',
          number: 1,
          label: 'wheelchair',
          category: 'wheelchair',
          companion_seat_labels: ['other', 'companion'],
        },
        { row: 'Z', number: 2, label: 'companion', category: 'companion' },
        { row: 'Z', number: 3, label: 'other', category: 'companion' },
      ],
    })),
    seat_groups: zones.flatMap(([, , , sale], index) => {
      if (sale === 'none') return []
      return {
        group_type: sale === 'family' ? 'family_block' : 'reserved_block',
        seats: ['other', 'wheelchair'].map(label => ({ zone: `Zone ${index}`, label })),
        metadata: sale === 'whole' ? { sell: 'whole' } : {},
      }
    }),
  }
  const overlayOf = (layout: Layout): Overlay => ({
    ...EMPTY_OVERLAY,
    disabled_zones: layout.zones.filter((_, index) => zones[index]![1] === 'closed').map(zone => zone.zoneId),
    zone_overrides: Object.fromEntries(
      layout.zones
        .filter((_, index) => zones[index]![1] === 'cleared')
        .map(zone => [zone.zoneId, { zone_type: 'ga_standing' as const }]),
    ),
  })
  return { config, overlayOf }
})

/** Labels are unique in a zone, ids in a layout. */
function isNew(seen: Set<string>, zoneIndex: number, seat: SeatConfig): boolean {
  const keys = [`${zoneIndex} ${seat.label ?? `${seat.row}-${seat.number}`}`, seat.seat_id ?? '']
  if (keys.some(key => seen.has(key))) return false
  for (const key of keys) if (key !== '') seen.add(key)
  return true
}
