import { assert } from '../../result.ts'
import type { decide as Decide } from '../decide.ts'
import type { HoldQueue } from '../holds/active-hold.ts'
import type { EventState } from '../state.ts'

/** A decide that must leave the state alone. */
export function watched(decide: typeof Decide): typeof Decide {
  return (state, command, now) => {
    const before = imageOf(state)
    const outcome = decide(state, command, now)
    assert(imageOf(state) === before, 'decide changed the state')
    return outcome
  }
}

/** Everything in the state, as text. Holds and users refer to each other, so these are written as keys. */
function imageOf(state: EventState): string {
  return JSON.stringify(state, (key, value) => {
    if (value instanceof Map) return [...value]
    if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array)
    if ((key === 'user' || key === 'ip' || key === 'holder') && value !== null) return value.key
    return value
  })
}

/**
 * What a state means, as text. Leaves out what two equal states may differ in: the order inside queues and
 * maps, and users and addresses of which nothing needs to be known any more.
 */
export function logicalImageOf(state: EventState, now: number): string {
  const { seq, seats, settings, zones, seatStatus, seatVersion, holdOfSeat, holds, queue, users, ips } = state
  const from = now - settings.policy.hold_window_seconds * 1000
  const idsOf = (list: HoldQueue | null) => [...(list?.due(Number.MAX_VALUE) ?? [])].map(hold => hold.holdId)
  return JSON.stringify({
    seq,
    seatIds: seats.seatIds,
    settings,
    zones: zones.map(zone => ({ ...zone, holds: idsOf(zone.holds) })),
    seatStatus: [...seatStatus],
    seatVersion: [...seatVersion],
    holdOfSeat: holdOfSeat.map(hold => hold?.holdId ?? null),
    holds: [...holds.values()]
      .map(({ user, ip, placeInEvent, placeWithUser, placeWithIp, placeInGroup, ...hold }) => {
        return { ...hold, user: user.key, ip: ip?.key ?? null }
      })
      .sort(by(hold => hold.holdId)),
    queue: idsOf(queue),
    users: [...users.values()]
      .map(({ key, all, wheelchairs, recent }) => {
        const first = recent.findIndex((time, i) => i % 2 === 0 && time > from)
        const inWindow = first < 0 ? [] : recent.slice(first)
        return { key, all: idsOf(all), wheelchairs: idsOf(wheelchairs), recent: inWindow }
      })
      .filter(({ all, recent }) => all.length + recent.length > 0)
      .sort(by(user => user.key)),
    ips: [...ips.values()]
      .map(({ key, all }) => ({ key, all: idsOf(all) }))
      .filter(({ all }) => all.length > 0)
      .sort(by(ip => ip.key)),
  })
}

function by<Item>(key: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1)
}
