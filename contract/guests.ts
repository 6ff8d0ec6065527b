import { Type } from 'typebox'
import { Data, Email, Nullable, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

/** By address, or a member by the id of their account. */
const Guest = Type.Union([Strict({ email: Email }), Strict({ user_id: Uuid })])

/** As the buyer has named them: by an id, no address is shown. */
const GuestAnswer = Nullable(Type.Union([Strict({ email: Type.String() }), Strict({ user_id: Uuid })]))

const HoldGuests = Data(
  Strict({
    hold_id: Uuid,
    event_id: Uuid,
    zone_id: Uuid,
    asks_for_guests: Type.Boolean({ description: "Whether the zone is a members' zone" }),
    guests: Type.Array(GuestAnswer, { description: 'One for each place; null: the place is my own' }),
  }),
)

const TicketGuest = Data(
  Strict({
    ticket_id: Uuid,
    event_id: Uuid,
    zone_id: Uuid,
    asks_for_guests: Type.Boolean(),
    guest: GuestAnswer,
  }),
)

export const readHoldGuests = route({
  method: 'GET',
  path: '/api/holds/:hold/guests',
  summary: "Who will have the places of a hold of mine in a members' zone",
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: HoldGuests },
  refusals: ['hold_expired'],
})

export const nameHoldGuests = route({
  method: 'PUT',
  path: '/api/holds/:hold/guests',
  summary:
    "Name the guests of a hold of mine in a members' zone, place by place: members as the zone asks for, or people on the " +
    "event's whitelist. What is null or left out is my own place. One place can be my own when I pay",
  area: 'Buyers',
  access: 'signed_in',
  body: Strict({ guests: Type.Array(Nullable(Guest), { maxItems: 1_000 }) }),
  example: { guests: [{ email: 'carla@example.org' }] },
  answers: { 200: HoldGuests },
  refusals: [
    'hold_expired',
    'hold_in_payment',
    'invalid_transition',
    'user_not_found',
    'guest_not_allowed',
    'guest_already_named',
    'guests_not_asked_for',
  ],
})

export const readTicketGuest = route({
  method: 'GET',
  path: '/api/tickets/:ticket/guest',
  summary: "Who has the place of a ticket of mine in a members' zone",
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: TicketGuest },
})

export const nameTicketGuest = route({
  method: 'PUT',
  path: '/api/tickets/:ticket/guest',
  summary:
    'Name another guest for a ticket of mine, or take the place myself (null), unless another ticket is my own place',
  area: 'Buyers',
  access: 'signed_in',
  whileSuspended: true,
  body: Strict({ guest: Nullable(Guest) }),
  example: { guest: { email: 'carla@example.org' } },
  answers: { 200: TicketGuest },
  refusals: [
    'user_not_found',
    'invalid_transition',
    'guest_not_allowed',
    'guests_not_named',
    'guest_already_named',
    'guests_not_asked_for',
  ],
})
