import { ZONE_TYPES } from '@voelgoed/core/layout/model'
import { expect, it } from 'vitest'
import {
  asInLayout,
  bodyOf,
  changeOf,
  possibleTypes,
  withClosed,
  withZone,
  type ZoneForm,
} from './zone-overlay.ts'

const OVERRIDES = {
  blocked_seat_ids: ['seat'],
  disabled_zones: ['a'],
  zone_overrides: { a: { name: 'Front' } },
  pricing_zones: { a: { pricing_rule_id: 'x' } },
}
const PIT: ZoneForm = { name: 'Pit', type: 'ga_standing', capacity: 50, mode: 'public', tier: '', roles: [] }

it('a change of one zone leaves everything else of the overlay as it is', () => {
  const body = bodyOf(OVERRIDES)
  expect(withZone(body, 'a', { capacity: 9 })).toEqual({
    ...OVERRIDES,
    zone_overrides: { a: { name: 'Front', capacity: 9 } },
  })
  expect(withZone(body, 'b', { name: 'B' }).zone_overrides).toEqual({
    a: { name: 'Front' },
    b: { name: 'B' },
  })
  expect(asInLayout(body, 'a')).toEqual({ ...OVERRIDES, zone_overrides: {} })
  expect(withClosed(body, ['a', 'b'], true).disabled_zones).toEqual(['a', 'b'])
  expect(withClosed(body, ['a'], false)).toEqual({ ...OVERRIDES, disabled_zones: [] })
})

it('only what differs is sent; who may book goes together', () => {
  expect(changeOf(PIT, PIT)).toEqual({})
  expect(changeOf(PIT, { ...PIT, name: 'Lawn', capacity: 60 })).toEqual({ name: 'Lawn', capacity: 60 })
  expect(changeOf(PIT, { ...PIT, mode: 'membership_tier', tier: 'gold', roles: ['admin'] })).toEqual({
    access_mode: 'membership_tier',
    membership_tier: 'gold',
    allowed_roles: [],
  })
  const gold: ZoneForm = { ...PIT, mode: 'membership_tier', tier: 'gold' }
  expect(changeOf(gold, { ...gold, tier: 'silver' })).toMatchObject({ membership_tier: 'silver' })
  expect(changeOf(gold, { ...gold, mode: 'role_based', roles: ['support'] })).toEqual({
    access_mode: 'role_based',
    membership_tier: null,
    allowed_roles: ['support'],
  })
  // A zone with seats has the places of its seats.
  expect(changeOf(PIT, { ...PIT, type: 'reserved_seating', capacity: 60 })).toEqual({
    zone_type: 'reserved_seating',
  })
})

it('a zone without chairs in the layout can get none', () => {
  expect(possibleTypes(true)).toEqual(ZONE_TYPES)
  expect(possibleTypes(false)).toEqual(['ga_seated', 'ga_standing', 'vip_standing'])
})
