import type { UserId } from './ids.ts'
import type { ZoneAccess } from './layout/model.ts'

export const ROLES = ['customer', 'scanner', 'support', 'organizer', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** Everyone but buyers. Staff are not bound by buyers' limits. */
export function isStaff(role: Role): boolean {
  return role !== 'customer'
}

export const MEMBERSHIP_STATUSES = ['active', 'suspended', 'expired', 'cancelled'] as const
export type MembershipStatus = (typeof MEMBERSHIP_STATUSES)[number]

/** Describes what the rules may know of a person. */
export interface Person {
  readonly userId: UserId
  readonly role: Role
  readonly membershipTier: string | null
  readonly membershipStatus: MembershipStatus | null
  /** The event that the command is for has them on its whitelist. Left out: it has not, or was not asked. */
  readonly isOnWhitelist?: boolean
}

/**
 * The membership that counts for a person. It is given to an address, and signing up proves none: an account
 * has it once its address is proven. Who has no address was given it by who they are.
 */
export function membershipThatCounts({
  email,
  isEmailProven,
  membershipTier,
  membershipStatus,
}: {
  readonly email: string | null
  readonly isEmailProven: boolean
} & Pick<Person, 'membershipTier' | 'membershipStatus'>): Pick<
  Person,
  'membershipTier' | 'membershipStatus'
> {
  return email === null || isEmailProven
    ? { membershipTier, membershipStatus }
    : { membershipTier: null, membershipStatus: null }
}

/** Only an admin changes an admin, or makes one. Everyone else's rights are for both to change. */
export function mayManage(
  manager: Role,
  { from, to = from }: { readonly from: Role; readonly to?: Role | undefined },
): boolean {
  if (manager === 'admin') return true
  return manager === 'organizer' && from !== 'admin' && to !== 'admin'
}

/** One of these would have let the person in. It names no other person. */
export type AccessRequirement =
  | { readonly mode: 'membership_tier'; readonly membershipTier: string }
  | { readonly mode: 'role_based'; readonly allowedRoles: readonly string[] }
  | { readonly mode: 'whitelist' }

/**
 * May this person book in this zone? `null` means yes, otherwise what is missing.
 * Modes are separate doors, not a chain: being signed in opens none but `public`.
 */
export function missingForZone(zone: ZoneAccess, person: Person): AccessRequirement | null {
  switch (zone.accessMode) {
    case 'public':
      return null
    case 'membership_tier':
      return isMember(zone, person)
        ? null
        : { mode: 'membership_tier', membershipTier: zone.membershipTier ?? '' }
    case 'role_based':
      return zone.allowedRoles.includes(person.role)
        ? null
        : { mode: 'role_based', allowedRoles: zone.allowedRoles }
    case 'whitelist':
      return person.isOnWhitelist || zone.allowedUserIds.includes(person.userId)
        ? null
        : { mode: 'whitelist' }
  }
}

/** Has the membership that the zone asks for, and it is active now. */
export function isMember(
  zone: ZoneAccess,
  { membershipTier, membershipStatus }: Pick<Person, 'membershipTier' | 'membershipStatus'>,
): boolean {
  return membershipTier === zone.membershipTier && membershipStatus === 'active'
}
