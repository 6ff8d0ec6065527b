import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HoldId, UserId } from '../../ids.ts'
import { ExpiryQueue } from './expiry-queue.ts'
import { Holds } from './holds.ts'

const step = fc.record({
  act: fc.constantFrom('add', 'add', 'remove', 'postpone', 'shrink'),
  which: fc.nat(50),
  time: fc.nat(20),
})

interface Listed {
  readonly slot: number
  readonly holdId: HoldId
  heldUntil: number
  quantity: number
}

/** Ids in no order, so that ties are broken by them and not by age. */
const uuids = (i: number) =>
  `${String((i * 7919) % 101).padStart(8, '0')}-0000-4000-8000-0000000000aa` as HoldId
const otherTexts = (i: number) => `${(i * 7919) % 101}-${i}` as HoldId

test.each([
  ['ids', uuids],
  ['other texts', otherTexts],
])('whatever is added, removed and postponed, the due holds come soonest first: %s', (_name, idOf) => {
  const property = fc.property(fc.array(step, { maxLength: 100 }), fc.nat(25), (steps, now) => {
    const holds = new Holds({ hasPlaces: true })
    const user = holds.users.slotFor('user' as UserId)
    const ofEvent = new ExpiryQueue(holds, 'event')
    const list: Listed[] = []
    steps.forEach(({ act, which, time }, i) => {
      const hold = list[which % (list.length || 1)]
      if (act === 'add' || hold === undefined) {
        const slot = holds.add(idOf(i))
        const added = { slot, holdId: idOf(i), heldUntil: time, quantity: 1 + (which % 3) }
        holds.heldUntil[slot] = time
        holds.quantities[slot] = added.quantity
        ofEvent.add(slot)
        holds.users.add(user, slot)
        list.push(added)
      } else if (act === 'remove') {
        ofEvent.remove(hold.slot)
        holds.users.remove(user, hold.slot)
        holds.remove(hold.slot)
        list.splice(list.indexOf(hold), 1)
        expect(ofEvent.has(holds.at(hold.slot))).toBe(false)
      } else if (act === 'shrink') {
        const by = hold.quantity > 1 ? 1 : 0
        hold.quantity -= by
        holds.quantities[hold.slot] = hold.quantity
        ofEvent.shrunk(by)
        holds.users.shrunk(user, by)
      } else {
        hold.heldUntil += time
        holds.heldUntil[hold.slot] = hold.heldUntil
        ofEvent.postponed(hold.slot)
        holds.users.postponed(user, hold.slot)
      }
      holds.users.assertBlocks()
    })
    list.sort((a, b) => a.heldUntil - b.heldUntil || (a.holdId < b.holdId ? -1 : 1))
    const due = list.filter(hold => hold.heldUntil <= now).map(hold => hold.holdId)
    const isAnyAlive = due.length < list.length
    // The queue of all, and the one of a user who holds all, which starts small and moves as it grows.
    for (const queue of [ofEvent, holds.users.at(user)]) {
      expect(queue.size).toBe(list.length)
      expect(queue.places).toBe(list.reduce((sum, hold) => sum + hold.quantity, 0))
      expect(queue.first?.holdId).toBe(list[0]?.holdId)
      expect([...queue.due(now)].map(hold => hold.holdId)).toEqual(due)
      const inNoOrder = new Set<unknown>()
      queue.eachDue(now, hold => inNoOrder.add(hold.holdId))
      expect(inNoOrder).toEqual(new Set(due))
      const alive = queue.someAlive(now)
      expect(alive !== null).toBe(isAnyAlive)
      expect(alive === null || alive.heldUntil > now).toBe(true)
      expect(new Set(queue.heap.map(hold => hold.holdId))).toEqual(new Set(list.map(hold => hold.holdId)))
    }
  })
  fc.assert(property, { seed: 20_260_801, numRuns: 300 })
})
