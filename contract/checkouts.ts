import { ORDER_STATUSES } from '@voelgoed/core/orders/order'
import { Type } from 'typebox'
import { Data, DateTime, Email, Name, Nullable, Strict, Uuid } from './common.ts'
import { MAX_HOLDS_OF_ORDER } from './orders.ts'
import { route } from './route.ts'

const Amount = Type.Integer({ description: 'In minor units of the currency: cents' })
const Attendee = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })

const Declined = Strict({ code: Type.String(), message: Type.String() })

const Checkout = {
  checkout_id: Uuid,
  order_number: Type.String({ description: 'What people read to each other' }),
  status: Type.Enum([...ORDER_STATUSES], {
    description:
      '`open`: to be paid. `paying`: the gateway has not said yet. `refunded`: the money came too late and goes back, or the order was taken back',
  }),
  event_id: Uuid,
  expires_at: DateTime,
  expires_in_seconds: Type.Integer({ description: '0: the holds have run out' }),
  currency: Type.String({ description: 'ISO 4217' }),
  lines: Type.Array(
    Strict({
      hold_id: Uuid,
      seat_id: Type.Optional(Uuid),
      zone_id: Uuid,
      label: Type.String(),
      ticket_type: Type.String(),
      quantity: Type.Integer(),
      unit_amount: Amount,
      amount: Amount,
      attendee: Nullable(Type.String()),
    }),
  ),
  fees: Type.Array(Strict({ name: Type.String(), amount: Amount })),
  tax: Nullable(
    Strict({ name: Type.String(), percent: Type.Number(), included: Type.Boolean(), amount: Amount }),
  ),
  total: Amount,
  gateway: Type.Enum(['simulator', 'stripe', 'none'], {
    description: 'Who takes the money. `none`: it costs nothing',
  }),
  contact: Strict({ name: Nullable(Type.String()), email: Nullable(Type.String()) }),
  accept_alternatives: Type.Boolean(),
  order_id: Nullable(Uuid),
  late: Nullable(
    Type.Enum(['same_places', 'other_places', 'refund'], {
      description:
        'The money came after the holds had run out: the same places were still free, others of the same price were given, or the money goes back',
    }),
  ),
  declined: Nullable(Declined),
}

export const openCheckout = route({
  method: 'POST',
  path: '/api/checkouts',
  summary:
    'Begin to pay for holds of mine: all that are alive unless hold_ids names some. The server says what they cost, and that stays. The time of the holds goes on. Repeated for the same holds, it is the same checkout; for others, or at another price, it takes the place of one that waits for the buyer, also after a payment that was declined or left at the bank’s page',
  area: 'Buyers',
  access: 'signed_in',
  body: Strict({
    event_id: Uuid,
    hold_ids: Type.Optional(Type.Array(Uuid, { minItems: 1, maxItems: MAX_HOLDS_OF_ORDER })),
    items: Type.Optional(
      Type.Array(
        Strict({
          hold_id: Uuid,
          ticket_type: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
          attendee: Type.Optional(Attendee),
        }),
        {
          maxItems: 1_000,
          description:
            'What holds are bought as; the first type of their category if left out. A hold of several places is named once for all of them, or once for each',
        },
      ),
    ),
    contact: Strict({ name: Name, email: Email }),
    accept_alternatives: Type.Optional(
      Type.Boolean({
        description: 'If the money comes too late for these seats, as many of the same price will do',
      }),
    ),
  }),
  example: {
    event_id: '0197a000-0000-7000-8000-000000000006',
    contact: { name: 'Ben', email: 'ben@example.org' },
  },
  answers: { 201: Data(Strict(Checkout)), 200: Data(Strict(Checkout)) },
  refusals: [
    'event_not_found',
    'event_not_available',
    'nothing_to_pay_for',
    'not_priced',
    'no_gateway',
    'hold_not_found',
    'hold_expired',
    'hold_in_payment',
    'hold_changed',
    'zone_access_denied',
    'guest_not_allowed',
    'guests_not_named',
    'companion_reserved',
    'sold_as_a_whole',
    'would_strand_seats',
    'total_too_large',
    'checkout_closed',
  ],
  idempotencyKey: true,
})

export const readCheckout = route({
  method: 'GET',
  path: '/api/checkouts/:checkout',
  summary: 'A checkout of mine, and what became of it',
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: Data(Strict(Checkout)) },
})

export const cancelCheckout = route({
  method: 'DELETE',
  path: '/api/checkouts/:checkout',
  summary:
    'Cancel a checkout of mine: its holds are released. Money that comes all the same goes back. Idempotent. ' +
    'keep_holds=true: the holds stay mine, to change the cart and begin again; its payment is cancelled at the ' +
    'gateway first, and not while a bank decides on it',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict({ keep_holds: Type.Optional(Type.Enum(['true', 'false'])) }),
  answers: { 200: Data(Strict(Checkout)) },
  refusals: ['checkout_closed', 'payment_undecided'],
  whileSuspended: true,
})

export const payCheckout = route({
  method: 'POST',
  path: '/api/checkouts/:checkout/pay',
  summary:
    'Pay. The holds last 15 minutes longer, once. Repeating it never charges twice, and answers what has become of the payment. The simulator takes a test card, Stripe nothing: next says how the buyer goes on. While it is paying without a next step, ask GET until it is decided',
  area: 'Buyers',
  access: 'signed_in',
  body: Strict({
    card: Type.Optional(
      Strict({
        number: Type.String({ minLength: 1, maxLength: 40 }),
        expiry: Type.String({ minLength: 1, maxLength: 20 }),
        cvc: Type.String({ minLength: 1, maxLength: 10 }),
      }),
    ),
    total: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'What the buyer has seen that it costs. If it costs something else, nothing is charged',
      }),
    ),
  }),
  bodyOptional: true,
  bodyLimitBytes: 4_096,
  example: { card: { number: '4242 4242 4242 4242', expiry: '12/30', cvc: '123' } },
  answers: {
    200: Data(
      Strict({
        checkout_id: Uuid,
        status: Type.Enum([...ORDER_STATUSES]),
        next: Type.Optional(
          Type.Union([
            Strict({ kind: Type.Literal('redirect'), url: Type.String() }),
            Strict({
              kind: Type.Literal('stripe'),
              client_secret: Type.String(),
              publishable_key: Type.String(),
              account: Nullable(Type.String()),
            }),
          ]),
        ),
        declined: Type.Optional(Declined),
        order_id: Type.Optional(Uuid),
      }),
    ),
  },
  refusals: [
    'event_not_available',
    'no_gateway',
    'hold_expired',
    'hold_in_payment',
    'hold_changed',
    'checkout_closed',
    'total_changed',
    'zone_access_denied',
    'guest_not_allowed',
    'guests_not_named',
    'companion_reserved',
    'sold_as_a_whole',
    'would_strand_seats',
  ],
})
