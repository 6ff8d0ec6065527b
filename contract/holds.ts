import { Type } from 'typebox'
import { Data, DateTime, List, Nullable, Page, Strict, Uuid } from './common.ts'
import { pricedCart } from './prices.ts'
import { route } from './route.ts'
import { BestAvailable, Explanation, Warning } from './seat-choice.ts'

const staff = ['support', 'organizer', 'admin'] as const
const editors = ['organizer', 'admin'] as const

/** Refusals of a new hold, besides those that every route has. */
const holdRefusals = [
  'event_not_available',
  'event_sales_closed',
  'zone_access_denied',
  'zone_not_sold',
  'seat_not_found',
  'seat_held_by_another_user',
  'seat_not_available',
  'companion_reserved',
  'sold_as_a_whole',
  'too_many_seats',
  'quota_exceeded',
  'rate_limited',
] as const

const timing = {
  held_until: DateTime,
  held_until_unix: Type.Integer({ description: 'held_until in seconds since 1970' }),
  expires_in_seconds: Type.Integer({ minimum: 0 }),
}

const SeatHold = Strict({
  hold_id: Uuid,
  seat_id: Uuid,
  event_id: Uuid,
  zone_id: Uuid,
  zone_name: Type.String(),
  block_name: Type.String({ description: 'The same as zone_name, for older clients' }),
  row: Type.String(),
  seat_number: Type.Union([Type.Integer(), Type.String()]),
  status: Type.Literal('held'),
  ...timing,
  message: Type.String(),
})

const PlacesHold = Strict({
  hold_id: Uuid,
  event_id: Uuid,
  zone_id: Uuid,
  zone_name: Type.String(),
  block_name: Type.String(),
  quantity: Type.Integer(),
  status: Type.Literal('held'),
  ...timing,
  message: Type.String(),
})

const AnyHold = Type.Union([SeatHold, PlacesHold])

export const CartToken = Type.String({ minLength: 1, maxLength: 200 })

/** Staff alone send it. Buyers are warned: an order of theirs may be refused for it. */
const allowStranding = {
  allow_stranding: Type.Optional(
    Type.Boolean({ description: 'For staff: the seats may leave others alone, so there is no warning' }),
  ),
}

const ReservedSeat = Strict({ ...SeatHold.properties, warnings: Type.Array(Warning) })

export const reserveSeat = route({
  method: 'POST',
  path: '/api/events/:event/seats/:seat/reserve',
  summary: 'Hold one seat. Again by the same buyer while it lives: 200, the same hold',
  area: 'Buyers',
  access: 'signed_in',
  body: Strict({
    source: Type.Optional(
      Type.String({ maxLength: 100, description: 'Ignored: it follows from the credential' }),
    ),
    cart_token: Type.Optional(CartToken),
  }),
  bodyOptional: true,
  example: {},
  answers: { 200: Data(ReservedSeat), 201: Data(ReservedSeat) },
  refusals: holdRefusals,
  idempotencyKey: true,
})

export const createHolds = route({
  method: 'POST',
  path: '/api/events/:event/holds',
  summary:
    'Hold several seats, places in a zone without seats, or the best seats there are: all or nothing. Seats that are mine come back',
  area: 'Buyers',
  access: 'signed_in',
  body: Type.Union([
    Strict({
      seat_ids: Type.Array(Uuid, { minItems: 1, maxItems: 1_000 }),
      cart_token: Type.Optional(CartToken),
      ...allowStranding,
    }),
    Strict({
      zone_id: Uuid,
      quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
      cart_token: Type.Optional(CartToken),
    }),
    Strict({ best_available: BestAvailable, cart_token: Type.Optional(CartToken), ...allowStranding }),
  ]),
  example: { zone_id: '0197a000-0000-7000-8000-000000000003', quantity: 2 },
  answers: {
    201: Data(
      Strict({
        holds: Type.Array(AnyHold),
        held_until: DateTime,
        expires_in_seconds: Type.Integer(),
        warnings: Type.Array(Warning),
        explanation: Type.Optional(Explanation),
      }),
    ),
  },
  refusals: [...holdRefusals, 'zone_not_found', 'zone_at_capacity', 'no_suitable_seats'],
  idempotencyKey: true,
})

