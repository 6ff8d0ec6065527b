import type { AccessRequirement, Role } from './access.ts'
import type { EventStatus } from './event/lifecycle.ts'
import type { HoldId, SeatId, TicketId, ZoneId } from './ids.ts'
import type { LayoutFault } from './layout/model.ts'
import type { OrderStatus } from './orders/order.ts'
import type { ZoneRule } from './policy-zones.ts'

/**
 * Every way in which the system says no, in one closed union. Each kind has a status, a title and a sentence
 * in contract/problems.ts, and the compiler knows when one is missing there.
 */
export type Refusal =
  | { readonly kind: 'invalid_request'; readonly errors: readonly RequestFault[] }
  | { readonly kind: 'unauthorized'; readonly detail?: string }
  | {
      readonly kind: 'forbidden'
      /** `allowed_origins`: the organization has to allow the site first. */
      readonly required: readonly (Role | 'root' | 'allowed_origins')[]
      readonly detail?: string
    }
  | { readonly kind: 'account_disabled' }
  | { readonly kind: 'last_admin' }
  /** A person is not erased while they pay for these. */
  | { readonly kind: 'open_payment'; readonly orderIds: readonly string[] }
  /** A person is not erased unaware of these: `tickets` valid ones, for events that are not over. */
  | { readonly kind: 'tickets_to_come'; readonly tickets: number }
  /** The password is right; the account has a second factor. */
  | { readonly kind: 'second_factor_required' }
  | { readonly kind: 'second_factor_wrong' }
  /** The organization asks its staff for one, and this member of staff has none. */
  | { readonly kind: 'second_factor_needed' }
  | { readonly kind: 'organization_suspended' }
  /** The organization's staff sign in with its identity provider. */
  | { readonly kind: 'password_sign_in_off' }
  | {
      readonly kind: 'identity_provider_refused'
      readonly reason: ProviderRefusal
      readonly detail?: string
    }
  | {
      readonly kind: 'identity_provider_unavailable'
      readonly reason: ProviderTrouble
      readonly detail?: string
    }
  | { readonly kind: 'payload_too_large'; readonly limitBytes: number }
  | { readonly kind: 'unsupported_media_type' }
  | { readonly kind: 'image_invalid'; readonly reason: ImageFault }
  /** The part of the server that reads images could not be loaded. */
  | { readonly kind: 'images_unavailable' }
  | { readonly kind: NotFoundKind }
  | { readonly kind: 'already_exists'; readonly field: string }
  /** `orderId`: one that has them. */
  | { readonly kind: 'hold_sold'; readonly holdIds: readonly HoldId[]; readonly orderId?: string }
  | { readonly kind: 'nothing_to_pay_for' }
  | { readonly kind: 'not_priced'; readonly holdIds: readonly string[] }
  | { readonly kind: 'no_gateway' }
  | { readonly kind: 'idempotency_key_reused' }
  | { readonly kind: 'idempotency_key_in_use' }
  | { readonly kind: 'layout_invalid'; readonly errors: readonly LayoutFault[] }
  | { readonly kind: 'prices_invalid'; readonly errors: readonly LayoutFault[] }
  | { readonly kind: 'layout_frozen'; readonly reason: string }
  | { readonly kind: 'layout_in_use'; readonly reason: string }
  | InvalidTransition
  | { readonly kind: 'too_many_api_keys'; readonly limit: number }
  | { readonly kind: 'too_many_ticket_keys'; readonly limit: number }
  | { readonly kind: 'whitelist_full'; readonly limit: number }
  | { readonly kind: 'too_many_notes'; readonly limit: number }
  /** `errors`: the first of them; `faults`: how many there are. */
  | { readonly kind: 'csv_invalid'; readonly errors: readonly CsvFault[]; readonly faults: number }
  | { readonly kind: 'guests_not_asked_for' }
  /** `total`: of the checkout, which is not what the buyer has seen. */
  | { readonly kind: 'total_changed'; readonly total: number }
  /** `limit`: what the gateway takes at once; both in minor units of the currency. */
  | { readonly kind: 'total_too_large'; readonly total: number; readonly limit: number }
  | { readonly kind: 'guest_already_named'; readonly place: number }
  | { readonly kind: 'precondition_required'; readonly revision: number }
  | { readonly kind: 'precondition_failed'; readonly revision: number }
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }
  | { readonly kind: 'database_unavailable'; readonly retryAfterSeconds: number; readonly detail?: string }
  /**
   * The request has taken effect or it has not. Never `database_unavailable` after something that may have.
   */
  | { readonly kind: 'outcome_unknown'; readonly retryAfterSeconds: number }
  | { readonly kind: 'internal_error' }
  | HoldRefusal
  | OrderRefusal

