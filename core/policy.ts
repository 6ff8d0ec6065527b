import { ACCESS_MODES, type AccessMode } from './layout/model.ts'
import { ok, type Result, refuse } from './result.ts'

/**
 * The seating policy of an organization, and what its events make of it.
 *
 * Which value wins, field by field:
 *   1. the policy's, if the field is in `lockedFields`;
 *   2. else the event's override, if it has one;
 *   3. else the policy's.
 * A lock set later wins over an override that was there before: overrides are kept, but sleep.
 */
export interface PolicyFields {
  readonly allow_reserved_seating: boolean
  readonly allow_ga_seating: boolean
  readonly allow_hybrid_ga_reserved: boolean
  readonly allow_vip_zones: boolean
  readonly allowed_access_modes: readonly AccessMode[]
  readonly enforce_accessibility_rules: boolean
  readonly companion_release_occupancy_threshold: number
  readonly max_wheelchair_seats_per_booking: number | null
  readonly accessibility_audit_enabled: boolean
  /** Seats and places that one buyer has in an event at once. */
  readonly max_seats_per_booking: number | null
  readonly orphan_avoidance_strict: boolean
  readonly group_adjacency_strict: boolean
  readonly max_group_split: number | null
  readonly prefer_clustering_over_selection: boolean
  readonly default_hold_ttl_seconds: number
  /** The same count, for organizations that want another number than a booking's. */
  readonly max_holds_per_user: number | null
  /** Seats and places that all buyers behind one address have in an event at once. */
  readonly max_holds_per_ip: number | null
  /** Seats and places that one buyer newly takes in `hold_window_seconds`. */
  readonly holds_per_window: number | null
  readonly hold_window_seconds: number
  /** Places are on sale again at once when a bank declines the payment for them. */
  readonly release_on_declined_payment: boolean
}

export type PolicyField = keyof PolicyFields

export interface SeatingPolicy extends PolicyFields {
  readonly locked_fields: readonly PolicyField[]
}

export type SeatingOverrides = Partial<PolicyFields>

export const DEFAULT_POLICY: SeatingPolicy = {
  allow_reserved_seating: true,
  allow_ga_seating: true,
  allow_hybrid_ga_reserved: true,
  allow_vip_zones: false,
  allowed_access_modes: ACCESS_MODES,
  enforce_accessibility_rules: true,
  companion_release_occupancy_threshold: 85,
  max_wheelchair_seats_per_booking: 1,
  accessibility_audit_enabled: true,
  max_seats_per_booking: 10,
  orphan_avoidance_strict: true,
  group_adjacency_strict: false,
  max_group_split: 2,
  prefer_clustering_over_selection: false,
  default_hold_ttl_seconds: 600,
  max_holds_per_user: null,
  max_holds_per_ip: 300,
  holds_per_window: 60,
  hold_window_seconds: 300,
  release_on_declined_payment: false,
  locked_fields: [],
}

/** The values an event runs by. Everything that depends on a policy asks here, never the policy itself. */
export function effectivePolicy(policy: SeatingPolicy, overrides: SeatingOverrides): PolicyFields {
  const { locked_fields, ...fields } = policy
  const open = Object.entries(overrides).filter(([field]) => !locked_fields.includes(field as PolicyField))
  return { ...fields, ...Object.fromEntries(open) }
}

/**
 * An override of a locked field is refused when it is set, so that no organizer believes it works. An
 * override that was there `before` the lock sleeps: it may be sent again as it was,
 * and nothing else of the event fails because of it.
 */
export function checkOverrides(
  policy: SeatingPolicy,
  overrides: SeatingOverrides,
  before: SeatingOverrides = {},
): Result<SeatingOverrides, PolicyField[]> {
  const locked = policy.locked_fields.filter(
    field => overrides[field] !== undefined && !isSame(overrides[field], before[field]),
  )
  return locked.length > 0 ? refuse(locked) : ok(overrides)
}

/**
 * Locks, and the values of locked fields, are for administrators. Returns the fields that `next` would change
 * and may not; `null`: the list of locks itself.
 */
export function lockedChanges(before: SeatingPolicy, next: SeatingPolicy): PolicyField[] | null {
  const isSameLocks = isSame([...before.locked_fields].sort(), [...next.locked_fields].sort())
  if (!isSameLocks) return null
  return before.locked_fields.filter(field => !isSame(before[field], next[field]))
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