export const listMyHolds = route({
  method: 'GET',
  path: '/api/holds',
  summary: 'My holds that are alive',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict({ event_id: Type.Optional(Uuid) }),
  answers: { 200: List(AnyHold) },
})

export const readCart = route({
  method: 'GET',
  path: '/api/events/:event/cart',
  summary:
    'My living holds in an event, and what they cost, each as the first type of ticket of its category. They end ' +
    'together: held_until is the end of all of them',
  area: 'Buyers',
  access: 'signed_in',
  answers: {
    200: Data(
      Strict({
        holds: Type.Array(AnyHold),
        held_until: Nullable(DateTime),
        expires_in_seconds: Nullable(Type.Integer({ minimum: 0 })),
        warnings: Type.Array(Warning),
        timestamp: DateTime,
        ...pricedCart,
        payment: Nullable(
          Strict({
            checkout_id: Uuid,
            hold_ids: Type.Array(Uuid),
            total: Type.Integer(),
            currency: Type.String({ description: 'ISO 4217' }),
            decides: Type.Enum(['buyer', 'bank'], {
              description:
                '`buyer`: it was declined, or waits at the bank’s page: pay, or change the cart. `bank`: the cart stays as it is until the bank has decided',
            }),
          }),
        ),
      }),
    ),
  },
})

export const reduceHold = route({
  method: 'PATCH',
  path: '/api/holds/:hold',
  summary: 'Fewer places of a hold in a zone without seats. The others are free at once',
  area: 'Buyers',
  access: 'signed_in',
  body: Strict({
    quantity: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Places that stay. To give all of them back, DELETE the hold',
    }),
  }),
  example: { quantity: 3 },
  answers: { 200: Data(AnyHold) },
  refusals: ['hold_expired', 'event_not_available', 'hold_in_payment', 'hold_not_reducible'],
  idempotencyKey: true,
})

export const transferHolds = route({
  method: 'POST',
  path: '/api/holds/transfer',
  summary:
    "A guest's living holds become mine, with their clock: per event all of them or none. What the guest bought is among my orders from then on, if I have an account. Repeating it moves nothing more",
  area: 'Buyers',
  access: 'signed_in',
  whileSuspended: true,
  body: Strict({
    from_token: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'The token of a live guest session',
    }),
  }),
  example: { from_token: 'the token of the guest session' },
  answers: {
    200: Data(
      Strict({
        moved: Type.Array(
          Strict({
            event_id: Uuid,
            holds: Type.Array(AnyHold),
            held_until: DateTime,
            expires_in_seconds: Type.Integer({ minimum: 0 }),
          }),
        ),
        not_moved: Type.Array(
          Strict({
            event_id: Uuid,
            code: Type.String({ description: 'The code of a problem: why the holds stay with the guest' }),
            retryable: Type.Boolean(),
          }),
        ),
        orders: Type.Integer({ description: 'Orders of the guest that are my account’s now' }),
      }),
    ),
  },
})

export const extendHold = route({
  method: 'POST',
  path: '/api/holds/:hold/extend',
  summary:
    'Extend my cart by one of its holds: to five minutes from now, never past its cap, never backwards',
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: Data(AnyHold) },
  refusals: ['hold_expired', 'event_not_available'],
})

export const releaseHold = route({
  method: 'DELETE',
  path: '/api/holds/:hold',
  summary: 'Give a hold of mine back. Idempotent',
  area: 'Buyers',
  access: 'signed_in',
  whileSuspended: true,
  answers: {
    200: Data(
      Strict({
        hold_id: Uuid,
        status: Type.Enum(['cancelled', 'expired']),
        released_count: Type.Integer(),
      }),
    ),
  },
  refusals: ['seat_not_available', 'hold_in_payment'],
})

