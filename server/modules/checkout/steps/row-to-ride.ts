import { missingForZone, type Person } from '@voelgoed/core/access'
import type { EventState } from '@voelgoed/core/event/state'
import { zonesWithGuests } from '../../guests/guests-of-places.ts'
import type { FoundCheckout } from '../find-checkout.ts'
import type { RidingOrder } from '../tables/riding-orders.ts'

/**
 * Gives the row that shows in a batch that a checkout is as it was read. Null: guests or a whitelist count as
 * well.
 */
export function rowToRide(
  state: EventState,
  { whole: { order, payments }, checkout }: FoundCheckout,
  buyer: Person,
): RidingOrder | null {
  const withGuests = new Set(zonesWithGuests(state))
  const needsMore = checkout.cart.lines.some(({ zone_index: zoneIndex }) => {
    const access = state.zones[zoneIndex]?.settings.access
    return !access || withGuests.has(zoneIndex) || missingForZone(access, buyer) !== null
  })
  if (needsMore) return null
  const [payment] = payments
  return {
    id: order.id,
    status: order.status,
    contactEmail: order.contact_email,
    payment: payment ? { id: payment.id, status: payment.status } : null,
  }
}
