import { COMMON, type RefusalTable } from '../../kit/refusals/table.ts'

/** The server may refuse so when seats that ran out are taken again. */
const ofTaking = {
  event_not_available: ['form', 'events'],
  event_sales_closed: ['form', 'events'],
  seat_not_found: ['form', 'seats'],
  seat_held_by_another_user: ['form', 'seats'],
  seat_not_available: ['form', 'seats'],
  zone_not_found: ['form', 'seats'],
  zone_not_sold: ['form', 'seats'],
  zone_at_capacity: ['form', 'seats'],
  no_suitable_seats: ['form', 'seats'],
  too_many_seats: ['form', 'seats'],
  quota_exceeded: ['form', 'seats'],
} as const satisfies RefusalTable

/** The seats and the people in them are judged when they are paid for. */
const ofCart = {
  event_not_found: ['page', 'events'],
  hold_not_found: ['form', 'seats'],
  hold_expired: ['form', 'seats'],
  companion_reserved: ['form', 'cart'],
  sold_as_a_whole: ['form', 'cart'],
  would_strand_seats: ['form', 'cart'],
  order_not_found: ['form', 'seats'],
  no_gateway: ['form', 'ask'],
} as const satisfies RefusalTable

/** The page asks who buys what. */
export const checkoutRefusals = {
  ...COMMON,
  ...ofTaking,
  ...ofCart,
  invalid_request: ['field', 'here'],
  nothing_to_pay_for: ['form', 'seats'],
  not_priced: ['form', 'cart'],
  hold_in_payment: ['form', 'payment'],
  hold_changed: ['form', 'here'],
  zone_access_denied: ['form', 'member'],
  guest_not_allowed: ['field', 'guests'],
  guests_not_named: ['field', 'guests'],
  guest_already_named: ['field', 'guests'],
  guests_not_asked_for: ['form', 'reload'],
  user_not_found: ['form', 'guests'],
  invalid_transition: ['form', 'reload'],
  payment_undecided: ['form', 'payment'],
  total_too_large: ['form', 'cart'],
  checkout_closed: ['form', 'tickets'],
} as const satisfies RefusalTable

/** Before the money: what was agreed is what is charged. */
export const payRefusals = {
  ...COMMON,
  ...ofTaking,
  ...ofCart,
  order_not_found: ['page', 'events'],
  invalid_request: ['field', 'here'],
  hold_in_payment: ['form', 'wait'],
  hold_changed: ['form', 'details'],
  zone_access_denied: ['form', 'cart'],
  guest_not_allowed: ['form', 'details'],
  guests_not_named: ['form', 'details'],
  total_changed: ['form', 'here'],
  checkout_closed: ['form', 'tickets'],
  payment_undecided: ['form', 'wait'],
} as const satisfies RefusalTable

/** Tickets that are bought. */
export const orderRefusals = {
  ...COMMON,
  invalid_request: ['field', 'here', words => words.checkout.badEmail],
  rate_limited: ['card', 'wait', words => words.order.mail.tooMany],
  order_not_found: ['page', 'events', words => words.order.notFound],
  event_not_found: ['form', 'here'],
  ticket_not_found: ['form', 'reload'],
  ticket_void: ['form', 'reload'],
  invalid_transition: ['form', 'reload'],
  not_found: ['form', 'reload'],
} as const satisfies RefusalTable