const SeatStatus = Type.Enum(['available', 'held', 'held_by_me', 'sold', 'blocked', 'reserved_companion'])

const ZoneCounts = Strict({
  zone_id: Uuid,
  capacity: Type.Integer(),
  available: Type.Integer(),
  held: Type.Integer(),
  sold: Type.Integer(),
  blocked: Type.Integer(),
  closed: Type.Boolean({ description: 'The event does not sell this zone now; what was sold stays sold' }),
})

export const readAvailability = route({
  method: 'GET',
  path: '/api/events/:event/availability',
  summary:
    'Seats that are not available, and counters. With Accept: application/octet-stream: two bits a seat by ordinal ' +
    '(0 available, 1 held, 2 sold, 3 blocked; the first seat in the lowest bits), Voelgoed-Seq header',
  area: 'Buyers',
  access: 'signed_in',
  answers: {
    200: Data(
      Strict({
        seq: Type.Integer(),
        seats: Type.Array(Strict({ seat_id: Uuid, status: SeatStatus })),
        zones: Type.Array(ZoneCounts),
      }),
    ),
    304: null,
  },
})

export const readSeat = route({
  method: 'GET',
  path: '/api/events/:event/seats/:seat',
  summary: 'One seat; the header Voelgoed-Tier says who answered',
  area: 'Buyers',
  access: 'signed_in',
  answers: {
    200: Data(
      Strict({ seat_id: Uuid, status: SeatStatus, expires_in_seconds: Type.Optional(Type.Integer()) }),
    ),
  },
})

export const readOccupancy = route({
  method: 'GET',
  path: '/api/events/:event/occupancy',
  summary: 'How full the event is, from counters',
  area: 'Buyers',
  access: 'signed_in',
  answers: {
    200: Data(
      Strict({
        available: Type.Integer(),
        held: Type.Integer(),
        sold: Type.Integer(),
        blocked: Type.Integer(),
        total: Type.Integer(),
        percent_available: Type.Number(),
        percent_held: Type.Number(),
        percent_sold: Type.Number(),
        seq: Type.Integer(),
        timestamp: DateTime,
        zones: Type.Array(ZoneCounts),
      }),
    ),
  },
})

export const createLiveToken = route({
  method: 'POST',
  path: '/api/events/:event/live-token',
  summary: 'A token of 60 seconds for the live feed, because EventSource can not set headers',
  area: 'Buyers',
  access: 'signed_in',
  whileSuspended: true,
  answers: { 201: Data(Strict({ token: Type.String(), expires_at: DateTime })) },
})

export const live = route({
  method: 'GET',
  path: '/api/events/:event/live',
  summary:
    'Server-sent events: every change of a seat, numbered; resumes from Last-Event-ID or asks for a new snapshot',
  area: 'Buyers',
  access: 'signed_in',
  query: Strict({
    token: Type.Optional(Type.String({ maxLength: 500 })),
    last_event_id: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', maxLength: 15 })),
  }),
  answers: { 200: null },
  refusals: ['rate_limited'],
  tokenInQuery: true,
})

const BlockBody = Strict({
  seat_ids: Type.Array(Uuid, { minItems: 1, maxItems: 10_000 }),
  reason: Type.String({ minLength: 1, maxLength: 500 }),
})
const blockExample = { seat_ids: ['0197a000-0000-7000-8000-000000000004'], reason: 'Camera position' }
const BlockAnswer = Data(
  Strict({
    seats_changed: Type.Integer(),
    blocked_by_overlay: Type.Integer({ description: 'Of these seats: the overlay keeps them blocked' }),
    seq: Type.Integer(),
  }),
)

export const blockSeats = route({
  method: 'POST',
  path: '/api/admin/events/:event/seats/block',
  summary: 'Take free seats out of the sale: all of them or none',
  area: 'Administration',
  access: editors,
  body: BlockBody,
  example: blockExample,
  answers: { 200: BlockAnswer },
  refusals: ['seat_not_found', 'seat_not_available', 'invalid_transition'],
  bodyLimitBytes: 1024 * 1024,
})

