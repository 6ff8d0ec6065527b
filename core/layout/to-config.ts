import type {
  Layout,
  LayoutConfig,
  Outline,
  Point,
  Seat,
  SeatConfig,
  SeatGroup,
  SeatGroupConfig,
  Zone,
  ZoneConfig,
} from './model.ts'
import { hasSeats } from './model.ts'
import { defaultLabel } from './seat-number.ts'

/**
 * The native export: every id, and nothing that `compileLayout` would fill in by itself, which keeps
 * 200,000 seats some 10 MB smaller. Compiling it gives the same layout again.
 * It shares nothing with the layout.
 */
export function toConfig(layout: Layout): LayoutConfig {
  const companions = new CompanionLabels(layout.seats.filter(seat => seat.companionOrdinal !== null))
  const config: LayoutConfig = { zones: layout.zones.map(zone => toZoneConfig(layout, zone, companions)) }
  if (layout.groups.length > 0) config.seat_groups = layout.groups.map(group => toGroupConfig(layout, group))
  if (layout.priceCategories.length > 0) {
    config.price_categories = layout.priceCategories.map(category => ({ ...category }))
  }
  if (layout.focalPoint) config.focal_point = toPoint(layout.focalPoint)
  if (layout.outlines.length > 0) config.outlines = layout.outlines.map(toOutlineConfig)
  return config
}

function toZoneConfig(layout: Layout, zone: Zone, companions: CompanionLabels): ZoneConfig {
  const config = zoneConfig(zone)
  if (hasSeats(zone.zoneType)) {
    config.seats = layout.seats
      .slice(zone.firstOrdinal, zone.firstOrdinal + zone.seatCount)
      .map(seat => seatConfig(seat, companions.of(seat)))
  }
  return config
}

type PairedSeat = Pick<Seat, 'ordinal' | 'label' | 'category' | 'companionOrdinal'>

/** With whom a seat is paired, by label: a companion seat with its place, a place with all its companions. */
export class CompanionLabels {
  readonly #labels = new Map<number, string>()
  readonly #ofPlace = new Map<number, string[]>()

  /** The seats that are paired, in the order of their ordinals. */
  constructor(paired: Iterable<PairedSeat>) {
    for (const { ordinal, label, category, companionOrdinal } of paired) {
      this.#labels.set(ordinal, label)
      if (category !== 'companion' || companionOrdinal === null) continue
      const known = this.#ofPlace.get(companionOrdinal)
      if (known) known.push(label)
      else this.#ofPlace.set(companionOrdinal, [label])
    }
  }

  of({ ordinal, category, companionOrdinal }: Omit<PairedSeat, 'label'>): readonly string[] {
    if (companionOrdinal === null) return []
    if (category === 'wheelchair') return this.#ofPlace.get(ordinal) ?? []
    const place = this.#labels.get(companionOrdinal)
    return place === undefined ? [] : [place]
  }
}

/** All of a zone but its seats. */
export function zoneConfig(zone: Zone): ZoneConfig {
  const config: ZoneConfig = {
    zone_id: zone.zoneId,
    name: zone.name,
    zone_type: zone.zoneType,
    capacity: zone.capacity,
    access_mode: zone.accessMode,
  }
  if (zone.membershipTier !== null) config.membership_tier = zone.membershipTier
  if (zone.allowedRoles.length > 0) config.allowed_roles = [...zone.allowedRoles]
  if (zone.allowedUserIds.length > 0) config.allowed_user_ids = [...zone.allowedUserIds]
  if (Object.keys(zone.metadata).length > 0) config.metadata = structuredCopy(zone.metadata)
  if (zone.outline) config.outline = zone.outline.map(toPoint)
  if (zone.level !== null) config.level = zone.level
  return config
}

/** Returns what an export says of a seat; its companions are named by label. */
export function seatConfig(
  seat: Omit<Seat, 'ordinal' | 'zoneIndex' | 'companionOrdinal'>,
  companions: readonly string[],
): SeatConfig {
  const config: SeatConfig = {
    seat_id: seat.seatId,
    row: seat.row,
    number: seat.number,
    coordinates: { x: seat.x, y: seat.y },
  }
  if (seat.label !== defaultLabel(seat.row, seat.number)) config.label = seat.label
  if (seat.category !== 'standard') config.category = seat.category
  if (seat.priceCategory !== null) config.price_category = seat.priceCategory
  if (companions.length > 1) config.companion_seat_labels = [...companions]
  else if (companions.length === 1) config.companion_seat_label = companions[0]!
  if (seat.aisleAfter !== null) config.aisle_after = seat.aisleAfter
  return config
}

function toGroupConfig(layout: Layout, group: SeatGroup): SeatGroupConfig {
  const config: SeatGroupConfig = {
    group_id: group.groupId,
    group_type: group.groupType,
    seat_ids: group.ordinals.map(ordinal => layout.seats[ordinal]!.seatId),
  }
  if (group.name !== null) config.name = group.name
  if (Object.keys(group.metadata).length > 0) config.metadata = structuredCopy(group.metadata)
  return config
}

function toOutlineConfig({ points, ...outline }: Outline): NonNullable<LayoutConfig['outlines']>[number] {
  return { ...outline, points: points.map(toPoint) }
}

function toPoint({ x, y }: Point): Point {
  return { x, y }
}

/** Metadata is JSON, and small: see LAYOUT_LIMITS.metadataBytes. */
function structuredCopy(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(metadata))
}
