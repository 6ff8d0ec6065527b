import type { Refusal } from '@voelgoed/core/refusal'

/**
 * Describes how a refusal looks over HTTP. `detail` says what happened and what to do next, in one or two
 * sentences.
 */
export interface ProblemKind {
  readonly status: number
  readonly title: string
  readonly detail: string
  /** The same request may succeed later without being changed. */
  readonly retryable: boolean
}

const no = false
const yes = true

/** One row a kind: status, title, detail, retryable. The compiler refuses a kind that is missing here. */
const rows = {
  invalid_request: [
    400,
    'The request is not valid',
    'See errors: each names a place and what is expected there.',
    no,
  ],
  event_not_available: [
    400,
    'The event is not on sale',
    'Seats can be held while an event is published or live.',
    no,
  ],
  nothing_to_pay_for: [
    400,
    'There is nothing to pay for',
    'Hold seats or places of the event first: you have none that are alive.',
    no,
  ],
  event_sales_closed: [
    400,
    'Sales are closed',
    'Seats can be held between sale_start and sale_end. Without a sale_end of its own, an event sells until it begins, or the last of its days.',
    no,
  ],
  unauthorized: [
    401,
    'Sign in first',
    'The token is missing, wrong, expired or signed out. Start a new session.',
    no,
  ],
  second_factor_required: [
    401,
    'A code is needed',
    'The password is right. Send the same again with code: six digits of the app, or a recovery code.',
    no,
  ],
  second_factor_wrong: [
    401,
    'The code is not right',
    'It is wrong, or was used before. Wait for the next code of the app, or use a recovery code.',
    no,
  ],
  second_factor_needed: [
    403,
    'Set up a second factor first',
    'The organization asks its staff for one: POST /api/accounts/second-factor begins.',
    no,
  ],
  forbidden: [403, 'Not allowed for this role', 'Sign in with one of the roles in required.', no],
  account_disabled: [
    403,
    'This account is disabled',
    'Ask the organization why. What was bought with it stays valid.',
    no,
  ],
  organization_suspended: [
    403,
    'The organization is suspended',
    'Nothing can be held, sold or changed until the platform lifts the suspension. What was sold stays sold, and opens the gates.',
    no,
  ],
  password_sign_in_off: [
    403,
    'Staff do not sign in by password here',
    'Sign in with the identity provider of the organization. Admins may use a password with a second factor.',
    no,
  ],
  identity_provider_refused: [
    403,
    'The identity provider did not let you in',
    'See reason. Start again; if that does not help, an admin of the organization can.',
    no,
  ],
  zone_access_denied: [403, 'This zone is not open to you', 'See required for what gives access to it.', no],
  not_found: [404, 'There is nothing here', 'Check the address.', no],
  organization_not_found: [404, 'No such organization', 'Check the id or the slug.', no],
  user_not_found: [404, 'No such user', 'Check the id.', no],
  image_not_found: [
    404,
    'No such image',
    'Check the id. An upload that no event and no brand names is deleted after a day.',
    no,
  ],
  venue_not_found: [404, 'No such venue', 'Check the id.', no],
  layout_not_found: [404, 'No such layout', 'Check the id and the version.', no],
  event_not_found: [404, 'No such event', 'Check the id.', no],
  zone_not_found: [404, 'No such zone', 'Check the id against the layout of the event.', no],
  seat_not_found: [404, 'No such seat', 'Check the id against the layout of the event.', no],
  hold_not_found: [404, 'No such hold', 'It may never have been, or belong to someone else.', no],
  ticket_not_found: [404, 'No such ticket', 'It may never have been, or belong to someone else.', no],
  order_not_found: [404, 'No such order', 'It may never have been, or belong to someone else.', no],
  last_admin: [
    409,
    'This is the last admin',
    'An organization keeps one admin who can sign in. Make another person an admin first.',
    no,
  ],
  open_payment: [
    409,
    'A payment is open',
    'Finish or cancel it first, or wait until its time runs out. order_ids names the orders.',
    yes,
  ],
  tickets_to_come: [
    409,
    'There are tickets to come',
    'They stay valid, and can not be shown or sent again afterwards. Save them first, then send tickets_stay.',
    no,
  ],
  already_exists: [409, 'It exists already', 'Choose another value for the member in field.', no],
  seat_held_by_another_user: [
    409,
    'Another buyer holds this seat',
    'It may be free again in expires_in seconds.',
    yes,
  ],
  seat_not_available: [409, 'The seat is not available', 'Choose another seat.', no],
  zone_not_sold: [
    409,
    'This zone is not on sale',
    'The seating policy does not allow it: see rule. Choose another zone.',
    no,
  ],
  zone_at_capacity: [409, 'Not enough places left', 'Ask for at most the number in available.', no],
  layout_frozen: [
    409,
    'The layout is frozen',
    'The event is on sale: see reason for what may still change.',
    no,
  ],
  layout_in_use: [409, 'The layout is in use', 'See reason.', no],
  invalid_transition: [
    409,
    'Not possible in this state',
    'See current_status, and allowed for what is possible now.',
    no,
  ],
  idempotency_key_in_use: [
    409,
    'The first request is still running',
    'Repeat it in a moment with the same key.',
    yes,
  ],
  hold_changed: [
    409,
    'The holds have other places than before',
    'They have quantity places now. Read them again, and pay for those.',
    no,
  ],
  hold_in_payment: [409, 'The hold is being paid for', 'Finish or cancel the checkout that has it.', no],
  carts_end_too_far_apart: [
    409,
    'The two carts can not be joined',
    'One of them must end before the other could: pay for the older one first, or release it.',
    no,
  ],
  hold_sold: [
    409,
    'The hold was sold before',
    'Another order has its tickets: read that of order_id, or hold places again.',
    no,
  ],
  not_priced: [
    409,
    'Some of it has no price',
    'The holds in hold_ids can not be paid for here: the organizer has given their places no price.',
    no,
  ],
  no_gateway: [
    409,
    'This server takes no payments',
    'It has no payment gateway. Buy where the organizer sells: on a page of their own, or at the box office.',
    no,
  ],
  checkout_closed: [
    409,
    'The checkout is over',
    'See current_status. Hold seats again and start a new checkout.',
    no,
  ],
  payment_undecided: [
    409,
    'A bank decides on the payment',
    'The money may be taken at any moment. Read the checkout until it is decided, then ask again.',
    yes,
  ],
  total_changed: [
    409,
    'The checkout costs something else',
    'It costs total. Show that to the buyer, and pay with it if they agree. Nothing was charged.',
    no,
  ],
  total_too_large: [
    409,
    'It costs more than can be paid at once',
    'The gateway takes at most limit for one order, and this would be total. Pay for fewer holds at once.',
    no,
  ],
  ticket_void: [
    409,
    'The ticket is void already',
    'It was refunded before, or moved to another seat: read the order again, and name tickets that are valid.',
    no,
  ],
  ticket_used: [
    409,
    'Someone has come in with the ticket',
    'A ticket is moved before it is used at a gate. Leave it as it is; if the person has to sit elsewhere, sell the other seat as a complimentary ticket.',
    no,
  ],
  guest_not_allowed: [
    409,
    'This guest can not have the place',
    "A guest in this zone has the membership in required, or is on the event's whitelist. Name another guest, or ask the organizer to add this one.",
    no,
  ],
  guests_not_named: [
    409,
    'Name your guests first',
    'One place without a guest is your own. Name a guest for each of the others (missing says how many), or release them.',
    no,
  ],
  guest_already_named: [
    409,
    'This guest has a place already',
    'A person has one place in the members’ zones of an event. Name another guest for this place.',
    no,
  ],
  guests_not_asked_for: [
    409,
    'This zone asks for no guests',
    'Guests are named for places in members’ zones only.',
    no,
  ],
  hold_expired: [
    410,
    'The hold has expired',
    'Hold the seats again if they are still free. A sale that came too late names others in alternatives.',
    no,
  ],
  precondition_failed: [
    412,
    'It was changed in the meantime',
    'Read it again, apply the change to that, and send its revision in If-Match.',
    no,
  ],
  payload_too_large: [413, 'The body is too large', 'Send at most limit_bytes bytes.', no],
  unsupported_media_type: [
    415,
    'The body is of a kind that is not read here',
    'Send Content-Type: application/json; for an image, image/jpeg, image/png, image/webp or image/avif.',
    no,
  ],
  idempotency_key_reused: [422, 'The key was used for something else', 'Use a new Idempotency-Key.', no],
  image_invalid: [
    422,
    'The image can not be used',
    'See reason: not_an_image (send a JPEG, PNG, WebP or AVIF file), damaged, or too_many_pixels (at most 40 megapixels, and 20,000 pixels a side).',
    no,
  ],
  layout_invalid: [
    422,
    'The layout is not valid',
    'Nothing was saved. Mend every place listed in errors.',
    no,
  ],
  prices_invalid: [
    422,
    'The prices are not valid',
    'Nothing was saved. Mend every place listed in errors.',
    no,
  ],
  csv_invalid: [
    422,
    'The CSV is not valid',
    'Nothing was saved. Correct or remove every line listed in errors (the first 100 of faults), and send it again.',
    no,
  ],
  too_many_api_keys: [
    422,
    'The organization has enough API keys',
    'At most limit keys work at once. Delete one that no server uses any more.',
    no,
  ],
  too_many_ticket_keys: [
    422,
    'The organization has enough ticket keys',
    'At most limit keys verify tickets at once. Rotate with retire_older when tickets of the oldest no longer count.',
    no,
  ],
  too_many_notes: [
    422,
    'The order has as many notes as it can have',
    'An order has at most limit notes. This one was not saved.',
    no,
  ],
  refund_too_high: [
    422,
    'More would go back than there is',
    'At most available can go back: what is left of the payment, and what the named tickets cost. 0: no amount is known of the order.',
    no,
  ],
  whitelist_full: [
    422,
    'The whitelist is full',
    'A whitelist has at most limit entries. Nothing was saved. Remove some first.',
    no,
  ],
  hold_not_reducible: [
    422,
    'Only fewer places are possible',
    'Ask for fewer places than quantity, but at least 1. To give all of them back, or a seat, DELETE the hold.',
    no,
  ],
  companion_reserved: [
    409,
    'The seat is kept for a companion',
    'It is for the person beside the wheelchair place. Hold that place with it, or choose other seats.',
    no,
  ],
  sold_as_a_whole: [
    409,
    'These seats are sold together',
    'Ask for all of seat_ids with one request, or for none of them.',
    no,
  ],
  seats_differ: [
    409,
    'Tickets can not be moved to these seats',
    'See reason. Choose seats of the same price category, and in a members’ zone only for tickets of that zone; or refund the tickets and sell the other seats.',
    no,
  ],
  no_suitable_seats: [409, 'There are no such seats', 'See reason, and alternatives for what there is.', no],
  would_strand_seats: [
    409,
    'A single seat would be left alone',
    'Take one of the alternatives, or the seat as well: seat_ids would hardly be sold by themselves.',
    no,
  ],
  too_many_seats: [
    422,
    'Too many seats at once',
    'A booking has at most limit seats and places, those held already included.',
    no,
  ],
  quota_exceeded: [422, 'The limit is reached', 'Give something back first, or wait until holds expire.', no],
  precondition_required: [
    428,
    'Say which revision you change',
    'The event is on sale. Send the revision that you have read in If-Match, so that no change of another is lost.',
    no,
  ],
  rate_limited: [429, 'Too many requests', 'Wait for the number of seconds in Retry-After.', yes],
  images_unavailable: [
    501,
    'This server can not read images',
    'Its operator finds the reason in the log: the package sharp could not be loaded. All else works.',
    no,
  ],
  internal_error: [
    500,
    'Something went wrong on our side',
    'Report the request_id; nothing was half done.',
    yes,
  ],
  identity_provider_unavailable: [
    424,
    'The identity provider gave no answer that can be used',
    'See reason. Try again later, or ask an admin of the organization to test its settings.',
    no,
  ],
  busy: [503, 'Too busy just now', 'Repeat the request after the number of seconds in Retry-After.', yes],
  database_unavailable: [
    503,
    'The database is out of reach',
    'Repeat the request after Retry-After seconds.',
    yes,
  ],
  outcome_unknown: [
    503,
    'It is not known whether the request took effect',
    'The connection to the database was lost in the middle. Repeat the request with the same Idempotency-Key to find out; without a key, look at what is there before you repeat it.',
    yes,
  ],
} as const satisfies Record<Refusal['kind'], readonly [number, string, string, boolean]>

export const problemKinds = Object.fromEntries(
  Object.entries(rows).map(([kind, [status, title, detail, retryable]]) => [
    kind,
    { status, title, detail, retryable } satisfies ProblemKind,
  ]),
) as Record<Refusal['kind'], ProblemKind>
