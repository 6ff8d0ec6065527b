import { expect, test } from 'vitest'
import type { UserId } from '../ids.ts'
import { CREW, FLOOR, MINUTE, NOW, planOf } from './test/hall.ts'
import { Scene } from './test/scene.ts'
import { nextExpiry, occupancy, seatStatusFor } from './view.ts'

test('the status of a seat, for its holder and for others', () => {
  const scene = new Scene()
  scene.holdSeats('ann', [0])
  scene.block([1])
  const see = (ordinal: number, userId: string | null) =>
    seatStatusFor(scene.state, { ordinal, userId: userId as UserId | null }, scene.now)
  expect([see(0, 'ann'), see(0, 'ben'), see(0, null), see(1, null), see(2, null)]).toEqual([
    'held_by_me',
    'held',
    'held',
    'blocked',
    'available',
  ])
  scene.now += 10 * MINUTE
  expect([see(0, 'ann'), see(0, 'ben')]).toEqual(['available', 'available'])
})

test('occupancy comes from the counters, so a hold that has run out is held until it is tidied up', () => {
  const scene = new Scene()
  scene.holdPlaces('ann', FLOOR, 2)
  scene.now += 10 * MINUTE
  expect(occupancy(scene.state)[FLOOR]).toEqual({
    zoneId: 'floor',
    capacity: 6,
    available: 4,
    held: 2,
    sold: 0,
    blocked: 0,
    closed: false,
  })
  scene.expire()
  expect(occupancy(scene.state)[FLOOR]).toMatchObject({ available: 6, held: 0 })
})

test('what is free in a disabled zone counts as blocked', () => {
  const scene = new Scene()
  scene.holdPlaces('dan', CREW, 1)
  const { access, capacity } = planOf().zones[CREW]!
  scene.changeEvent({ zones: [{ zoneIndex: CREW, capacity, access, disabled: true }] })
  expect(occupancy(scene.state)[CREW]).toMatchObject({ available: 0, held: 1, blocked: 2, closed: true })
})

test('the next expiry moves with the holds', () => {
  const scene = new Scene()
  expect(nextExpiry(scene.state)).toBeNull()
  scene.holdSeats('ann', [0])
  scene.now += MINUTE
  scene.holdSeats('ben', [1])
  expect(nextExpiry(scene.state)).toBe(NOW + 10 * MINUTE)
  scene.startPayment('ann', ['h1'])
  expect(nextExpiry(scene.state)).toBe(NOW + 11 * MINUTE)
  scene.giveBack('ben', ['h2'])
  expect(nextExpiry(scene.state)).toBe(NOW + 16 * MINUTE)
})