/** Describes why a sign-in with the organization's identity provider ends without a session. */
export type ProviderRefusal =
  /** The organization has no provider. */
  | 'not_set_up'
  /** It was used before, is too old, or began in another browser. */
  | 'attempt_over'
  /** The provider did not take the code or the client's secret. */
  | 'code_refused'
  /** The provider's word of the person is not signed by it, for us and this sign-in, or is too old. */
  | 'token_invalid'
  | 'email_not_verified'
  | 'email_domain'
  /** The account with this address is linked with another subject: the address has changed hands. */
  | 'other_person'
  /** The person has no account, and the organization gives none to new people. */
  | 'no_account'

/** Describes why there is no answer of a provider that could be used. */
export type ProviderTrouble =
  | 'address_not_allowed'
  | 'unreachable'
  | 'time_out'
  | 'answer_too_large'
  | 'answer_invalid'
  | 'other_issuer'

/** `not_an_image`: of another kind than those that are read. */
export type ImageFault = 'not_an_image' | 'damaged' | 'too_many_pixels'

/** Describes what the state machine of an order may answer. */
export type OrderRefusal =
  | { readonly kind: 'order_not_found' }
  | { readonly kind: 'ticket_not_found' }
  | { readonly kind: 'ticket_void'; readonly ticketIds: readonly TicketId[] }
  /** A gate has let someone in with it. */
  | { readonly kind: 'ticket_used'; readonly ticketIds: readonly TicketId[] }
  | { readonly kind: 'checkout_closed'; readonly status: OrderStatus }
  /** `available`: what is left of the payment, or of the price of the tickets; 0: no amount is known. */
  | { readonly kind: 'refund_too_high'; readonly available: number }
  /** The gateway may have taken the money for it, or take it still. */
  | { readonly kind: 'payment_undecided' }
  | InvalidTransition

interface InvalidTransition {
  readonly kind: 'invalid_transition'
  readonly status: string
  readonly allowed: readonly string[]
  readonly detail?: string
}

