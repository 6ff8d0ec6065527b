import type { Session } from '../../../kit/state/session.svelte.ts'
import type { MapZone } from '../../../map/index.ts'
import { openZones } from '../finding/open-zones.ts'

/**
 * Says how a section is open to a visitor: to everyone, to `yours` as a member, after they `sign_in`, or only
 * to `others` as far as the page knows. The server decides: it knows who was invited.
 */
export type ZoneAccess = 'everyone' | 'yours' | 'sign_in' | 'others'

export function zoneAccess(session: Pick<Session, 'isGuest' | 'visitor'>, zone: MapZone): ZoneAccess {
  if (zone.accessMode === 'public') return 'everyone'
  if (session.isGuest) return 'sign_in'
  return openZones([zone], session.visitor?.user)[0] ? 'yours' : 'others'
}
