import type { PolicyField, PolicyFields } from '@voelgoed/core/policy'

/** A field of the policy is filled in like this. */
export type FieldShape =
  | { readonly kind: 'switch' }
  | { readonly kind: 'modes' }
  | {
      readonly kind: 'number'
      readonly min: number
      readonly max: number
      /** Null is a value: no limit. */
      readonly isOpen: boolean
      /** The contract counts in seconds, people in minutes. */
      readonly inMinutes: boolean
      readonly unit: 'minutes' | 'seats' | 'places' | 'percent' | 'parts'
    }

const number = (
  unit: 'minutes' | 'seats' | 'places' | 'percent' | 'parts',
  min: number,
  max: number,
  isOpen = false,
): FieldShape => ({ kind: 'number', min, max, isOpen, inMinutes: unit === 'minutes', unit })
const onOff: FieldShape = { kind: 'switch' }

export const POLICY_SHAPES: Readonly<Record<PolicyField, FieldShape>> = {
  default_hold_ttl_seconds: number('minutes', 1, 7_200),
  max_seats_per_booking: number('seats', 1, 10_000, true),
  max_holds_per_user: number('places', 0, 1_000_000, true),
  max_holds_per_ip: number('places', 0, 1_000_000, true),
  holds_per_window: number('places', 0, 1_000_000, true),
  hold_window_seconds: number('minutes', 1, 86_400),
  release_on_declined_payment: onOff,
  orphan_avoidance_strict: onOff,
  group_adjacency_strict: onOff,
  max_group_split: number('parts', 0, 1_000, true),
  prefer_clustering_over_selection: onOff,
  enforce_accessibility_rules: onOff,
  companion_release_occupancy_threshold: number('percent', 0, 100),
  max_wheelchair_seats_per_booking: number('places', 0, 10_000, true),
  accessibility_audit_enabled: onOff,
  allow_reserved_seating: onOff,
  allow_ga_seating: onOff,
  allow_hybrid_ga_reserved: onOff,
  allow_vip_zones: onOff,
  allowed_access_modes: { kind: 'modes' },
}

/** In the order in which people ask for them. */
export const POLICY_GROUPS = {
  holding: [
    'default_hold_ttl_seconds',
    'max_seats_per_booking',
    'max_holds_per_user',
    'holds_per_window',
    'hold_window_seconds',
    'max_holds_per_ip',
    'release_on_declined_payment',
  ],
  choosing: [
    'orphan_avoidance_strict',
    'group_adjacency_strict',
    'max_group_split',
    'prefer_clustering_over_selection',
  ],
  accessibility: [
    'enforce_accessibility_rules',
    'companion_release_occupancy_threshold',
    'max_wheelchair_seats_per_booking',
    'accessibility_audit_enabled',
  ],
  halls: [
    'allow_reserved_seating',
    'allow_ga_seating',
    'allow_hybrid_ga_reserved',
    'allow_vip_zones',
    'allowed_access_modes',
  ],
} as const satisfies Readonly<Record<string, readonly PolicyField[]>>

export type PolicyGroup = keyof typeof POLICY_GROUPS
export const GROUP_NAMES = Object.keys(POLICY_GROUPS) as PolicyGroup[]
export const POLICY_ORDER: readonly PolicyField[] = Object.values(POLICY_GROUPS).flat()

/** A field that was emptied, or is out of its bounds, is no value. */
export function isValue(field: PolicyField, value: PolicyFields[PolicyField] | undefined): boolean {
  const shape = POLICY_SHAPES[field]
  if (shape.kind !== 'number') return value !== undefined
  if (value === null) return shape.isOpen
  return Number.isInteger(value) && (value as number) >= shape.min && (value as number) <= shape.max
}
