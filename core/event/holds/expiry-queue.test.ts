import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExpiryQueue, type Queued } from './expiry-queue.ts'

test('whatever is added, removed and postponed, the due holds come soonest first', () => {
  const step = fc.record({
    act: fc.constantFrom('add', 'add', 'remove', 'postpone', 'shrink'),
    which: fc.nat(50),
    time: fc.nat(20),
  })
  const property = fc.property(fc.array(step, { maxLength: 100 }), fc.nat(25), (steps, now) => {
    const queue = new ExpiryQueue<Queued>('placeInEvent')
    const list: Queued[] = []
    steps.forEach(({ act, which, time }, i) => {
      const hold = list[which % (list.length || 1)]
      if (act === 'add' || hold === undefined) {
        const places = { placeInEvent: -1, placeWithUser: -1, placeWithIp: -1, placeInGroup: -1 }
        // Ids in no order, so that ties are broken by them and not by age.
        const holdId = `${(i * 7919) % 101}-${i}` as Queued['holdId']
        const added = { holdId, heldUntil: time, quantity: 1 + (which % 3), ...places }
        queue.add(added)
        list.push(added)
      } else if (act === 'remove') {
        queue.remove(hold)
        list.splice(list.indexOf(hold), 1)
        expect(queue.has(hold)).toBe(false)
      } else if (act === 'shrink') {
        const by = hold.quantity > 1 ? 1 : 0
        hold.quantity -= by
        queue.shrunk(hold, by)
      } else {
        hold.heldUntil += time
        queue.postponed(hold)
      }
    })
    list.sort((a, b) => a.heldUntil - b.heldUntil || (a.holdId < b.holdId ? -1 : 1))
    expect(queue.size).toBe(list.length)
    expect(queue.places).toBe(list.reduce((sum, hold) => sum + hold.quantity, 0))
    expect(queue.first).toBe(list[0])
    expect([...queue.due(now)]).toEqual(list.filter(hold => hold.heldUntil <= now))
    const inNoOrder = new Set<unknown>()
    queue.eachDue(now, hold => inNoOrder.add(hold))
    expect(inNoOrder).toEqual(new Set(queue.due(now)))
  })
  fc.assert(property, { seed: 20_260_801, numRuns: 500 })
})
