import { expect, it } from 'vitest'
import type { MapZone } from '../../../map/index.ts'
import { type ZoneAccess, zoneAccess } from './zone-access.ts'

const zone = (accessMode: MapZone['accessMode']) =>
  ({ accessMode, membershipTier: 'gold', allowedRoles: [] }) as unknown as MapZone
const visitor = (tier: string | null) =>
  ({
    isGuest: false,
    visitor: {
      user: { id: 'u', role: 'customer', membership_tier: tier, membership_status: tier && 'active' },
    },
  }) as unknown as Parameters<typeof zoneAccess>[0]
const guest = { isGuest: true, visitor: null }

it.each<[string, MapZone['accessMode'], Parameters<typeof zoneAccess>[0], ZoneAccess]>([
  ['everyone', 'public', guest, 'everyone'],
  ['a guest, who may be a member', 'membership_tier', guest, 'sign_in'],
  ['a guest, who may be invited', 'whitelist', guest, 'sign_in'],
  ['a member', 'membership_tier', visitor('gold'), 'yours'],
  ['a customer without membership', 'membership_tier', visitor(null), 'others'],
  ['a customer who may be invited', 'whitelist', visitor(null), 'others'],
])('a section is open to %s', (_, mode, session, access) => {
  expect(zoneAccess(session, zone(mode))).toBe(access)
})
