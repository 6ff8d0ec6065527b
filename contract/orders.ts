import {
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  REFUND_STATUSES,
  SALES_CHANNELS,
  STAFF_METHODS,
} from '@voelgoed/core/orders/order'
import { type TProperties, Type } from 'typebox'
import { Data, DateTime, Email, List, Name, Nullable, Page, Strict, Uuid } from './common.ts'
import { CartToken } from './holds.ts'
import { MAIL_STATUSES } from './mails.ts'
import { route } from './route.ts'

/** A booking of a club or of a school. Larger ones are several orders. */
export const MAX_HOLDS_OF_ORDER = 200
const MAX_ATTENDEES_OF_ORDER = 1_000

/** Each may have hundreds of tickets, and each ticket is signed. */
export const MAX_MY_ORDERS = 20

const Amount = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000_000,
  description: 'In minor units of the currency: cents',
})
const Currency = Type.String({ pattern: '^[A-Z]{3}$', maxLength: 3, description: 'ISO 4217' })
const TicketType = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
const Reference = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description:
    "The seller's own name for the order, unique in the organization: repeating it gives the same order",
})
const Method = Type.Enum([...STAFF_METHODS], {
  description:
    'How the money came. `external`: a platform with a checkout of its own has it, and sells the holds of any buyer; the others sell what the caller holds',
})
const PaymentMethod = Type.Enum([...STAFF_METHODS, 'gateway'])
const OrderStatus = Type.Enum([...ORDER_STATUSES])
export const Channel = Type.Enum([...SALES_CHANNELS], {
  description:
    'Where it was sold: `page` on our page, `embed` to buyers who chose in our component on another site, `api` by a platform, `box_office` by staff',
})
const Phone = Type.String({
  minLength: 3,
  maxLength: 40,
  pattern: '^[+(0-9][0-9 ()./+-]*$',
  description: 'A telephone number as people write it: digits, spaces, ( ) . / + -',
})
const Contact = Strict({
  name: Type.Optional(Name),
  email: Type.Optional(Email),
  phone: Type.Optional(Phone),
})
const ContactAnswer = Nullable(
  Strict({
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    phone: Nullable(Type.String()),
  }),
)

const Ticket = {
  ticket_id: Uuid,
  status: Type.Enum(['valid', 'void']),
  zone_id: Uuid,
  zone_name: Type.String(),
  seat_id: Nullable(Uuid),
  row: Nullable(Type.String()),
  seat_number: Nullable(Type.Union([Type.Integer(), Type.String()])),
  ticket_type: Nullable(Type.String()),
  attendee: Nullable(Type.String({ description: 'Whose ticket it is, if it was said' })),
  version: Type.Integer({ description: 'From 1; reissuing raises it, and older paper stops working' }),
  entries: Type.Integer({ description: 'How often a gate has admitted it' }),
}

const SignedTicket = {
  ...Ticket,
  token: Nullable(
    Type.String({
      description: 'What its QR code holds: a gate admits the person who shows it. null: the ticket is void',
    }),
  ),
}

/** This is what staff see of a refund beside its status. */
const StaffRefund = {
  by_hand: Type.Boolean({ description: 'Staff give the money back themselves, or have done so' }),
  asked_amount: Nullable(
    Type.Integer({
      description:
        'What the gateway is asked for. Less than the amount: the rest went back on its own pages. null: no gateway is asked',
    }),
  ),
  told: Nullable(Type.String({ description: 'What the gateway last said of it, until it is done' })),
  given_up: Type.Boolean({ description: 'It is not tried again until staff say so' }),
  by_choice: Type.Integer({
    description: 'So much more than the tickets that were taken back cost, or less: staff chose the amount',
  }),
}

const orderOf = <T extends TProperties, R extends TProperties>(ticket: T, refund: R) => ({
  order_id: Uuid,
  order_number: Type.String({ description: 'What people read to each other' }),
  status: OrderStatus,
  event: Strict({ id: Uuid, name: Type.String() }),
  created_at: DateTime,
  currency: Nullable(Currency),
  total: Nullable(Type.Integer({ description: 'null: the seller did not say what was paid' })),
  lines: Type.Array(
    Strict({
      ticket_id: Uuid,
      label: Type.String({ description: 'The zone, and the seat' }),
      ticket_type: Nullable(Type.String()),
      amount: Nullable(Type.Integer()),
    }),
  ),
  tickets: Type.Array(Strict(ticket)),
  payments: Type.Array(
    Strict({
      method: PaymentMethod,
      status: Type.Enum([...PAYMENT_STATUSES]),
      amount: Nullable(Type.Integer()),
      refunded_amount: Type.Integer(),
    }),
  ),
  refunds: Type.Array(
    Strict({
      refund_id: Uuid,
      amount: Nullable(Type.Integer()),
      status: Type.Enum([...REFUND_STATUSES], {
        description:
          '`pending`: the gateway has it, or staff owe it. `failed`: the gateway could not pay, or a bank sent the money back after it was `done`; it is tried again',
      }),
      reason: Type.String(),
      created_at: DateTime,
      ...refund,
    }),
  ),
})

