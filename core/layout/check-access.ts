import { ROLES } from '../access.ts'
import { isUuid, type UserId } from '../ids.ts'
import { checkText } from './check-text.ts'
import type { LayoutFaults } from './faults.ts'
import { LAYOUT_LIMITS, type ZoneAccess, type ZoneConfig } from './model.ts'

/**
 * Returns who may book in a zone. A list that the mode doesn't look at is a fault too: its author believes
 * that it keeps people out.
 */
export function compileAccess(faults: LayoutFaults, path: string, zone: ZoneConfig): ZoneAccess {
  const accessMode = zone.access_mode ?? 'public'
  const membershipTier = zone.membership_tier ?? null
  const roles = zone.allowed_roles ?? []
  const users = zone.allowed_user_ids ?? []

  if (accessMode === 'membership_tier') {
    if (membershipTier === null) {
      const message = 'Name the membership tier that may book here, or choose another access_mode.'
      faults.add(`${path}/membership_tier`, 'membership_tier_missing', message)
    } else {
      checkText(faults, `${path}/membership_tier`, membershipTier, LAYOUT_LIMITS.nameLength)
    }
  } else if (membershipTier !== null) {
    const message = `Remove the tier, or set access_mode to membership_tier: ${accessMode} doesn't look at it.`
    faults.add(`${path}/membership_tier`, 'membership_tier_not_used', message)
  }

  if (accessMode === 'role_based') {
    checkRoles(faults, `${path}/allowed_roles`, roles)
  } else if (roles.length > 0) {
    const message = `Remove the roles, or set access_mode to role_based: ${accessMode} doesn't look at them.`
    faults.add(`${path}/allowed_roles`, 'roles_not_used', message)
  }

  let allowedUserIds: UserId[] = []
  if (accessMode === 'whitelist') {
    allowedUserIds = compileUsers(faults, `${path}/allowed_user_ids`, users)
  } else if (users.length > 0) {
    const message = `Remove the users, or set access_mode to whitelist: ${accessMode} doesn't look at them.`
    faults.add(`${path}/allowed_user_ids`, 'users_not_used', message)
  }

  return { accessMode, membershipTier, allowedRoles: [...roles], allowedUserIds }
}

function checkRoles(faults: LayoutFaults, path: string, roles: readonly string[]): void {
  if (roles.length === 0) {
    faults.add(path, 'roles_missing', `Name at least one role that may book here: ${ROLES.join(', ')}.`)
  }
  const known: readonly string[] = ROLES
  const seen = new Set<string>()
  for (const [index, role] of roles.entries()) {
    if (!known.includes(role)) {
      faults.add(`${path}/${index}`, 'role_unknown', `Use one of these roles: ${ROLES.join(', ')}.`)
    } else if (seen.has(role)) {
      faults.add(`${path}/${index}`, 'duplicate_role', `Name ${role} once.`)
    }
    seen.add(role)
  }
}

/** May be empty: an event adds its guests later. */
function compileUsers(faults: LayoutFaults, path: string, users: readonly string[]): UserId[] {
  if (users.length > LAYOUT_LIMITS.allowedUsers) {
    const message = `Allow at most ${LAYOUT_LIMITS.allowedUsers} users here, or use a membership tier.`
    faults.add(path, 'too_many_users', message)
    return []
  }
  const seen = new Set<string>()
  for (const [index, given] of users.entries()) {
    const userId = given.toLowerCase()
    if (!isUuid(userId)) {
      faults.add(`${path}/${index}`, 'id_not_uuid', 'Give the id of a user: a UUID.')
    } else if (seen.has(userId)) {
      faults.add(`${path}/${index}`, 'duplicate_user', 'Name each user once.')
    }
    seen.add(userId)
  }
  return [...seen] as UserId[]
}
