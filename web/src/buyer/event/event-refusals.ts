import { COMMON, type RefusalTable } from '../../kit/refusals/table.ts'

/** The server may refuse so in front of the hall. Map, list and cart stay in reach below it. */
export const eventRefusals = {
  ...COMMON,
  event_not_found: ['page', 'events'],
  event_not_available: ['notice', 'events'],
  event_sales_closed: ['notice', 'events'],
  zone_access_denied: ['notice', 'member'],
  zone_not_found: ['notice', 'reload'],
  zone_not_sold: ['notice', 'here'],
  zone_at_capacity: ['notice', 'here'],
  seat_not_found: ['notice', 'reload'],
  seat_held_by_another_user: ['notice', 'nearby'],
  seat_not_available: ['notice', 'nearby'],
  companion_reserved: ['notice', 'nearby'],
  sold_as_a_whole: ['notice', 'whole'],
  no_suitable_seats: ['card', 'alternatives'],
  too_many_seats: ['notice', 'here'],
  quota_exceeded: ['notice', 'here'],
  hold_not_found: ['notice', 'here'],
  hold_expired: ['notice', 'here'],
  hold_not_reducible: ['notice', 'here'],
  hold_in_payment: ['notice', 'payment'],
  payment_undecided: ['notice', 'payment'],
  checkout_closed: ['notice', 'tickets'],
  order_not_found: ['notice', 'reload'],
} as const satisfies RefusalTable