const Order = orderOf(SignedTicket, {})

const StaffPart = {
  user_id: Nullable(Type.String({ description: 'The buyer' })),
  sold_by: Nullable(Type.String({ description: 'The member of staff, or the API key' })),
  channel: Channel,
  disputes: Type.Array(
    Strict({
      dispute_id: Type.String(),
      status: Type.Enum(['open', 'won', 'lost']),
      amount: Type.Integer(),
      currency: Currency,
      reason: Type.String(),
    }),
    { description: 'The bank of the buyer takes money back' },
  ),
  refunded_at_gateway: Type.Array(
    Strict({
      gateway_refund_id: Type.String(),
      amount: Type.Integer(),
      status: Type.Enum([...REFUND_STATUSES]),
      created_at: DateTime,
    }),
    {
      description:
        'Money that went back on the gateway’s own pages. The tickets stay valid until the order is refunded here. A refund here gives its whole amount back; where the gateway has less left, what is left',
    },
  ),
  reference: Nullable(Type.String()),
  contact: ContactAnswer,
}
const StaffOrder = {
  ...orderOf(SignedTicket, StaffRefund),
  ...StaffPart,
  sold_by_name: Nullable(
    Type.String({
      description:
        'What people know the seller by: the e-mail address of the member of staff, or the name of the API key. null: the buyer paid for it themselves',
    }),
  ),
}
/** Such answers are kept under their idempotency key, so they have no tokens. */
export const ChangedOrder = { ...orderOf(Ticket, StaffRefund), ...StaffPart }

const OrderSummary = Strict({
  order_id: Uuid,
  order_number: Type.String(),
  status: OrderStatus,
  event: Strict({ id: Uuid, name: Type.String() }),
  created_at: DateTime,
  currency: Nullable(Currency),
  total: Nullable(Type.Integer()),
  tickets: Type.Integer({ description: 'How many, void ones included' }),
  user_id: Uuid,
  channel: Channel,
  reference: Nullable(Type.String()),
  contact: ContactAnswer,
})

/** Lists of orders take these filters. */
export const OrderFilter = {
  event_id: Type.Optional(Uuid),
  query: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })),
  status: Type.Optional(OrderStatus),
}

export const createOrder = route({
  method: 'POST',
  path: '/api/admin/orders',
  summary:
    'Sell holds for which the money is there: at the box office, or by a platform with a checkout of its own. Holds become tickets, all or none. Holds that have run out are sold as well while their places are free; else the refusal names alternatives',
  area: 'Administration',
  access: ['organizer', 'admin'],
  body: Strict({
    event_id: Uuid,
    hold_ids: Type.Optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: MAX_HOLDS_OF_ORDER,
        description: 'Of one buyer. Give these or cart_token',
      }),
    ),
    cart_token: Type.Optional(CartToken),
    method: Method,
    reference: Type.Optional(Reference),
    contact: Type.Optional(Contact),
    currency: Type.Optional(Currency),
    lines: Type.Optional(
      Type.Array(Strict({ hold_id: Uuid, amount: Amount, ticket_type: Type.Optional(TicketType) }), {
        minItems: 1,
        maxItems: MAX_HOLDS_OF_ORDER,
        description: 'What each place of each hold cost: all of the holds, with a currency',
      }),
    ),
    attendees: Type.Optional(
      Type.Array(Strict({ hold_id: Uuid, attendee: Name }), {
        minItems: 1,
        maxItems: MAX_ATTENDEES_OF_ORDER,
        description:
          'Whose tickets they are. A hold of many places may be named once for each of them, in their order',
      }),
    ),
    allow_stranding: Type.Optional(
      Type.Boolean({ description: 'The order may leave single seats alone, whatever the policy says' }),
    ),
  }),
  example: {
    event_id: '0197a000-0000-7000-8000-000000000006',
    hold_ids: ['0197a000-0000-7000-8000-000000000005'],
    method: 'external',
    reference: 'shop-2027-0042',
    contact: { name: 'Ben', email: 'ben@example.org' },
  },
  answers: {
    201: Data(
      Strict({
        ...ChangedOrder,
        secret: Nullable(
          Type.String({
            description:
              'Opens the order to its buyer. Shown again only to a booking with the same `reference`',
          }),
        ),
      }),
    ),
    200: Data(
      Strict({
        ...ChangedOrder,
        secret: Nullable(
          Type.String({ description: 'The same again. null: of an order from before it was repeated' }),
        ),
      }),
    ),
  },
  refusals: [
    'event_not_found',
    'hold_not_found',
    'hold_expired',
    'hold_in_payment',
    'event_not_available',
    'hold_sold',
    'zone_access_denied',
    'guest_not_allowed',
    'guests_not_named',
    'companion_reserved',
    'sold_as_a_whole',
    'would_strand_seats',
    'already_exists',
  ],
  idempotencyKey: true,
})