export const unblockSeats = route({
  method: 'POST',
  path: '/api/admin/events/:event/seats/unblock',
  summary: 'Put blocked seats back on sale',
  area: 'Administration',
  access: editors,
  body: BlockBody,
  example: blockExample,
  answers: { 200: BlockAnswer },
  refusals: ['seat_not_found', 'invalid_transition'],
  bodyLimitBytes: 1024 * 1024,
})

/** Holds that a release left as they are, or may have left. */
export const SkippedHolds = Type.Array(
  Strict({
    hold_id: Uuid,
    code: Type.String({
      description:
        'Why; busy, database_unavailable, internal_error: not released, ask again; outcome_unknown: look, or ask again',
    }),
  }),
)

export const releaseSeats = route({
  method: 'POST',
  path: '/api/admin/seats/release',
  summary: "Give buyers' holds back on their behalf",
  area: 'Administration',
  access: staff,
  body: Strict({
    hold_ids: Type.Array(Uuid, { minItems: 1, maxItems: 1_000 }),
    notes: Type.Optional(Type.String({ maxLength: 1_000 })),
    force: Type.Optional(Type.Boolean({ description: 'Also holds that are being paid for' })),
  }),
  example: { hold_ids: ['0197a000-0000-7000-8000-000000000005'], notes: 'Asked for by telephone' },
  answers: {
    200: Data(
      Strict({
        status: Type.Literal('released'),
        seats_released: Type.Integer(),
        reason: Type.Literal('admin_override'),
        released: Type.Array(Uuid),
        skipped: SkippedHolds,
      }),
    ),
  },
})

export const releaseEventHolds = route({
  method: 'POST',
  path: '/api/admin/events/:event/release',
  summary:
    "Release many of an event's holds: those of a zone, those of a user, or all. It works for at most five seconds; " +
    'repeat it until done',
  area: 'Administration',
  access: staff,
  body: Strict({
    zone_id: Type.Optional(Uuid),
    user_id: Type.Optional(Uuid),
    all: Type.Optional(Type.Literal(true)),
    notes: Type.String({ minLength: 1, maxLength: 1_000 }),
    force: Type.Optional(Type.Boolean({ description: 'Also holds that are being paid for' })),
  }),
  example: { all: true, notes: 'The hall is being rebuilt' },
  answers: {
    200: Data(
      Strict({
        holds_released: Type.Integer(),
        seats_released: Type.Integer(),
        remaining: Type.Integer({ description: 'Holds that are left: repeat the request' }),
        in_payment: Type.Integer({ description: 'Holds that are being paid for, passed over without force' }),
        done: Type.Boolean(),
        stopped_by: Nullable(
          Type.String({
            description:
              'The code of a failure after which the server stopped; after outcome_unknown more holds may be released ' +
              'than are counted here',
          }),
        ),
      }),
    ),
  },
  refusals: ['zone_not_found'],
})

export const listEventHolds = route({
  method: 'GET',
  path: '/api/admin/events/:event/holds',
  summary: 'Live holds of an event, oldest first; those of a user, a seat or a zone',
  area: 'Administration',
  access: staff,
  query: Strict({
    ...Page,
    user_id: Type.Optional(Uuid),
    seat_id: Type.Optional(Uuid),
    zone_id: Type.Optional(Uuid),
    source: Type.Optional(
      Type.Enum(['web', 'embed', 'api', 'scanner', 'admin'], {
        description:
          'By the credential: `web` and `embed` of buyers, on our page and on another site; `api` by an API key; `scanner` at a gate; `admin` of staff, at the box office',
      }),
    ),
  }),
  answers: {
    200: List(
      Strict({
        hold_id: Uuid,
        user_id: Uuid,
        seat_id: Nullable(Uuid),
        zone_id: Uuid,
        quantity: Type.Integer(),
        created_at: DateTime,
        held_until: DateTime,
        checkout_id: Nullable(Uuid),
        cart_token: Nullable(Type.String()),
        source: Type.String(),
      }),
    ),
  },
})
