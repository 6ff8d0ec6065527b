import type { Person } from '../../access.ts'
import { plainHall } from '../../allocation/fixtures/plain-hall.ts'
import type { SeatId, UserId, ZoneId } from '../../ids.ts'
import { SEAT_CATEGORIES, type SeatCategory, type ZoneAccess } from '../../layout/model.ts'
import { DEFAULT_POLICY, effectivePolicy, type PolicyFields } from '../../policy.ts'
import { SeatIds } from '../seat-ids.ts'
import type { EventPlan, EventSettings, ZoneSettings } from '../state.ts'

/** A small house with everything in it that the rules know of. */

export const NOW = 1_800_000_000_000
export const SECOND = 1000
export const MINUTE = 60 * SECOND

const everyone: ZoneAccess = {
  accessMode: 'public',
  membershipTier: null,
  allowedRoles: [],
  allowedUserIds: [],
}
const members: ZoneAccess = { ...everyone, accessMode: 'membership_tier', membershipTier: 'gold' }
const staff: ZoneAccess = { ...everyone, accessMode: 'role_based', allowedRoles: ['organizer', 'admin'] }

export const STALLS = 0
export const LOGE = 1
export const FLOOR = 2
export const CREW = 3

const zones: readonly ZoneSettings[] = [
  { zoneId: id('stalls'), zoneType: 'reserved_seating', capacity: 6, access: everyone, disabled: false },
  { zoneId: id('loge'), zoneType: 'vip_reserved', capacity: 2, access: members, disabled: false },
  { zoneId: id('floor'), zoneType: 'ga_standing', capacity: 6, access: everyone, disabled: false },
  { zoneId: id('crew'), zoneType: 'ga_seated', capacity: 3, access: staff, disabled: false },
]

/** By ordinal: 0 … 5 in the stalls, two of them for wheelchairs; 6 and 7 in the loge. */
const seats: readonly [number, SeatCategory][] = [
  [STALLS, 'standard'],
  [STALLS, 'standard'],
  [STALLS, 'standard'],
  [STALLS, 'companion'],
  [STALLS, 'wheelchair'],
  [STALLS, 'wheelchair'],
  [LOGE, 'standard'],
  [LOGE, 'standard'],
]
export const SEAT_COUNT = seats.length

export const seatId = (ordinal: number) => `seat-${ordinal}` as SeatId

export const tightPolicy: PolicyFields = {
  ...effectivePolicy(DEFAULT_POLICY, {}),
  allow_vip_zones: true,
  max_seats_per_booking: 4,
  max_holds_per_user: 3,
  max_holds_per_ip: 4,
  max_wheelchair_seats_per_booking: 1,
  holds_per_window: 6,
  enforce_accessibility_rules: false,
  orphan_avoidance_strict: false,
}
export const openPolicy: PolicyFields = {
  ...tightPolicy,
  max_seats_per_booking: null,
  max_holds_per_user: null,
  max_holds_per_ip: null,
  max_wheelchair_seats_per_booking: null,
  holds_per_window: null,
}

const zoneOf = Uint16Array.from(seats, ([zoneIndex]) => zoneIndex)
const category = Uint8Array.from(seats, ([, name]) => SEAT_CATEGORIES.indexOf(name))
const map = { count: seats.length, zoneOf, category, hall: plainHall({ zoneOf, category }) }

/** With the rules about which seats go together. */
export const seatRules: PolicyFields = {
  ...openPolicy,
  enforce_accessibility_rules: true,
  companion_release_occupancy_threshold: 75,
  orphan_avoidance_strict: true,
}
/** The two seats of the loge are sold as a whole. */
export const withTable = {
  ...map,
  hall: plainHall({ zoneOf, category }, [{ ordinals: [6, 7], sell: 'whole' }]),
}

export function planOf(settings: Partial<EventSettings> = {}, seatMap = map): EventPlan {
  return {
    seats: { ...seatMap, seatIds: new SeatIds(seats.map((_, ordinal) => seatId(ordinal))) },
    zones,
    settings: {
      status: 'live',
      saleStart: null,
      saleEnd: null,
      lastStart: null,
      policy: tightPolicy,
      ...settings,
    },
  }
}

/** Houses to play histories in. */
export const plans: readonly EventPlan[] = [
  planOf(),
  planOf({ policy: { ...tightPolicy, default_hold_ttl_seconds: 60 } }),
  planOf({ policy: openPolicy, saleStart: NOW, saleEnd: NOW + 30 * MINUTE }),
  planOf({ policy: { ...openPolicy, default_hold_ttl_seconds: 3600 }, lastStart: NOW + 45 * MINUTE }),
  planOf({ policy: seatRules }),
  planOf({ policy: { ...seatRules, enforce_accessibility_rules: false, default_hold_ttl_seconds: 3600 } }),
  planOf({ policy: { ...seatRules, group_adjacency_strict: true } }, withTable),
]

export const people = {
  ann: person('ann', {}),
  ben: person('ben', { membershipTier: 'gold', membershipStatus: 'active' }),
  cat: person('cat', { membershipTier: 'gold', membershipStatus: 'suspended' }),
  dan: person('dan', { role: 'admin' }),
}
export type Name = keyof typeof people

function person(name: string, more: Partial<Person>): Person {
  return { userId: id<UserId>(name), role: 'customer', membershipTier: null, membershipStatus: null, ...more }
}

function id<Id extends string = ZoneId>(text: string): Id {
  return text as Id
}
