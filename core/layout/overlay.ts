import { ROLES } from '../access.ts'
import { isUuid, type UserId } from '../ids.ts'
import type { PolicyFields } from '../policy.ts'
import { type ZoneRule, zonesNotAllowed } from '../policy-zones.ts'
import { type AccessMode, hasSeats, type LayoutFault, type Zone, type ZoneType } from './model.ts'

/**
 * An event changes this of its venue's layout: deltas, never a copy. Kept in the form in which it is sent.
 *
 * The freeze rule. From `publish` on an event's layout version is frozen, because buyers have chosen by it:
 *   frozen     layout and version; the type of a zone; a smaller capacity
 *   free       blocked seats, disabled zones, who may enter, pricing, names, a larger capacity of a zone
 *              without seats
 */
export interface Overlay {
  readonly blocked_seat_ids: readonly string[]
  readonly disabled_zones: readonly string[]
  readonly zone_overrides: Readonly<Record<string, ZoneOverride>>
  readonly pricing_zones: Readonly<Record<string, PricingZone>>
}

interface ZoneOverride {
  readonly name?: string
  readonly zone_type?: ZoneType
  readonly capacity?: number
  readonly access_mode?: AccessMode
  readonly membership_tier?: string | null
  readonly allowed_roles?: readonly string[]
  readonly allowed_user_ids?: readonly string[]
}

interface PricingZone {
  readonly pricing_rule_id: string
}

export const EMPTY_OVERLAY: Overlay = {
  blocked_seat_ids: [],
  disabled_zones: [],
  zone_overrides: {},
  pricing_zones: {},
}

/** A zone as this event has it. */
export interface EventZone extends Zone {
  readonly disabled: boolean
  readonly pricingRuleId: string | null
}

export function overlayZones(zones: readonly Zone[], overlay: Overlay): EventZone[] {
  const disabled = new Set(overlay.disabled_zones)
  return zones.map(zone => ({
    ...applyOverride(zone, overlay.zone_overrides[zone.zoneId] ?? {}),
    disabled: disabled.has(zone.zoneId),
    pricingRuleId: overlay.pricing_zones[zone.zoneId]?.pricing_rule_id ?? null,
  }))
}

function applyOverride(zone: Zone, override: ZoneOverride): Zone {
  const zoneType = override.zone_type ?? zone.zoneType
  const accessMode = override.access_mode ?? zone.accessMode
  const sameMode = accessMode === zone.accessMode
  return {
    ...zone,
    name: override.name ?? zone.name,
    zoneType,
    // A hall without its chairs: as many places as it had seats, unless the event says otherwise.
    capacity: override.capacity ?? zone.capacity,
    seatCount: hasSeats(zoneType) ? zone.seatCount : 0,
    accessMode,
    membershipTier: override.membership_tier ?? (sameMode ? zone.membershipTier : null),
    allowedRoles: override.allowed_roles ?? (sameMode ? zone.allowedRoles : []),
    allowedUserIds:
      (override.allowed_user_ids as UserId[] | undefined) ?? (sameMode ? zone.allowedUserIds : []),
  }
}

/**
 * Every fault of an overlay at once. `unknownSeatIds`: those of its blocked seats that the layout has not.
 */
export function checkOverlay(
  zones: readonly Zone[],
  overlay: Overlay,
  unknownSeatIds: ReadonlySet<string>,
): LayoutFault[] {
  const faults: LayoutFault[] = []
  const fault = (path: string, code: string, message: string) => faults.push({ path, code, message })
  const byId = new Map(zones.map(zone => [zone.zoneId as string, zone]))

  const seen = new Set<string>()
  overlay.blocked_seat_ids.forEach((seatId, index) => {
    const path = `/overrides/blocked_seat_ids/${index}`
    if (seen.has(seatId)) fault(path, 'seat_listed_twice', 'This seat is in the list already: remove one.')
    if (unknownSeatIds.has(seatId)) fault(path, 'unknown_seat', 'The event has no seat with this id.')
    seen.add(seatId)
  })
  overlay.disabled_zones.forEach((zoneId, index) => {
    if (!byId.has(zoneId)) {
      fault(
        `/overrides/disabled_zones/${index}`,
        'unknown_zone',
        'The layout version has no zone with this id.',
      )
    }
  })
  for (const zoneId of Object.keys(overlay.pricing_zones)) {
    if (!byId.has(zoneId)) {
      fault(
        `/overrides/pricing_zones/${zoneId}`,
        'unknown_zone',
        'The layout version has no zone with this id.',
      )
    }
  }
  for (const [zoneId, override] of Object.entries(overlay.zone_overrides)) {
    const path = `/overrides/zone_overrides/${zoneId}`
    const zone = byId.get(zoneId)
    if (!zone) fault(path, 'unknown_zone', 'The layout version has no zone with this id.')
    else faults.push(...checkOverride(zone, override, path))
  }
  return faults
}

