import type { Lanes } from '@voelgoed/engine/lane/lanes'
import { type Kit, type Module, sweepOf } from '../module.ts'
import { createGuestMetrics } from './guest-metrics.ts'
import { serveGuests } from './routes/guests.ts'
import { serveWhitelist } from './routes/whitelist.ts'
import { type CatchUp, sweepIdleGuests } from './sweep-idle-guests.ts'
import { sweepPlaceGuests } from './tables/place-guests.ts'
import { WhitelistMembers } from './whitelist-members.ts'

export { copyWhitelist } from './tables/whitelist.ts'

interface Needs {
  readonly lanes: Lanes
  readonly catchUp: CatchUp
  /** For how many days a buyer without an account is kept who never held anything. */
  readonly keepDays: number
}

/** The people whom members bring, by name, and the people whom staff let into an event by its whitelist. */
export function openGuests(
  kit: Kit,
  { lanes, catchUp, keepDays }: Needs,
): Module & { readonly whitelistMembers: WhitelistMembers } {
  const metrics = createGuestMetrics(kit.metrics)
  return {
    name: 'guests',
    whitelistMembers: new WhitelistMembers(kit.database),
    routes(router) {
      serveGuests(router, kit, { lanes, metrics })
      serveWhitelist(router, kit, metrics)
    },
    sweeps: [
      sweepOf(kit.database, 'place_guests', sweepPlaceGuests),
      sweepIdleGuests(kit.database, catchUp, keepDays),
    ],
  }
}