export const listOrders = route({
  method: 'GET',
  path: '/api/admin/orders',
  summary:
    'Orders, newest first. query: an order number, a reference, the id of an order or of its buyer; or words, each of them the beginning of a name, a part of the e-mail address or the telephone number, or a seat (`D-11`). Accents and case do not matter, and an order has to match all of the words. Where words are in very many orders a page may have fewer orders than its limit, and still a `next`',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  query: Strict({ ...Page, ...OrderFilter }),
  answers: { 200: List(OrderSummary) },
})

export const readOrder = route({
  method: 'GET',
  path: '/api/admin/orders/:order',
  summary: 'An order with its tickets, as they can be shown at a gate, and its money',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  answers: { 200: Data(Strict(StaffOrder)) },
})

export const refundOrder = route({
  method: 'POST',
  path: '/api/admin/orders/:order/refund',
  summary:
    'Take tickets back: they are void and their seats on sale again at once, then the money is recorded as given back. What was sold as a whole is taken back as a whole. `amount`: so much goes back, and not what the tickets cost; what is kept stays with the order. With `keep_tickets` money goes back and all tickets stay valid',
  area: 'Administration',
  access: ['organizer', 'admin'],
  body: Strict({
    ticket_ids: Type.Optional(
      Type.Array(Uuid, { minItems: 1, maxItems: 10_000, description: 'Left out: all that are valid' }),
    ),
    amount: Type.Optional(Amount),
    keep_tickets: Type.Optional(
      Type.Boolean({
        description:
          'Needs an amount above 0: of ticket_ids at most what they cost, else what is left of the payment',
      }),
    ),
    reason: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }),
  }),
  example: { reason: 'The buyer is ill' },
  answers: { 200: Data(Strict(ChangedOrder)) },
  refusals: ['ticket_not_found', 'ticket_void', 'invalid_transition', 'sold_as_a_whole', 'refund_too_high'],
  idempotencyKey: true,
})

export const moveOrder = route({
  method: 'POST',
  path: '/api/admin/orders/:order/move',
  summary:
    'Move tickets to other seats that are free and cost the same: each gets a new ticket, what was printed or shown of the old one opens no gate any more, its seat is on sale again at once, and the buyer gets a mail. All of them move, or none. Single seats may be left alone: that rule is for buyers. A move to another price is a refund and a sale',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  body: Strict({
    moves: Type.Array(Strict({ ticket_id: Uuid, seat_id: Uuid }), {
      minItems: 1,
      maxItems: MAX_HOLDS_OF_ORDER,
      description: 'Which ticket goes to which seat; no ticket and no seat twice',
    }),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' })),
  }),
  example: {
    moves: [
      {
        ticket_id: '0197a000-0000-7000-8000-000000000009',
        seat_id: '0197a000-0000-7000-8000-000000000004',
      },
    ],
    reason: 'The buyer wants an aisle',
  },
  answers: { 200: Data(Strict(ChangedOrder)) },
  refusals: [
    'ticket_not_found',
    'ticket_void',
    'ticket_used',
    'seat_not_found',
    'seat_not_available',
    'seat_held_by_another_user',
    'seats_differ',
    'zone_access_denied',
    'zone_not_sold',
    'companion_reserved',
    'sold_as_a_whole',
    'event_not_available',
  ],
  idempotencyKey: true,
})

