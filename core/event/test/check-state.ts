import { assert } from '../../result.ts'
import type { ActiveHold, HoldQueue } from '../holds/active-hold.ts'
import { type EventState, HELD, WHEELCHAIR } from '../state.ts'

/** Whatever a state keeps twice must agree, by full scans: seats, holds, counters and every queue. */
export function checkState(state: EventState): void {
  const holds = [...state.holds.values()]
  state.holdOfSeat.forEach((hold, ordinal) => {
    assert((hold !== null) === (state.seatStatus[ordinal] === HELD), 'a seat is held by a hold')
    assert(
      hold === null || (hold.ordinal === ordinal && state.holds.get(hold.holdId) === hold),
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
    assert(state.users.get(hold.user.key) === hold.user, 'the user of a hold is known')
    assert(hold.ip === null || state.ips.get(hold.ip.key) === hold.ip, 'the address of a hold is known')
  }
  for (const user of state.users.values()) {
    const theirs = holds.filter(hold => hold.user === user)
    checkQueue(user.all, theirs)
    const inWheelchairs = theirs.filter(
      hold => hold.ordinal !== null && state.seats.category[hold.ordinal] === WHEELCHAIR,
    )
    if (user.wheelchairs) checkQueue(user.wheelchairs, inWheelchairs)
    else assert(inWheelchairs.length === 0, 'wheelchair seats are counted')
  }
  for (const ip of state.ips.values()) {
    checkQueue(
      ip.all,
      holds.filter(hold => hold.ip === ip),
    )
  }
}

function checkQueue(queue: HoldQueue, holds: readonly ActiveHold[]): void {
  const places = holds.reduce((total, hold) => total + hold.quantity, 0)
  assert(queue.places === places, 'a queue knows how many places its holds have')
  assert(queue.size === holds.length && holds.every(hold => queue.has(hold)), 'a queue has its holds')
  queue.heap.forEach((hold, i) => {
    assert(i === 0 || queue.heap[(i - 1) >> 1]!.heldUntil <= hold.heldUntil, 'a queue is in order')
  })
}
