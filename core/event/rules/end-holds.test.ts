import { describe, expect, it } from 'vitest'
import type { UserId } from '../../ids.ts'
import { people } from '../test/hall.ts'
import { granted, kinds, Scene } from '../test/scene.ts'

const ended = (outcome: ReturnType<Scene['endHolds']>) => granted(outcome).holds.map(hold => hold.holdId)

describe('a cancelled event', () => {
  it('loses all its holds, those in payment too, a limited number with each command', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 1])
    scene.holdSeats('ben', [2])
    scene.startPayment('ben', ['h3'])
    scene.changeEvent({ status: 'cancelled' })
    const reason = 'event_cancelled'
    expect(ended(scene.endHolds({ reason, limit: 2 }))).toEqual(['h1', 'h2'])
    expect(scene.changes.at(-1)).toMatchObject({ kind: 'seat_released', reason, notes: null })
    expect(ended(scene.endHolds({ reason, limit: 2 }))).toEqual(['h3'])
    expect(kinds(scene.endHolds({ reason }))).toEqual([])
    expect(scene.state.holds.size).toBe(0)
  })

  it('none of its holds can be used, before they are ended either', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.startPayment('ann', ['h1'])
    scene.changeEvent({ status: 'cancelled' })
    const refused = { ok: false, problem: { kind: 'event_not_available', status: 'cancelled' } }
    expect(scene.extend('ann', 'h1')).toMatchObject(refused)
    expect(scene.startPayment('ann', ['h1'])).toMatchObject(refused)
    expect(scene.sell('ann', ['h1'])).toMatchObject(refused)
    expect(scene.holdSeats('ben', [1])).toMatchObject(refused)
  })

  it('what has run out expires, and is not called cancelled', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.changeEvent({ status: 'cancelled' })
    scene.now += 24 * 3_600_000
    expect(kinds(scene.endHolds({ reason: 'event_cancelled' }))).toEqual(['seat_hold_expired'])
  })

  it('an event that is on sale keeps its holds, whatever a node believed', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    expect(kinds(scene.endHolds({ reason: 'event_cancelled' }))).toEqual([])
    expect(scene.state.holds.size).toBe(1)
  })
})

describe('staff end holds', () => {
  it('of a user, of a zone, or all of them; those in payment only if they insist', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 1])
    scene.holdSeats('ben', [2])
    scene.startPayment('ben', ['h3'])
    const reason = 'admin_override'
    expect(ended(scene.endHolds({ reason, userId: 'unknown' as UserId }))).toEqual([])
    expect(ended(scene.endHolds({ reason, zoneIndex: 99 }))).toEqual([])
    expect(ended(scene.endHolds({ reason, userId: people.ann.userId, limit: 1 }))).toHaveLength(1)
    expect(ended(scene.endHolds({ reason, notes: 'rebuilt' }))).toHaveLength(1)
    expect(scene.changes.at(-1)).toMatchObject({ kind: 'seat_released', reason, notes: 'rebuilt' })
    expect(ended(scene.endHolds({ reason, force: true, zoneIndex: 0 }))).toEqual(['h3'])
  })
})