/** null: the order has no e-mail address, or another person than its buyer opened it with the secret. */
const OrderMail = Strict({
  to: Type.String({ description: 'The address of the order' }),
  status: Nullable(
    Type.Enum([...MAIL_STATUSES], {
      description:
        'Of the last mail with the tickets to this address. `kept`: no mail server is configured. null: there was none, or it is too long ago',
    }),
  ),
  ended_at: Nullable(DateTime),
})

export const changeOrderContact = route({
  method: 'PATCH',
  path: '/api/admin/orders/:order/contact',
  summary:
    'Mend the name, the e-mail address or the telephone number of an order; null removes one. All later mails go to the new address. With `send_tickets` the tickets are sent there: then what was mailed to the address before opens nothing any more, its links end, and tickets that were not used yet are issued again',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  body: Strict({
    name: Type.Optional(Nullable(Name)),
    email: Type.Optional(Nullable(Email)),
    phone: Type.Optional(Nullable(Phone)),
    send_tickets: Type.Optional(Type.Boolean()),
  }),
  example: { name: 'Pieter Botha', email: 'pieter@example.org', phone: '082 555 0147', send_tickets: true },
  answers: {
    200: Data(
      Strict({
        order: Strict(ChangedOrder),
        mail: Nullable(OrderMail),
        reissued: Type.Integer({ description: 'Tickets issued again' }),
      }),
    ),
  },
  refusals: ['invalid_transition', 'rate_limited'],
})

/** An order has so many. Staff who want to say more have a place for it elsewhere. */
export const MAX_NOTES_OF_ORDER = 100

const OrderNote = Strict({
  note_id: Uuid,
  note: Type.String(),
  written_by: Uuid,
  written_by_name: Nullable(
    Type.String({ description: 'The e-mail address of the member of staff, or the name of the API key' }),
  ),
  created_at: DateTime,
})

export const listOrderNotes = route({
  method: 'GET',
  path: '/api/admin/orders/:order/notes',
  summary: `What staff have noted on an order for each other, newest first: at most ${MAX_NOTES_OF_ORDER} notes`,
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  answers: { 200: Data(Type.Array(OrderNote)) },
})

export const addOrderNote = route({
  method: 'POST',
  path: '/api/admin/orders/:order/notes',
  summary: 'Note something on an order for other staff. Buyers never see it. A note stays as it is',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  body: Strict({ note: Type.String({ minLength: 1, maxLength: 1_000, pattern: '\\S' }) }),
  example: { note: 'His wife uses a stick: an aisle seat, if one comes free.' },
  answers: { 201: Data(OrderNote) },
  refusals: ['too_many_notes'],
  idempotencyKey: true,
})

export const listMyOrders = route({
  method: 'GET',
  path: '/api/orders',
  summary:
    'What I have bought, with its tickets, newest first: at most 20 orders a page. With a proven address also what was sold to it without an account',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict(Page),
  answers: { 200: List(Strict(Order)) },
})

/** Mails with tickets that a buyer asks for in 24 hours: of one order, and of all of theirs. */
export const MAX_MAILS_OF_ORDER = 5
export const MAX_MAILS_OF_BUYER = 10

export const readMyOrder = route({
  method: 'GET',
  path: '/api/orders/:order',
  summary:
    'An order of mine with its tickets. With the secret of its link it opens to any session of the organization, a guest’s too',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict({ secret: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }),
  exampleQuery: ['secret'],
  answers: {
    200: Data(
      Strict({
        ...Order,
        mail: Nullable(OrderMail),
      }),
    ),
  },
})

export const sendMyOrder = route({
  method: 'POST',
  path: '/api/orders/:order/resend',
  summary: `Send the tickets of an order of mine again. With another e-mail address: there, and all later mails as well. What was mailed to the address before opens nothing any more: its links end, and tickets that were not used yet are issued again. At most ${MAX_MAILS_OF_ORDER} mails a day for an order, and ${MAX_MAILS_OF_BUYER} for a buyer`,
  area: 'Buyers',
  access: 'signed_in',
  whileSuspended: true,
  body: Strict({ email: Type.Optional(Email) }),
  bodyOptional: true,
  example: { email: 'ann@example.org' },
  answers: {
    201: Data(Strict({ mail: OrderMail, reissued: Type.Integer({ description: 'Tickets issued again' }) })),
  },
  refusals: ['invalid_transition', 'rate_limited'],
  idempotencyKey: true,
})
