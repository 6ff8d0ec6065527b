import { expect, it } from 'vitest'
import { openZones } from './open-zones.ts'

type User = NonNullable<Parameters<typeof openZones>[1]>
const zone = (accessMode: 'public' | 'membership_tier' | 'role_based' | 'whitelist') => ({
  ...{ accessMode, membershipTier: null as string | null, allowedRoles: [] as string[] },
})
const zones = [
  zone('public'),
  { ...zone('membership_tier'), membershipTier: 'gold' },
  { ...zone('role_based'), allowedRoles: ['support'] },
  zone('whitelist'),
]
const user = (change: Partial<User>) =>
  ({ id: 'u', role: 'customer', membership_tier: null, membership_status: null, ...change }) as User

it.each([
  ['a guest', undefined, [true, false, false, false]],
  ['a buyer without a membership', user({}), [true, false, false, false]],
  ['a member', user({ membership_tier: 'gold', membership_status: 'active' }), [true, true, false, false]],
  [
    'one whose membership is over',
    user({ membership_tier: 'gold', membership_status: 'expired' }),
    [true, false, false, false],
  ],
  [
    'a member of another tier',
    user({ membership_tier: 'silver', membership_status: 'active' }),
    [true, false, false, false],
  ],
  ['one with a role', user({ role: 'support' }), [true, false, true, false]],
])('the page offers %s what the server lets them have', (_, who, open) => {
  expect(openZones(zones, who)).toEqual(open)
})
