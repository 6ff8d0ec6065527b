import { missingForZone, type Person } from '@voelgoed/core/access'
import type { Visitor } from '../../../kit/state/session.svelte.ts'
import type { MapZone } from '../../../map/index.ts'

/**
 * By zone of the map: the server would let this visitor book there, by its own rule. The page does not know
 * who is on a whitelist: of those zones it offers nothing by itself, and the server is asked for them.
 */
export function openZones(
  zones: readonly Pick<MapZone, 'accessMode' | 'membershipTier' | 'allowedRoles'>[],
  user: Visitor['user'] | undefined,
): boolean[] {
  const person: Person | null = user
    ? {
        userId: user.id as Person['userId'],
        role: user.role,
        membershipTier: user.membership_tier,
        membershipStatus: user.membership_status,
      }
    : null
  return zones.map(({ accessMode, membershipTier, allowedRoles }) => {
    const access = { accessMode, membershipTier, allowedRoles, allowedUserIds: [] }
    return person ? missingForZone(access, person) === null : accessMode === 'public'
  })
}