function checkOverride(zone: Zone, override: ZoneOverride, path: string): LayoutFault[] {
  const faults: LayoutFault[] = []
  const fault = (member: string, code: string, message: string) =>
    faults.push({ path: `${path}/${member}`, code, message })
  const result = applyOverride(zone, override)

  if (hasSeats(result.zoneType) && !hasSeats(zone.zoneType)) {
    fault(
      'zone_type',
      'zone_has_no_seats',
      `${zone.name} has no seats in this layout, so it can't be reserved.`,
    )
  }
  if (override.capacity !== undefined && hasSeats(result.zoneType)) {
    fault(
      'capacity',
      'capacity_follows_from_seats',
      'A zone with seats has the capacity of its seats: leave it out.',
    )
  }
  if (result.accessMode === 'membership_tier' && !result.membershipTier) {
    fault(
      'membership_tier',
      'membership_tier_missing',
      'access_mode membership_tier needs a membership_tier.',
    )
  }
  if (result.accessMode === 'role_based' && result.allowedRoles.length === 0) {
    fault('allowed_roles', 'allowed_roles_missing', 'access_mode role_based needs at least one role.')
  }
  for (const role of override.allowed_roles ?? []) {
    if (!(ROLES as readonly string[]).includes(role)) {
      fault('allowed_roles', 'unknown_role', `${role} is no role: use ${ROLES.join(', ')}.`)
    }
  }
  for (const userId of override.allowed_user_ids ?? []) {
    if (!isUuid(userId)) fault('allowed_user_ids', 'user_id_invalid', `${userId} is no user's id.`)
  }
  return faults
}

/** Returns what of the freeze rule a new overlay would break; `null` when nothing. */
export function brokenFreeze(before: readonly EventZone[], after: readonly EventZone[]): string | null {
  for (const [index, old] of before.entries()) {
    const next = after[index]!
    if (next.zoneType !== old.zoneType) {
      return `The type of ${old.name} can't change from ${old.zoneType} to ${next.zoneType} while the event is on sale.`
    }
    if (next.capacity < old.capacity) {
      return `The capacity of ${old.name} can't shrink from ${old.capacity} to ${next.capacity} while the event is on sale.`
    }
  }
  return null
}

/** Returns what the organization's policy does not let an event offer. Disabled zones are not offered. */
export function checkZonesAgainstPolicy(zones: readonly EventZone[], policy: PolicyFields): LayoutFault[] {
  const faults = zonesNotAllowed(policy, zones).map(({ zoneIndex, rule }): LayoutFault => {
    const zone = zones[zoneIndex]!
    const { code, what } = WHAT[rule]
    return {
      path: `/zones/${zoneIndex}`,
      code,
      message: `${zone.name} is ${what(zone)}, which the seating policy does not allow: change ${rule}, or disable the zone.`,
    }
  })
  if (zones.every(zone => zone.disabled)) {
    faults.push({
      path: '/zones',
      code: 'nothing_to_sell',
      message: 'Every zone is disabled: enable at least one.',
    })
  }
  return faults
}

const WHAT: Record<ZoneRule, { readonly code: string; readonly what: (zone: EventZone) => string }> = {
  allow_reserved_seating: { code: 'allow_reserved_seating_off', what: () => 'reserved seating' },
  allow_ga_seating: { code: 'allow_ga_seating_off', what: () => 'general admission' },
  allow_vip_zones: { code: 'allow_vip_zones_off', what: () => 'a VIP zone' },
  allow_hybrid_ga_reserved: {
    code: 'allow_hybrid_ga_reserved_off',
    what: () => 'mixed with reserved seating',
  },
  allowed_access_modes: {
    code: 'access_mode_not_allowed',
    what: ({ accessMode }) => `of access mode ${accessMode}`,
  },
}
