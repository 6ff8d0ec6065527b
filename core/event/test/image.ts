import { assert } from '../../result.ts'
import type { decide as Decide } from '../decide.ts'
import type { HoldQueue } from '../holds/active-hold.ts'
import { type EventState, holdOf } from '../state.ts'

/** A decide that must leave the state alone. */
export function watched(decide: typeof Decide): typeof Decide {
  return (state, command, now) => {
    const before = imageOf(state)
    const outcome = decide(state, command, now)
    assert(imageOf(state) === before, 'decide changed the state')
    return outcome
  }
}

/** Everything in the state, as text. Queues refer to the holds, which are written once. */
function imageOf(state: EventState): string {
  return JSON.stringify(state, (key, value) => {
    if (value instanceof Map) return [...value]
    if (ArrayBuffer.isView(value)) return Array.from(value as Uint8Array)
    if (key === 'table') return undefined
    return value
  })
}

/**
 * Returns what a state means, as text. Leaves out what two equal states may differ in: the order inside
 * queues and maps, and users and addresses of which nothing needs to be known any more.
 */
export function logicalImageOf(state: EventState, now: number): string {
  const { seq, seats, settings, zones, seatStatus, seatVersion, holds, queue, users, ips } = state
  const from = now - settings.policy.hold_window_seconds * 1000
  const idsOf = (list: HoldQueue | null) => [...(list?.due(Number.MAX_VALUE) ?? [])].map(hold => hold.holdId)
  return JSON.stringify({
    seq,
    seatIds: [...seats.seatIds],
    settings,
    zones: zones.map(zone => ({ ...zone, holds: idsOf(zone.holds) })),
    seatStatus: [...seatStatus],
    seatVersion: [...seatVersion],
    holdOfSeat: Array.from(seatStatus, (_, ordinal) => holdOf(state, ordinal)?.holdId ?? null),
    holds: [...holds.values()]
      .map(({ holdId, user, ip, ordinal, zoneIndex, quantity, heldUntil, capUntil, checkoutId, lastSeq }) => {
        const times = { heldUntil, capUntil, checkoutId, lastSeq }
        return { holdId, user: user.key, ip: ip?.key ?? null, ordinal, zoneIndex, quantity, ...times }
      })
      .sort(by(hold => hold.holdId)),
    queue: idsOf(queue),
    users: [...users.values()]
      .map(({ key, slot, all }) => {
        const recent: [number, number][] = []
        state.takes.each(slot, (at, places) => {
          if (at > from) recent.push([at, places])
          return 'more'
        })
        return { key, all: idsOf(all), recent }
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
