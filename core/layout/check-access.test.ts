import { expect, test } from 'vitest'
import { compiled, type FaultCase, faultsAfter, smallTheatre, uuid } from './fixtures/small-theatre.ts'
import type { ZoneConfig } from './model.ts'

test('a whitelist may be empty: an event adds people later', () => {
  const config = smallTheatre()
  config.zones[1]!.access_mode = 'whitelist'
  expect(compiled(config).zones[1]).toMatchObject({ accessMode: 'whitelist', allowedUserIds: [] })
})

test('user ids are kept in lower case', () => {
  const config = smallTheatre()
  const id = 'abcdef00-0000-4000-8000-000000000000'
  Object.assign(config.zones[1]!, { access_mode: 'whitelist', allowed_user_ids: [id.toUpperCase()] })
  expect(compiled(config).zones[1]!.allowedUserIds).toEqual([id])
})

test('an empty list for a mode that has no use for it says nothing', () => {
  const config = smallTheatre()
  Object.assign(config.zones[1]!, { membership_tier: null, allowed_roles: [], allowed_user_ids: null })
  expect(compiled(config).zones[1]!.accessMode).toBe('public')
})

const floor = '/zones/1'
const change = (members: Partial<ZoneConfig>): FaultCase[3] => {
  return ({ zones }) => Object.assign(zones[1]!, members)
}
test.each<FaultCase>([
  [
    'no tier',
    '/zones/2/membership_tier',
    'membership_tier_missing',
    c => (c.zones[2]!.membership_tier = undefined),
  ],
  ['an empty tier', '/zones/2/membership_tier', 'text_empty', c => (c.zones[2]!.membership_tier = '')],
  [
    'a tier in vain',
    `${floor}/membership_tier`,
    'membership_tier_not_used',
    change({ membership_tier: 'gold' }),
  ],
  ['no roles', `${floor}/allowed_roles`, 'roles_missing', change({ access_mode: 'role_based' })],
  [
    'an unknown role',
    `${floor}/allowed_roles/1`,
    'role_unknown',
    change({ access_mode: 'role_based', allowed_roles: ['admin', 'king'] }),
  ],
  [
    'a role twice',
    `${floor}/allowed_roles/1`,
    'duplicate_role',
    change({ access_mode: 'role_based', allowed_roles: ['admin', 'admin'] }),
  ],
  ['roles in vain', `${floor}/allowed_roles`, 'roles_not_used', change({ allowed_roles: ['admin'] })],
  [
    'a user id that is none',
    `${floor}/allowed_user_ids/0`,
    'id_not_uuid',
    change({ access_mode: 'whitelist', allowed_user_ids: ['anna'] }),
  ],
  [
    'a user twice',
    `${floor}/allowed_user_ids/1`,
    'duplicate_user',
    change({ access_mode: 'whitelist', allowed_user_ids: [uuid(1), uuid(1)] }),
  ],
  [
    'too many users',
    `${floor}/allowed_user_ids`,
    'too_many_users',
    change({ access_mode: 'whitelist', allowed_user_ids: Array(10_001).fill(uuid(1)) }),
  ],
  ['users in vain', `${floor}/allowed_user_ids`, 'users_not_used', change({ allowed_user_ids: [uuid(1)] })],
])('refused: %s', (_what, path, code, changeAccess) => {
  expect(faultsAfter(changeAccess)).toEqual([[path, code]])
})
