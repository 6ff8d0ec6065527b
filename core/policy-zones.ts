import { type AccessMode, hasSeats, isVip, type ZoneType } from './layout/model.ts'
import type { PolicyFields } from './policy.ts'

/**
 * Describes which zones a seating policy lets an event sell. Asked when a layout is attached, when an event
 * is published, and at each hold: a policy that is changed later stops sales at once, and holds that exist
 * stay valid.
 */
export type ZoneRule =
  | 'allow_reserved_seating'
  | 'allow_ga_seating'
  | 'allow_vip_zones'
  | 'allow_hybrid_ga_reserved'
  | 'allowed_access_modes'

export interface OfferedZone {
  readonly zoneType: ZoneType
  readonly accessMode: AccessMode
  /** A disabled zone is not offered. */
  readonly disabled: boolean
}

/** Every rule that an offered zone breaks, with the zone's index. */
export function zonesNotAllowed(
  policy: PolicyFields,
  zones: readonly OfferedZone[],
): { readonly zoneIndex: number; readonly rule: ZoneRule }[] {
  const besideSeats = zones.some(zone => !zone.disabled && hasSeats(zone.zoneType))
  return RULES.flatMap(([rule, isBroken]) =>
    zones.flatMap((zone, zoneIndex) =>
      !zone.disabled && isBroken(policy, zone, besideSeats) ? [{ zoneIndex, rule }] : [],
    ),
  )
}

/**
 * The first rule that keeps this zone from being sold, or null. `besideSeats`:
 * the event also offers a zone with seats.
 */
export function ruleAgainstZone(
  policy: PolicyFields,
  zone: Pick<OfferedZone, 'zoneType' | 'accessMode'>,
  besideSeats: boolean,
): ZoneRule | null {
  for (const [rule, isBroken] of RULES) if (isBroken(policy, zone, besideSeats)) return rule
  return null
}

type IsBroken = (
  policy: PolicyFields,
  zone: Pick<OfferedZone, 'zoneType' | 'accessMode'>,
  besideSeats: boolean,
) => boolean

const RULES: readonly (readonly [ZoneRule, IsBroken])[] = [
  ['allow_reserved_seating', (policy, zone) => !policy.allow_reserved_seating && hasSeats(zone.zoneType)],
  ['allow_ga_seating', (policy, zone) => !policy.allow_ga_seating && !hasSeats(zone.zoneType)],
  ['allow_vip_zones', (policy, zone) => !policy.allow_vip_zones && isVip(zone.zoneType)],
  [
    'allow_hybrid_ga_reserved',
    // General admission is what is added to a hall with seats, so that is what is not sold.
    (policy, zone, besideSeats) =>
      !policy.allow_hybrid_ga_reserved && besideSeats && !hasSeats(zone.zoneType),
  ],
  ['allowed_access_modes', (policy, zone) => !policy.allowed_access_modes.includes(zone.accessMode)],
]
