import { isKept } from '@voelgoed/core/event/rules/companions'
import { AVAILABLE, BLOCKED, type EventState } from '@voelgoed/core/event/state'
import { occupancy } from '@voelgoed/core/event/view'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { eventKeys } from '@voelgoed/kit/redis/keys'
import type { Redis } from 'ioredis'

/** Everything that is under the keys of an event, in a form that can be compared. */
export async function readCopy(redis: Redis, view: Pick<CommittedView, 'scope' | 'eventId' | 'state'>) {
  const keys = eventKeys(view.scope, view.eventId)
  const { seats } = view.state
  const [point, bitmap, due, counts] = await Promise.all([
    redis.hgetall(keys.seq),
    redis.getBuffer(keys.seats),
    redis.zrange(keys.holds, '0', '-1', 'WITHSCORES'),
    redis.hgetall(keys.occupancy),
  ])
  const codes = Array.from({ length: bitmap ? seats.count : 0 }, (_, ordinal) => {
    return (bitmap![ordinal >> 2]! >> (6 - 2 * (ordinal & 3))) & 3
  })
  const prefix = keys.seq.slice(0, -'seq'.length)
  const own = [keys.seq, keys.seats, keys.holds, keys.occupancy]
  const others: Record<string, unknown> = {}
  for (const key of (await redis.keys(`${prefix.replace(/[[\]]/g, '\\$&')}*`)).sort()) {
    if (own.includes(key)) continue
    const value = key.endsWith(':meta') ? await redis.hgetall(key) : await redis.get(key)
    others[key.slice(prefix.length)] = value
  }
  const holds: Record<string, number> = {}
  for (let at = 0; at < due.length; at += 2) holds[due[at]!] = Number(due[at + 1])
  const { epoch, seq, tip, writer } = point
  return {
    point: { epoch, seq, tip, writer },
    codes,
    holds,
    counts: counts as Record<string, string>,
    others,
  }
}

/** Returns what should be there. */
export function copyOf(view: CommittedView): Awaited<ReturnType<typeof readCopy>> {
  const { state, epochPoint } = view
  const holds: Record<string, number> = {}
  const others: Record<string, unknown> = {}
  for (const hold of state.holds.values()) {
    const { holdId, ordinal, zoneIndex, quantity, heldUntil } = hold
    holds[holdId] = heldUntil
    const until = String(heldUntil)
    const zone = state.zones[zoneIndex]!.settings.zoneId
    const places = { zone, quantity: String(quantity), until }
    if (ordinal === null) others[`hold:${holdId}:meta`] = places
    else {
      const seat = state.seats.seatIds.at(ordinal)
      others[`hold:${holdId}:meta`] = { seat, ordinal: String(ordinal), ...places }
      others[`seat:${seat}:hold`] = JSON.stringify({ hold_id: holdId, until: heldUntil })
    }
  }
  const { epoch, seq, tip } = epochPoint
  return {
    point: { epoch: String(epoch), seq: String(seq), tip: tip ?? '', writer: undefined },
    codes: Array.from(state.seatStatus, (code, ordinal) => shown(state, code, ordinal)),
    holds,
    counts: countsOf(state),
    others: Object.fromEntries(Object.entries(others).sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

function shown(state: EventState, code: number, ordinal: number): number {
  const isShut = state.zones[state.seats.zoneOf[ordinal]!]!.settings.disabled || isKept(state, ordinal)
  return code === AVAILABLE && isShut ? BLOCKED : code
}

function countsOf(state: EventState): Record<string, string> {
  const zones = occupancy(state)
  const sum = (pick: (zone: (typeof zones)[number]) => number) =>
    String(zones.reduce((total, zone) => total + pick(zone), 0))
  const lines = zones.map((zone, index) => {
    const { zoneId, capacity, available, held, sold, blocked, closed } = zone
    return [
      `zone:${index}`,
      `${zoneId} ${capacity} ${available} ${held} ${sold} ${blocked} ${closed ? 1 : 0}`,
    ]
  })
  return {
    status: state.settings.status,
    ...Object.fromEntries(lines),
    available: sum(zone => zone.available),
    held: sum(zone => zone.held),
    sold: sum(zone => zone.sold),
    blocked: sum(zone => zone.blocked),
    total: sum(zone => zone.capacity),
  }
}
