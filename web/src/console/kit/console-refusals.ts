import { COMMON, type RefusalTable, type Sentence } from '../../kit/refusals/table.ts'
import type { StaffRefusal } from '../../kit/words/staff-refusals.ts'
import type { ConsoleWords } from './words/words.ts'

/**
 * At work the place is where the work is: the form or the dialog with its button, the notice of what was
 * pressed, or the screen that can not be read.
 */
export const consoleRefusals = (words: ConsoleWords) => {
  const own =
    (code: StaffRefusal): Sentence =>
    (_, problem) =>
      words.refusals[code](problem)
  return {
    ...COMMON,
    unauthorized: ['page', 'signIn'],
    forbidden: ['page', 'here', () => words.noAccess.role],
    second_factor_needed: ['page', 'here'],
    organization_suspended: ['form', 'wait'],
    invalid_request: ['field', 'here'],
    account_disabled: ['page', 'ask'],
    last_admin: ['dialog', 'here', own('last_admin')],
    second_factor_required: ['field', 'here'],
    second_factor_wrong: ['field', 'here'],
    password_sign_in_off: ['form', 'here'],
    identity_provider_refused: ['form', 'again'],
    identity_provider_unavailable: ['form', 'again'],
    not_found: ['page', 'reload'],
    user_not_found: ['notice', 'reload'],
    venue_not_found: ['page', 'reload', own('venue_not_found')],
    layout_not_found: ['page', 'reload', own('layout_not_found')],
    event_not_found: ['page', 'reload'],
    zone_not_found: ['notice', 'reload'],
    seat_not_found: ['notice', 'reload'],
    hold_not_found: ['notice', 'reload'],
    order_not_found: ['page', 'reload'],
    ticket_not_found: ['notice', 'reload'],
    image_not_found: ['field', 'here', own('image_not_found')],
    already_exists: ['field', 'here'],
    precondition_required: ['form', 'reload', own('precondition_required')],
    precondition_failed: ['form', 'reload', own('precondition_failed')],
    invalid_transition: ['dialog', 'reload'],
    layout_frozen: ['form', 'here', own('layout_frozen')],
    layout_in_use: ['dialog', 'here', own('layout_in_use')],
    layout_invalid: ['form', 'here', () => words.notSaved],
    prices_invalid: ['form', 'here', () => words.notSaved],
    csv_invalid: ['field', 'here', own('csv_invalid')],
    whitelist_full: ['form', 'here', own('whitelist_full')],
    image_invalid: ['field', 'here', own('image_invalid')],
    images_unavailable: ['field', 'here', own('images_unavailable')],
    too_many_api_keys: ['dialog', 'here', own('too_many_api_keys')],
    too_many_ticket_keys: ['dialog', 'here', own('too_many_ticket_keys')],
    event_not_available: ['notice', 'reload'],
    event_sales_closed: ['notice', 'here'],
    zone_access_denied: ['dialog', 'here'],
    zone_not_sold: ['notice', 'here'],
    zone_at_capacity: ['dialog', 'here'],
    seat_held_by_another_user: ['notice', 'here'],
    seat_not_available: ['notice', 'here'],
    companion_reserved: ['notice', 'here'],
    sold_as_a_whole: ['notice', 'here'],
    would_strand_seats: ['dialog', 'here'],
    no_suitable_seats: ['dialog', 'here'],
    too_many_seats: ['dialog', 'here'],
    quota_exceeded: ['dialog', 'here'],
    hold_expired: ['dialog', 'here'],
    hold_in_payment: ['dialog', 'here'],
    hold_sold: ['dialog', 'here'],
    hold_changed: ['dialog', 'here'],
    not_priced: ['dialog', 'here'],
    nothing_to_pay_for: ['dialog', 'here'],
    guest_not_allowed: ['dialog', 'here'],
    guests_not_named: ['dialog', 'here'],
    seats_differ: ['dialog', 'here', own('seats_differ')],
    ticket_used: ['dialog', 'here', own('ticket_used')],
    ticket_void: ['dialog', 'reload'],
    payment_undecided: ['dialog', 'wait'],
    total_too_large: ['dialog', 'here'],
    checkout_closed: ['dialog', 'reload'],
  } as const satisfies RefusalTable
}
