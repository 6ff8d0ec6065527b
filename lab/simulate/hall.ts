import type { Person } from '@voelgoed/core/access'
import { plainHall } from '@voelgoed/core/allocation/fixtures/plain-hall'
import { SeatIds } from '@voelgoed/core/event/seat-ids'
import type { EventPlan } from '@voelgoed/core/event/state'
import type { EventId, OrganizationId, SeatId, UserId, ZoneId } from '@voelgoed/core/ids'
import { SEAT_CATEGORIES, type SeatCategory, type ZoneAccess } from '@voelgoed/core/layout/model'
import { DEFAULT_POLICY, effectivePolicy, type PolicyFields } from '@voelgoed/core/policy'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { EventPlan as RecordedPlan, SeatPlan } from '../judge/record.ts'
import type { SetPolicy } from './database.ts'

/** A hall so small that buyers get in each other's way: a dozen seats, and a floor without seats. */
export const SEATS = 12
export const FLOOR = 1
const PLACES = 6
const TTL_SECONDS = 2
const MOST_PER_USER = 6

export const ORGANIZATION = 'organization' as OrganizationId
export const EVENTS: readonly EventAddress[] = ['first', 'second'].map(id => {
  return { scope: TenantScope.of(ORGANIZATION), eventId: id as EventId }
})

const access: ZoneAccess = {
  accessMode: 'public',
  membershipTier: null,
  allowedRoles: [],
  allowedUserIds: [],
}

const ZONES: EventPlan['zones'] = [
  { zoneId: 'stalls' as ZoneId, zoneType: 'reserved_seating', capacity: SEATS, access, disabled: false },
  { zoneId: 'floor' as ZoneId, zoneType: 'ga_standing', capacity: PLACES, access, disabled: false },
]

/** In a hall with seat rules: one row, with a wheelchair place, its companion seat and a table in it. */
export const PLACE = 5
export const COMPANION = 6
export const TABLE: readonly number[] = [9, 10]
const RELEASED_AT_PERCENT = 40

export const HALL: EventPlan = hallWith(new Uint8Array(SEATS), [], policyWith(TTL_SECONDS, MOST_PER_USER))
export const HALL_WITH_RULES: EventPlan = hallWith(
  Uint8Array.from({ length: SEATS }, (_, ordinal) => SEAT_CATEGORIES.indexOf(categoryOf(ordinal))),
  [{ ordinals: TABLE, sell: 'whole' }],
  policyWith(TTL_SECONDS, MOST_PER_USER, true),
)

function categoryOf(ordinal: number): SeatCategory {
  return ordinal === PLACE ? 'wheelchair' : ordinal === COMPANION ? 'companion' : 'standard'
}

/** The same rules as the checker knows them. */
const SEAT_PLAN: SeatPlan = {
  rows: [Array.from({ length: SEATS }, (_, ordinal) => ordinal)],
  companions: [{ seat: COMPANION, place: PLACE, zone: 0 }],
  wholes: [TABLE],
  releasedAtPercent: RELEASED_AT_PERCENT,
}

function hallWith(
  category: Uint8Array,
  groups: Parameters<typeof plainHall>[1],
  policy: PolicyFields,
): EventPlan {
  const zoneOf = new Uint16Array(SEATS)
  return {
    seats: {
      count: SEATS,
      zoneOf,
      category,
      hall: plainHall({ zoneOf, category }, groups),
      seatIds: new SeatIds(Array.from({ length: SEATS }, (_, ordinal) => `seat-${ordinal}` as SeatId)),
    },
    zones: ZONES,
    settings: { status: 'published', saleStart: null, saleEnd: null, lastStart: null, policy },
  }
}

/** `isStrict`: no order may leave a seat alone. The rule of companion seats harms no hall that has none. */
export function policyWith(ttlSeconds: number, mostPerUser: number, isStrict = false): PolicyFields {
  return {
    ...effectivePolicy(DEFAULT_POLICY, {}),
    default_hold_ttl_seconds: ttlSeconds,
    max_seats_per_booking: null,
    max_holds_per_user: mostPerUser,
    max_holds_per_ip: null,
    holds_per_window: null,
    max_wheelchair_seats_per_booking: null,
    enforce_accessibility_rules: true,
    companion_release_occupancy_threshold: RELEASED_AT_PERCENT,
    orphan_avoidance_strict: isStrict,
  }
}

/** The same as the checker knows it. */
export function recordedHall(policies: readonly SetPolicy[], hasSeatRules: boolean): RecordedPlan {
  return {
    ttlMs: TTL_SECONDS * 1_000,
    maxHoldsPerUser: MOST_PER_USER,
    maxSeatsPerBooking: null,
    zones: [
      { capacity: SEATS, seats: SEATS },
      { capacity: PLACES, seats: 0 },
    ],
    laterPolicies: policies.map(({ since, fields }) => ({
      since,
      ttlMs: fields.default_hold_ttl_seconds * 1_000,
      maxHoldsPerUser: fields.max_holds_per_user,
      isStrict: fields.orphan_avoidance_strict,
    })),
    ...(hasSeatRules && { isStrict: true, seatRules: SEAT_PLAN }),
  }
}

export const STAFF: Person = personOf('staff', 'organizer')

export function personOf(userId: string, role: Person['role'] = 'customer'): Person {
  return { userId: userId as UserId, role, membershipTier: null, membershipStatus: null }
}

export function ordinalOf(seatId: string): number {
  return Number(seatId.slice('seat-'.length))
}
