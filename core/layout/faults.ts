import type { LayoutFault } from './model.ts'

/** No author reads more, and a list of 250,000 faults would be larger than the layout it is about. */
export const MAX_FAULTS = 1_000

/**
 * Faults in the order in which they were found. Past the cap they are only counted,
 * and the last one that is returned says how many more there are.
 */
export class FaultList<Code extends string> {
  readonly #kept: LayoutFault[] = []
  readonly #codeWhenMore: string
  #count = 0

  constructor(codeWhenMore = 'more_faults') {
    this.#codeWhenMore = codeWhenMore
  }

  add(path: string, code: Code, message: string): void {
    this.#count++
    if (this.#kept.length < MAX_FAULTS) this.#kept.push({ path, code, message })
  }

  get count(): number {
    return this.#count
  }

  list(): LayoutFault[] {
    if (this.#count <= MAX_FAULTS) return [...this.#kept]
    const shown = MAX_FAULTS - 1
    const message = `There are ${this.#count - shown} more. Put these right first, then try again.`
    return [...this.#kept.slice(0, shown), { path: '', code: this.#codeWhenMore, message }]
  }
}

/** Every way in which a layout can be wrong. */
export type LayoutFaultCode =
  | 'no_zones'
  | 'too_many_zones'
  | 'too_many_levels'
  | 'too_many_seats'
  | 'too_many_groups'
  | 'too_many_price_categories'
  | 'too_many_outlines'
  | 'too_many_points'
  | 'too_few_points'
  | 'too_many_users'
  | 'too_many_seats_in_group'
  | 'text_empty'
  | 'text_too_long'
  | 'text_not_printable'
  | 'id_not_uuid'
  | 'duplicate_zone_id'
  | 'duplicate_zone_name'
  | 'duplicate_seat_id'
  | 'duplicate_seat_label'
  | 'duplicate_group_id'
  | 'duplicate_price_category'
  | 'duplicate_role'
  | 'duplicate_user'
  | 'seats_in_capacity_zone'
  | 'reserved_zone_without_seats'
  | 'capacity_not_number_of_seats'
  | 'capacity_missing'
  | 'capacity_not_whole'
  | 'capacity_not_positive'
  | 'capacity_too_large'
  | 'membership_tier_missing'
  | 'membership_tier_not_used'
  | 'roles_missing'
  | 'role_unknown'
  | 'roles_not_used'
  | 'users_not_used'
  | 'metadata_too_large'
  | 'metadata_too_deep'
  | 'metadata_not_storable'
  | 'coordinate_not_finite'
  | 'coordinate_too_large'
  | 'no_room_for_seats'
  | 'number_not_whole'
  | 'price_category_unknown'
  | 'companion_not_found'
  | 'companion_is_itself'
  | 'companion_category_wrong'
  | 'companion_not_mutual'
  | 'companion_claimed_twice'
  | 'companion_named_twice'
  | 'too_many_companions'
  | 'group_seats_missing'
  | 'group_seats_given_twice'
  | 'group_empty'
  | 'group_seat_unknown'
  | 'group_seat_twice'
  | 'group_spans_zones'
  | 'wheelchair_pair_incomplete'

export type LayoutFaults = FaultList<LayoutFaultCode>
