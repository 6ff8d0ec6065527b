import { expect, it } from 'vitest'
import { membershipThatCounts } from './access.ts'

it('a membership counts for an address that is proven, and for those without one', () => {
  const gold = { membershipTier: 'gold', membershipStatus: 'active' } as const
  const none = { membershipTier: null, membershipStatus: null }
  const email = 'golden@member.test'
  expect(membershipThatCounts({ email, isEmailProven: true, ...gold })).toEqual(gold)
  expect(membershipThatCounts({ email, isEmailProven: false, ...gold })).toEqual(none)
  expect(membershipThatCounts({ email: null, isEmailProven: false, ...gold })).toEqual(gold)
})
