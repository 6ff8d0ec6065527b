import type { Person } from '@voelgoed/core/access'
import { plainHall } from '@voelgoed/core/allocation/fixtures/plain-hall'
import { SeatIds } from '@voelgoed/core/event/seat-ids'
import type { EventPlan } from '@voelgoed/core/event/state'
import type { EventId, OrganizationId, SeatId, UserId, ZoneId } from '@voelgoed/core/ids'
import type { ZoneAccess } from '@voelgoed/core/layout/model'
import { DEFAULT_POLICY, effectivePolicy, type PolicyFields } from '@voelgoed/core/policy'
import type { EventAddress } from '../../../server/src/lane/store.ts'
import { TenantScope } from '../../../server/src/tenant.ts'
import type { EventPlan as RecordedPlan } from '../../checker/record.ts'
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

export const HALL: EventPlan = {
  seats: {
    count: SEATS,
    zoneOf: new Uint16Array(SEATS),
    category: new Uint8Array(SEATS),
    hall: plainHall({ zoneOf: new Uint16Array(SEATS), category: new Uint8Array(SEATS) }),
    seatIds: new SeatIds(Array.from({ length: SEATS }, (_, ordinal) => `seat-${ordinal}` as SeatId)),
  },
  zones: [
    { zoneId: 'stalls' as ZoneId, zoneType: 'reserved_seating', capacity: SEATS, access, disabled: false },
    { zoneId: 'floor' as ZoneId, zoneType: 'ga_standing', capacity: PLACES, access, disabled: false },
  ],
  settings: {
    status: 'published',
    saleStart: null,
    saleEnd: null,
    policy: policyWith(TTL_SECONDS, MOST_PER_USER),
  },
}

export function policyWith(ttlSeconds: number, mostPerUser: number): PolicyFields {
  return {
    ...effectivePolicy(DEFAULT_POLICY, {}),
    default_hold_ttl_seconds: ttlSeconds,
    max_seats_per_booking: null,
    max_holds_per_user: mostPerUser,
    max_holds_per_ip: null,
    holds_per_window: null,
    orphan_avoidance_strict: false,
  }
}

/** The same as the checker knows it. */
export function recordedHall(policies: readonly SetPolicy[]): RecordedPlan {
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
    })),
  }
}

export const STAFF: Person = personOf('staff', 'organizer')

export function personOf(userId: string, role: Person['role'] = 'customer'): Person {
  return { userId: userId as UserId, role, membershipTier: null, membershipStatus: null }
}

export function ordinalOf(seatId: string): number {
  return Number(seatId.slice('seat-'.length))
}
