import type { LayoutId, SeatGroupId, SeatId, UserId, ZoneId } from '../ids.ts'

/**
 * A venue's layout, twice:
 *
 *   LayoutConfig   what people write and what is exported: snake_case JSON, ids optional.
 *   Layout         what the system works with: every id known, seats dense by ordinal.
 *
 * `compileLayout` turns the first into the second and finds every fault on the way;
 * `toConfig` turns the second into the first. Compiling an exported layout gives the same layout again.
 */

export const ZONE_TYPES = [
  'reserved_seating',
  'ga_seated',
  'ga_standing',
  'vip_reserved',
  'vip_standing',
] as const
export type ZoneType = (typeof ZONE_TYPES)[number]

export const ACCESS_MODES = ['public', 'membership_tier', 'role_based', 'whitelist'] as const
export type AccessMode = (typeof ACCESS_MODES)[number]

export const SEAT_CATEGORIES = ['standard', 'wheelchair', 'companion', 'restricted_view', 'aisle'] as const
export type SeatCategory = (typeof SEAT_CATEGORIES)[number]

export const GROUP_TYPES = ['wheelchair_pair', 'family_block', 'vip_table', 'reserved_block'] as const
export type GroupType = (typeof GROUP_TYPES)[number]

/** Zones of these types have seats of their own; the others are a number of places. */
export function hasSeats(zoneType: ZoneType): boolean {
  return zoneType === 'reserved_seating' || zoneType === 'vip_reserved'
}

export function isVip(zoneType: ZoneType): boolean {
  return zoneType === 'vip_reserved' || zoneType === 'vip_standing'
}

export const LAYOUT_LIMITS = {
  seats: 250_000,
  zones: 2_000,
  levels: 20,
  groups: 50_000,
  seatsPerGroup: 1_000,
  companionsPerPlace: 20,
  zoneCapacity: 1_000_000,
  priceCategories: 1_000,
  outlines: 5_000,
  pointsPerOutline: 2_000,
  allowedUsers: 10_000,
  nameLength: 200,
  labelLength: 100,
  metadataBytes: 16_384,
  coordinate: 1e9,
} as const

export interface Point {
  readonly x: number
  readonly y: number
}

/** Describes who may book in a zone. Which of the three lists counts follows from the mode. */
export interface ZoneAccess {
  readonly accessMode: AccessMode
  readonly membershipTier: string | null
  readonly allowedRoles: readonly string[]
  readonly allowedUserIds: readonly UserId[]
}

export interface Zone extends ZoneAccess {
  readonly zoneId: ZoneId
  readonly name: string
  readonly zoneType: ZoneType
  /** Seats of the zone, or places of a zone that has none. */
  readonly capacity: number
  readonly metadata: Readonly<Record<string, unknown>>
  readonly outline: readonly Point[] | null
  /** The floor that it is on, such as `Balcony`. Null: not said, and a map shows it with every floor. */
  readonly level: string | null
  /** Ordinals firstOrdinal … firstOrdinal + seatCount − 1 are this zone's seats. */
  readonly firstOrdinal: number
  readonly seatCount: number
}

export interface Seat {
  /** Dense, 0 … n−1 in the whole layout version: the seat's address in typed arrays, bitmaps and deltas. */
  readonly ordinal: number
  readonly seatId: SeatId
  readonly zoneIndex: number
  /** Unique in its zone. */
  readonly label: string
  readonly row: string
  /** A whole number where it can be read as one, else text such as `12A`. */
  readonly number: number | string
  readonly category: SeatCategory
  readonly priceCategory: string | null
  readonly x: number
  readonly y: number
  /**
   * A companion seat has its wheelchair place here. Of a wheelchair place: the first of its companion seats.
   * Null where the layout says nothing; core/allocation then pairs seats that are side by side.
   */
  readonly companionOrdinal: number | null
  /** True if there is an aisle between this seat and the next one of its row. Null: not said. */
  readonly aisleAfter: boolean | null
}

export interface SeatGroup {
  readonly groupId: SeatGroupId
  readonly groupType: GroupType
  readonly name: string | null
  readonly ordinals: readonly number[]
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface PriceCategory {
  readonly key: string
  readonly label: string
  readonly color: string | null
}

/** A shape that is drawn but not sold: the stage, a wall, a word on the floor. */
export interface Outline {
  readonly kind: 'stage' | 'shape' | 'text'
  readonly label: string | null
  readonly points: readonly Point[]
  /** The floor that it is drawn on. Left out: on all of them. */
  readonly level?: string
}

export interface Layout {
  readonly layoutId: LayoutId
  readonly zones: readonly Zone[]
  readonly seats: readonly Seat[]
  readonly groups: readonly SeatGroup[]
  readonly priceCategories: readonly PriceCategory[]
  readonly focalPoint: Point | null
  readonly outlines: readonly Outline[]
  readonly totalCapacity: number
}

export interface SeatConfig {
  seat_id?: string
  label?: string
  row: string
  number: number | string
  category?: SeatCategory
  price_category?: string | null
  coordinates?: Point | null
  companion_seat_label?: string | null
  /** A wheelchair place with several companion seats has them here. */
  companion_seat_labels?: string[]
  /** An aisle between this seat and the next one of its row. Left out: the distance tells. */
  aisle_after?: boolean
}

export interface ZoneConfig {
  zone_id?: string
  name: string
  zone_type: ZoneType
  capacity?: number
  access_mode?: AccessMode
  membership_tier?: string | null
  allowed_roles?: string[] | null
  allowed_user_ids?: string[] | null
  metadata?: Record<string, unknown>
  outline?: Point[] | null
  /** The floor that it is on. Floors come in the order in which zones name them. */
  level?: string | null
  seats?: SeatConfig[]
}

export interface SeatGroupConfig {
  group_id?: string
  group_type: GroupType
  name?: string | null
  /** One of the two: ids, or zone name and label. */
  seat_ids?: string[]
  seats?: { zone: string; label: string }[]
  metadata?: Record<string, unknown>
}

export interface LayoutConfig {
  zones: ZoneConfig[]
  seat_groups?: SeatGroupConfig[]
  price_categories?: { key: string; label?: string; color?: string | null }[]
  focal_point?: Point | null
  outlines?: {
    kind: 'stage' | 'shape' | 'text'
    label?: string | null
    points: Point[]
    level?: string | null
  }[]
}

/** One fault of a layout or one loss of an import. `path` is a JSON pointer into what was sent. */
export interface LayoutFault {
  readonly path: string
  readonly code: string
  readonly message: string
}
