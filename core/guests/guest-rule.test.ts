import { describe, expect, test } from 'vitest'
import type { HoldId } from '../ids.ts'
import type { ZoneAccess } from '../layout/model.ts'
import { type EntryFacts, entryRefused } from './entry-rule.ts'
import { type GuestPerson, guestsRefused, missingForGuest } from './guest-rule.ts'

const everyone: ZoneAccess = {
  accessMode: 'public',
  membershipTier: null,
  allowedRoles: [],
  allowedUserIds: [],
}
const gold: ZoneAccess = { ...everyone, accessMode: 'membership_tier', membershipTier: 'gold' }

const member: GuestPerson = { membershipTier: 'gold', membershipStatus: 'active', isOnWhitelist: false }
const guests = {
  'a member': member,
  'a member of another tier': { ...member, membershipTier: 'silver' },
  'a member whose membership is suspended': { ...member, membershipStatus: 'suspended' },
  'a person without an account': { ...member, membershipTier: null, membershipStatus: null },
  'a person on the whitelist': {
    membershipTier: null,
    membershipStatus: null,
    isOnWhitelist: true,
  },
  'a former member on the whitelist': { ...member, membershipStatus: 'expired', isOnWhitelist: true },
} as const satisfies Record<string, GuestPerson>

const required = { mode: 'membership_tier', membershipTier: 'gold' }

test.each([
  ['a member', gold, null],
  ['a member of another tier', gold, required],
  ['a member whose membership is suspended', gold, required],
  ['a person without an account', gold, required],
  ['a person on the whitelist', gold, null],
  ['a former member on the whitelist', gold, null],
  ['a person without an account', everyone, null],
] as const)('%s as a guest', (name, zone, missing) => {
  expect(missingForGuest(zone, guests[name])).toEqual(missing)
})

describe('what is paid for', () => {
  const hold = (holdId: string, quantity = 1, zone = gold) => ({ holdId: holdId as HoldId, quantity, zone })
  const friend = guests['a person on the whitelist']
  const stranger = guests['a person without an account']

  test.each([
    ['one place, the own one', [hold('a')], {}, null],
    ['two places, one with a guest', [hold('a'), hold('b')], { b: [member] }, null],
    ['three places of one hold, two with guests', [hold('a', 3)], { a: [null, friend, member] }, null],
    ['places with a guest each, none the own one', [hold('a', 2)], { a: [friend, member] }, null],
    ['many places in a public zone', [hold('a', 9, everyone)], {}, null],
    [
      'two places without a guest',
      [hold('a'), hold('b')],
      {},
      { kind: 'guests_not_named', holdIds: ['a', 'b'], missing: 1 },
    ],
    [
      'two of three places without a guest',
      [hold('a', 3)],
      { a: [friend] },
      { kind: 'guests_not_named', holdIds: ['a'], missing: 1 },
    ],
    [
      'a guest who may not have the place',
      [hold('a'), hold('b', 2)],
      { b: [member, stranger] },
      { kind: 'guest_not_allowed', holdId: 'b', place: 1, required },
    ],
    ['a guest of a place that the hold has lost since', [hold('a', 1)], { a: [member, stranger] }, null],
  ] as const)('%s', (_, holds, byHold, refusal) => {
    expect(guestsRefused(holds, { byHold, hasOwnTicket: false })).toEqual(refusal)
  })

  test('the own place counts once over all that a buyer buys', () => {
    const bought = { byHold: {}, hasOwnTicket: true }
    expect(guestsRefused([hold('a')], bought)).toEqual({
      kind: 'guests_not_named',
      holdIds: ['a'],
      missing: 1,
    })
    expect(guestsRefused([hold('a')], { ...bought, byHold: { a: [member] } })).toBeNull()
    expect(guestsRefused([hold('a', 2, everyone)], bought)).toBeNull()
  })
})

describe('at the gate', () => {
  const facts: EntryFacts = { zone: gold, guest: null, buyer: member, hasEnteredElsewhere: false }
  const former = guests['a member whose membership is suspended']

  test.each([
    ['the buyer, a member', {}, null],
    ['the buyer, whose membership has ended', { buyer: former }, 'membership_not_active'],
    [
      'the buyer, whose membership has ended, on the whitelist',
      { buyer: { ...former, isOnWhitelist: true } },
      null,
    ],
    ['the buyer with a second place of their own', { hasEnteredElsewhere: true }, 'guest_not_named'],
    ['a guest who is a member', { guest: member }, null],
    ['a guest of a buyer whose membership has ended', { guest: member, buyer: former }, null],
    ['a guest whose membership has ended', { guest: former }, 'membership_not_active'],
    [
      'a guest who was taken off the whitelist',
      { guest: guests['a person without an account'] },
      'membership_not_active',
    ],
    ['a guest who is inside already', { guest: member, hasEnteredElsewhere: true }, 'already_entered'],
    ['anyone in a public zone', { zone: everyone, buyer: former, hasEnteredElsewhere: true }, null],
  ] as const)('%s', (_, given, refusal) => {
    expect(entryRefused({ ...facts, ...given })).toBe(refusal)
  })
})
