import { expect, test } from 'vitest'
import type { HoldId } from '../ids.ts'
import type { HoldRow } from './holds/index-holds.ts'
import { restoreState } from './restore.ts'
import { FLOOR, NOW, people, planOf } from './test/hall.ts'
import { Scene } from './test/scene.ts'

test('an active hold knows the seq of its last change, whatever the change is', () => {
  const scene = new Scene()
  const lastSeqs = () => [...scene.state.holds.values()].map(({ holdId, lastSeq }) => [holdId, lastSeq])
  scene.holdPlaces('ann', FLOOR, 2)
  scene.holdSeats('ben', [0])
  expect(lastSeqs()).toEqual([
    ['h1', 1],
    ['h2', 2],
  ])
  scene.reduce('ann', 'h1', 1)
  expect(lastSeqs()).toEqual([
    ['h1', 3],
    ['h2', 2],
  ])
  scene.now += 6 * 60_000
  scene.extend('ben', 'h2')
  expect(lastSeqs()).toEqual([
    ['h1', 3],
    ['h2', 4],
  ])
  scene.transfer('cat', 'ben')
  expect(lastSeqs()).toEqual([
    ['h1', 3],
    ['h2', 5],
  ])
  // Changes of other things leave it as it is.
  scene.block([1])
  scene.startPayment('cat', ['h2'])
  expect(lastSeqs()).toEqual([
    ['h1', 3],
    ['h2', 7],
  ])
})

test('a restored hold has the seq of its row, or 0 when the row does not know it', () => {
  const row: HoldRow = {
    holdId: 'h1' as HoldId,
    userId: people.ann.userId,
    ip: null,
    ordinal: null,
    zoneIndex: FLOOR,
    quantity: 1,
    heldUntil: NOW + 1000,
    capUntil: NOW + 2000,
  }
  const rows = { seq: 9, seats: [], placeBuyers: [], companionsReleased: [], soldPlaces: [], recentHolds: [] }
  const holds = [
    { ...row, lastSeq: 7 },
    { ...row, holdId: 'h2' as HoldId },
  ]
  const state = restoreState(planOf(), { ...rows, holds })
  expect([...state.holds.values()].map(({ holdId, lastSeq }) => [holdId, lastSeq])).toEqual([
    ['h1', 7],
    ['h2', 0],
  ])
})