/** Describes what the state machine of an event may answer. */
export type HoldRefusal =
  | { readonly kind: 'event_not_available'; readonly status: EventStatus }
  | {
      readonly kind: 'event_sales_closed'
      readonly saleStart: number | null
      readonly saleEnd: number | null
    }
  | { readonly kind: 'zone_access_denied'; readonly required: AccessRequirement }
  | {
      readonly kind: 'seat_held_by_another_user'
      readonly seatIds: readonly SeatId[]
      readonly expiresIn: number
    }
  | {
      readonly kind: 'seat_not_available'
      readonly seatIds: readonly SeatId[]
      readonly currentStatus: string
    }
  /** Companion seats that are kept for the people in the wheelchair places beside them. */
  | { readonly kind: 'companion_reserved'; readonly seatIds: readonly SeatId[] }
  /** `seatIds`: all seats of the groups. */
  | { readonly kind: 'sold_as_a_whole'; readonly seatIds: readonly SeatId[] }
  | {
      readonly kind: 'no_suitable_seats'
      readonly reason: NoSeatsReason
      readonly alternatives: readonly SeatsAlternative[]
    }
  | {
      readonly kind: 'would_strand_seats'
      readonly seatIds: readonly SeatId[]
      readonly alternatives: readonly {
        readonly change: string
        readonly seatIds: readonly SeatId[]
        readonly labels?: readonly string[]
      }[]
    }
  /** Tickets can not be moved to these seats as they are. */
  | { readonly kind: 'seats_differ'; readonly seatIds: readonly SeatId[]; readonly reason: SeatsDiffer }
  | { readonly kind: 'zone_not_sold'; readonly rule: ZoneRule }
  | { readonly kind: 'zone_at_capacity'; readonly available: number }
  | { readonly kind: 'hold_not_found' }
  | { readonly kind: 'hold_in_payment' }
  /** A sale that came late says what is free instead of the places that are gone. */
  | {
      readonly kind: 'hold_expired'
      readonly alternatives?: readonly SaleAlternative[]
      /** Those of the sale that have run out. */
      readonly holdIds?: readonly HoldId[]
    }
  /** `quantity`: places of the hold as it is; 1 for a seat. */
  | { readonly kind: 'hold_not_reducible'; readonly quantity: number }
  /** `quantity`: places of the holds as they are. */
  | { readonly kind: 'hold_changed'; readonly quantity: number }
  | { readonly kind: 'carts_end_too_far_apart' }
  /** `place`: of the hold, from 0. */
  | {
      readonly kind: 'guest_not_allowed'
      readonly holdId: HoldId
      readonly place: number
      readonly required: AccessRequirement
    }
  /** `missing`: places that need a guest, besides the one that is the buyer's own. */
  | {
      readonly kind: 'guests_not_named'
      readonly holdIds: readonly HoldId[]
      readonly missing: number
    }
  | { readonly kind: 'too_many_seats'; readonly limit: number }
  | {
      readonly kind: 'quota_exceeded'
      readonly limit: number
      readonly quota: string
      readonly detail?: string
    }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }

/** The seats cost another price; or they are in a members' zone, and the tickets are not. */
type SeatsDiffer = 'price_category' | 'members_zone'

export const NO_SEATS_REASONS = [
  'not_enough_seats',
  'not_together',
  'none_within_price',
  'no_wheelchair_place',
] as const
export type NoSeatsReason = (typeof NO_SEATS_REASONS)[number]

/** Describes what a buyer could ask for instead. */
export type SeatsAlternative =
  /** As many are still side by side. */
  | { readonly kind: 'fewer'; readonly quantity: number }
  /** They need not be side by side. */
  | { readonly kind: 'apart' }
  /** At any price. */
  | { readonly kind: 'any_price' }
  | { readonly kind: 'zone'; readonly zoneId: ZoneId }

/** Describes what a buyer whose places are gone could have instead. */
export type SaleAlternative =
  /** As many seats, of the same zones and price categories. */
  | { readonly kind: 'seats'; readonly seatIds: readonly SeatId[] }
  /** So many places of the zone are left. */
  | { readonly kind: 'places'; readonly zoneId: ZoneId; readonly available: number }

type NotFoundKind =
  | 'not_found'
  | 'organization_not_found'
  | 'user_not_found'
  | 'venue_not_found'
  | 'layout_not_found'
  | 'event_not_found'
  | 'zone_not_found'
  | 'seat_not_found'
  | 'hold_not_found'
  | 'ticket_not_found'
  | 'order_not_found'
  | 'image_not_found'

/** A line of a CSV text that can't be used, and what to do about it. */
export interface CsvFault {
  /** From 1. */
  readonly line: number
  readonly code: string
  readonly message: string
}

export interface RequestFault {
  /** JSON pointer into the body, or `query/…`, `params/…`, `headers/…`. */
  readonly path: string
  readonly message: string
}
