import type { Refused } from '@voelgoed/client'

/** Places for members and for people who were invited open to addresses that are confirmed. */
export function mayNeedAddress(refused: Refused): boolean {
  if (!refused.is('zone_access_denied')) return false
  const { mode } = refused.problem.required
  return mode === 'whitelist' || mode === 'membership_tier'
}
