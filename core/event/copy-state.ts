import type { Holder, HoldQueue, Idle, UserHolds } from './holds/active-hold.ts'
import { ExpiryQueue } from './holds/expiry-queue.ts'
import type { Fifo } from './holds/fifo.ts'
import { addHold } from './holds/index-holds.ts'
import { createState, type EventState } from './state.ts'

/** A state of its own that means the same. What never changes (seats, settings) is shared. */
export function copyState(state: EventState): EventState {
  const { seats, settings, zones } = state
  const copy = createState({ seats, settings, zones: zones.map(zone => zone.settings) }, state.seq)
  copy.seatStatus.set(state.seatStatus)
  copy.seatVersion.set(state.seatVersion)
  for (const [index, { held, sold, blocked }] of zones.entries()) {
    Object.assign(copy.zones[index]!, { held, sold, blocked })
  }
  copyUsers(state, copy)
  copyAddresses(state, copy)
  for (const hold of state.holds.values()) {
    addHold(copy, { ...hold, userId: hold.user.key, ip: hold.ip?.key ?? null })
  }
  return copy
}

/** Before the holds: each of them then finds its user, and what the user took lately. */
function copyUsers(state: EventState, copy: EventState): void {
  const users = new Map<Holder, UserHolds>()
  const copied = (user: UserHolds): UserHolds => {
    const known = users.get(user)
    if (known) return known
    const all: HoldQueue = new ExpiryQueue('placeWithUser')
    const made: UserHolds = { key: user.key, all, wheelchairs: null, recent: [...user.recent] }
    users.set(user, made)
    return made
  }
  for (const [key, user] of state.users) copy.users.set(key, copied(user))
  copyLine(state.idleUsers, copy.idleUsers, copied)
}

function copyAddresses(state: EventState, copy: EventState): void {
  const ips = new Map<Holder, Holder>()
  const copied = (ip: Holder): Holder => {
    const known = ips.get(ip)
    if (known) return known
    const made: Holder = { key: ip.key, all: new ExpiryQueue('placeWithIp') }
    ips.set(ip, made)
    return made
  }
  for (const [key, ip] of state.ips) copy.ips.set(key, copied(ip))
  copyLine(state.idleIps, copy.idleIps, copied)
}

function copyLine<Kind extends Holder>(
  from: Fifo<Idle<Kind>>,
  to: Fifo<Idle<Kind>>,
  copied: (holder: Kind) => Kind,
): void {
  for (const { holder, since } of from) to.push({ holder: copied(holder), since })
}
