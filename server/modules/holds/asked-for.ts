import type { createHolds, reserveSeat } from '@voelgoed/contract/holds'
import { isAccessible } from '@voelgoed/core/event/state'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import type { Call } from '@voelgoed/kit/http/call'

/** A request for seats or places. */
export type HoldCall = Call<typeof reserveSeat | typeof createHolds>

/** A wheelchair or companion seat was asked for in an event that audits these. */
export function isAboutAccessibility(
  { state, seats }: CommittedView,
  { seatIds }: { readonly seatIds: readonly string[] },
): boolean {
  if (!state.settings.policy.accessibility_audit_enabled) return false
  return seatIds.some(id => {
    const ordinal = seats.map.seatIds.ordinalOf(id)
    return ordinal !== undefined && isAccessible(state.seats, ordinal)
  })
}

/** So many seats of a request are named in its audit entry. */
const MAX_NAMED_SEATS = 20

/** Reads from a request for seats or places what the audit names of it. */
export function askedFor(call: HoldCall): { seatIds: string[]; zoneId: string | null; quantity: number } {
  const body: object = call.body
  if ('seat' in call.params) return { seatIds: [call.params.seat], zoneId: null, quantity: 1 }
  if ('seat_ids' in body) {
    const seatIds = body.seat_ids as string[]
    const named = seatIds.slice(0, MAX_NAMED_SEATS).map(id => id.toLowerCase())
    return { seatIds: named, zoneId: null, quantity: seatIds.length }
  }
  const wish = 'best_available' in body ? (body.best_available as object) : body
  const { zone_id: zoneId, quantity } = wish as { zone_id?: string; quantity?: number }
  return { seatIds: [], zoneId: zoneId?.toLowerCase() ?? null, quantity: quantity ?? 0 }
}
