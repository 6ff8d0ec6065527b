import { FEE_BASES, PRICE_LIMITS } from '@voelgoed/core/prices/price-list'
import { Type } from 'typebox'
import { Data, Fault, Nullable, Strict, Uuid } from './common.ts'
import { CalendarDay } from './events.ts'
import { route } from './route.ts'

const editors = ['organizer', 'admin'] as const
const readers = ['support', 'organizer', 'admin'] as const

/** The faults of the list say all at once what a text may be; this bounds what is read. */
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Key = text(PRICE_LIMITS.keyLength)
const PriceName = text(PRICE_LIMITS.nameLength)
const Amount = Type.Integer({
  minimum: 0,
  maximum: PRICE_LIMITS.amount,
  description: 'In minor units of the currency: R800 is 80000. 0 is a price',
})

const TicketTypes = Type.Array(
  Strict({
    key: Key,
    name: PriceName,
    amount: Amount,
    note: Type.Optional(text(PRICE_LIMITS.noteLength)),
  }),
  {
    maxItems: PRICE_LIMITS.ticketTypes,
    description: 'The first is what a place costs until its buyer chooses another',
  },
)

const Fees = Type.Array(Strict({ name: PriceName, amount: Amount, per: Type.Enum([...FEE_BASES]) }), {
  maxItems: PRICE_LIMITS.fees,
})

const Tax = Strict({
  name: PriceName,
  percent: Type.Number({ minimum: 0, maximum: 100, description: 'At most three decimals' }),
  included: Type.Boolean({ description: 'The amounts include it; else it is added to their sum' }),
})

export const Admission = Strict({
  days: Type.Union([Type.Enum(['all']), Type.Array(CalendarDay, { maxItems: PRICE_LIMITS.days })]),
  entries_per_day: Type.Integer({ minimum: 1, maximum: PRICE_LIMITS.entriesPerDay }),
  reentry: Type.Boolean({ description: 'A person who was scanned out may come in again' }),
})

const ADMISSION = 'By category: on which days and how often its tickets open the gate'

const PricesBody = Strict({
  currency: Type.String({ pattern: '^[A-Z]{3}$', maxLength: 3, description: 'An ISO 4217 code, like ZAR' }),
  categories: Type.Array(
    Strict({
      key: Key,
      name: PriceName,
      colour: Type.Optional(Nullable(Type.String({ maxLength: 7, description: 'Like #7b3fa0' }))),
      ticket_types: TicketTypes,
    }),
    { maxItems: PRICE_LIMITS.categories },
  ),
  zones: Type.Optional(
    Type.Record(Uuid, Key, {
      additionalProperties: false,
      description: 'The category of places that have none of their own in the layout, by zone',
    }),
  ),
  fees: Type.Optional(Fees),
  tax: Type.Optional(Nullable(Tax)),
  admission: Type.Optional(Type.Record(Type.String(), Admission, { description: ADMISSION })),
})

const Categories = Type.Array(
  Strict({
    key: Type.String(),
    name: Type.String(),
    colour: Nullable(Type.String()),
    ticket_types: TicketTypes,
  }),
)

const priceList = {
  currency: Nullable(Type.String({ description: 'null: the event has no prices' })),
  categories: Categories,
  zones: Type.Record(Type.String(), Type.String()),
  fees: Fees,
  tax: Nullable(Tax),
}

const gateway = Type.Enum(['simulator', 'stripe', 'none'], {
  description:
    'Who takes the money of checkouts. `none`: what costs something can not be paid for here (409 `no_gateway`)',
})

const AdminPrices = Data(
  Strict({
    ...priceList,
    gateway,
    admission: Type.Record(Type.String(), Admission, { description: ADMISSION }),
    revision: Type.Integer({ description: '0: never set. What If-Match asks for when they are replaced' }),
    warnings: Type.Array(Fault, { description: 'What of the event can not be sold for money yet' }),
  }),
)

export const readPrices = route({
  method: 'GET',
  path: '/api/events/:event/prices',
  summary:
    'What places cost. A seat has its own price category of the layout, else that of its zone; one without a category ' +
    'can not be paid for here',
  area: 'Buyers',
  access: 'signed_in',
  answers: { 200: Data(Strict({ ...priceList, gateway })) },
})

export const readAdminPrices = route({
  method: 'GET',
  path: '/api/admin/events/:event/prices',
  summary: 'The price list of an event, with its revision and what has no price yet',
  area: 'Administration',
  access: readers,
  answers: { 200: AdminPrices },
})

export const replacePrices = route({
  method: 'PUT',
  path: '/api/admin/events/:event/prices',
  summary:
    'Replace the price list of an event. Members left out are emptied; without categories it has no prices. What was ' +
    'sold keeps its price. If-Match takes the revision that was read, and is needed once the event is on sale',
  area: 'Administration',
  access: editors,
  body: PricesBody,
  example: {
    currency: 'ZAR',
    categories: [
      {
        key: 'premium',
        name: 'Premium',
        colour: '#7b3fa0',
        ticket_types: [
          { key: 'adult', name: 'Adult', amount: 80_000 },
          { key: 'child', name: 'Child', amount: 40_000, note: 'up to 12' },
        ],
      },
    ],
    zones: { '0197a000-0000-7000-8000-000000000003': 'premium' },
    fees: [{ name: 'Booking fee', amount: 1_500, per: 'ticket' }],
    tax: { name: 'VAT', percent: 15, included: true },
    admission: { premium: { days: 'all', entries_per_day: 1, reentry: false } },
  },
  answers: { 200: AdminPrices },
  refusals: ['prices_invalid', 'invalid_transition', 'precondition_required', 'precondition_failed'],
  bodyLimitBytes: 1024 * 1024,
})

/** A cart costs this: sum of lines + fees + tax unless it is included = total. */
export const pricedCart = {
  lines: Type.Array(
    Strict({
      hold_id: Uuid,
      seat_id: Type.Optional(Uuid),
      zone_id: Uuid,
      label: Type.String(),
      category: Type.String(),
      ticket_type: Type.String(),
      quantity: Type.Integer(),
      unit_amount: Type.Integer(),
      amount: Type.Integer(),
    }),
    { description: 'What costs how much. Empty while a hold has no price' },
  ),
  fees: Type.Array(Strict({ name: Type.String(), amount: Type.Integer() })),
  tax: Nullable(
    Strict({
      name: Type.String(),
      percent: Type.Number(),
      included: Type.Boolean(),
      amount: Type.Integer({ description: 'Rounded once for the cart, half a minor unit up' }),
    }),
  ),
  total: Nullable(Type.Integer({ description: 'null: not priced' })),
  currency: Nullable(Type.String()),
  not_priced: Type.Array(Uuid, { description: 'Holds without a price: they can not be paid for here' }),
}
