import { assert } from '../../result.ts'
import type { ActiveHold, HoldQueue } from '../holds/active-hold.ts'
import { type EventState, HELD, holdOf } from '../state.ts'

/** Whatever a state keeps twice must agree, by full scans: seats, holds, counters and every queue. */
export function checkState(state: EventState): void {
  const holds = [...state.holds.values()]
  state.seatStatus.forEach((status, ordinal) => {
    const hold = holdOf(state, ordinal)!
    assert((hold !== null) === (status === HELD), 'a seat is held by a hold')
    assert(
      hold === null || (hold.ordinal === ordinal && state.holds.get(hold.holdId)?.slot === hold.slot),
      'seat and hold',
    )
  })
  state.zones.forEach((zone, zoneIndex) => {
    const ofZone = holds.filter(hold => hold.zoneIndex === zoneIndex)
    const held = ofZone.reduce((total, hold) => total + hold.quantity, 0)
    assert(zone.held === held, 'held is the sum of the holds')
    assert(held + zone.sold + zone.blocked <= zone.settings.capacity, 'no more than the capacity')
    if (zone.holds) checkQueue(zone.holds, ofZone)
  })
  checkQueue(state.queue, holds)
  for (const hold of holds) {
    assert(hold.heldUntil <= hold.capUntil, 'no hold is past its cap')
    assert(state.users.get(hold.user.key)?.slot === hold.user.slot, 'the user of a hold is known')
    assert(
      hold.ip === null || state.ips.get(hold.ip.key)?.slot === hold.ip.slot,
      'the address of a hold is known',
    )
  }
  checkSlots(state)
  for (const user of state.users.values()) {
    checkQueue(
      user.all,
      holds.filter(hold => hold.user.slot === user.slot),
    )
  }
  for (const ip of state.ips.values()) {
    checkQueue(
      ip.all,
      holds.filter(hold => hold.ip?.slot === ip.slot),
    )
  }
}

/** Slots, indexes and blocks: what is used is found, what is free is in a list, and nothing is both. */
function checkSlots({ holds, users, ips, takes }: EventState): void {
  const used = [...holds.values()].map(({ slot }) => slot)
  holds.ids.assertSlots(used)
  assert(
    [...holds.checkouts.keys()].every(slot => used.includes(slot)),
    'no checkout of a hold that has ended',
  )
  users.keys.assertSlots([...users.values()].map(({ slot }) => slot))
  ips.keys.assertSlots([...ips.values()].map(({ slot }) => slot))
  users.assertBlocks()
  ips.assertBlocks()
  for (const user of users.values()) {
    assert(user.size > 0 || takes.hasAny(user.slot), 'a user of whom nothing need be known is forgotten')
  }
  for (const ip of ips.values()) assert(ip.size > 0, 'an address that holds nothing is forgotten')
}

function checkQueue(queue: HoldQueue, holds: readonly ActiveHold[]): void {
  const places = holds.reduce((total, hold) => total + hold.quantity, 0)
  assert(queue.places === places, 'a queue knows how many places its holds have')
  assert(queue.size === holds.length && holds.every(hold => queue.has(hold)), 'a queue has its holds')
  queue.heap.forEach((hold, i) => {
    assert(i === 0 || queue.heap[(i - 1) >> 1]!.heldUntil <= hold.heldUntil, 'a queue is in order')
  })
}
