import { Type } from 'typebox'
import { Cursor, Data, DateTime, Nullable, Strict, Uuid } from './common.ts'
import { CalendarDay } from './events.ts'
import { Channel, OrderFilter } from './orders.ts'
import { route } from './route.ts'

const staff = ['support', 'organizer', 'admin'] as const
/** Money is for those who run the organization. */
const editors = ['organizer', 'admin'] as const

/** Points of a series: a year of days, or twelve weeks of hours. */
export const MAX_POINTS = 2_000
/** Events of one report. */
export const MAX_REPORTED_EVENTS = 500
/** Orders of one file. */
export const MAX_EXPORTED_ORDERS = 5_000

const Count = Type.Integer({ minimum: 0 })
const Key = Nullable(Type.String({ description: 'null: sold without a price list' }))
const KeyName = Nullable(Type.String({ description: 'null: the price list has it no more' }))

const counts = {
  sold: Type.Integer({ minimum: 0, description: 'Tickets, those that came back included' }),
  returned: Type.Integer({ minimum: 0, description: 'Of these: void' }),
}
const places = {
  capacity: Count,
  held: Type.Integer({ minimum: 0, description: 'Now, as holds do' }),
  taken: Type.Integer({ minimum: 0, description: 'Places that are sold now' }),
  blocked: Count,
}
const zone = { zone_id: Uuid, zone_name: Type.String() }
const category = { category: Key, category_name: KeyName }
const ticketType = {
  ...category,
  ticket_type: Nullable(Type.String()),
  ticket_type_name: KeyName,
}
const event = {
  event_id: Uuid,
  event_name: Type.String(),
  status: Type.String(),
  starts_at: Nullable(DateTime),
}

const LeftOut = Type.Integer({
  minimum: 0,
  description: `Events beyond the ${MAX_REPORTED_EVENTS} that sold most`,
})
const range = {
  from: Type.Optional(DateTime),
  to: Type.Optional(DateTime),
}
const RANGE =
  'Of orders made between from and to, at most 366 days; left out: the last 30 days. Days are those of the organization’s clock'

const salesParts = {
  orders: Count,
  ...counts,
  ...places,
  zones: Type.Array(Strict({ ...zone, ...counts, ...places })),
  categories: Type.Array(Strict({ ...category, ...counts })),
  ticket_types: Type.Array(Strict({ ...ticketType, ...counts })),
  channels: Type.Array(Strict({ channel: Channel, orders: Count, ...counts })),
}

export const readEventSales = route({
  method: 'GET',
  path: '/api/admin/events/:event/sales',
  summary: 'What an event has sold: by zone, price category, ticket type and channel',
  area: 'Administration',
  access: staff,
  answers: {
    200: Data(
      Strict({
        event_id: Uuid,
        time_zone: Type.String(),
        ...salesParts,
      }),
    ),
  },
})

export const readSalesSeries = route({
  method: 'GET',
  path: '/api/admin/events/:event/sales/series',
  summary: `How fast an event sells: tickets by days or hours of the venue’s clock, at most ${MAX_POINTS} steps`,
  area: 'Administration',
  access: staff,
  query: Strict({
    ...range,
    step: Type.Optional(Type.Enum(['day', 'hour'], { description: 'Left out: day' })),
  }),
  answers: {
    200: Data(
      Strict({
        event_id: Uuid,
        time_zone: Type.String(),
        step: Type.Enum(['day', 'hour']),
        series: Type.Array(
          Strict({
            from: DateTime,
            sold: Type.Integer({ minimum: 0, description: 'Tickets that were sold in this step' }),
            returned: Type.Integer({ minimum: 0, description: 'Tickets that became void in this step' }),
          }),
          { description: 'Steps without either are left out' },
        ),
      }),
    ),
  },
})

const Currency = Type.String({ description: 'ISO 4217' })
const money = {
  currency: Currency,
  orders: Count,
  gross: Type.Integer({ description: 'What buyers paid, fees and tax included' }),
  refunds: Type.Integer({ description: 'Of it, what goes back, or went back' }),
  net: Type.Integer({ description: 'gross, less all that goes back' }),
}
const Total = Strict({
  ...money,
  fees: Type.Integer({ description: 'In gross: as sold, those that went back included' }),
  tax: Type.Integer({ description: 'In gross, as far as it is known: as sold' }),
  tax_unknown: Type.Integer({
    description: 'Gross of orders whose seller did not say how much of it is tax',
  }),
  refunds_owed: Type.Integer({ description: 'In refunds: not given back yet' }),
  refunded_at_gateway: Type.Integer({
    description: 'Went back on the gateway’s own pages, without a refund here',
  }),
  disputes_lost: Type.Integer({ description: 'Taken back by the banks of buyers' }),
})
/** Tickets cost this; fees, and a tax on top, belong to orders. */
const ticketMoney = {
  currency: Currency,
  ...counts,
  amount: Type.Integer({ description: 'What the tickets cost, without fees and a tax on top' }),
  returned_amount: Type.Integer({ description: 'In amount: of tickets that came back' }),
}
const WithoutAmount = Type.Integer({
  minimum: 0,
  description: 'Orders whose seller counts the money elsewhere: in none of the sums',
})
const moneyParts = {
  totals: Type.Array(Total, { description: 'One for each currency' }),
  orders_without_amount: WithoutAmount,
  channels: Type.Array(Strict({ channel: Channel, ...money })),
  days: Type.Array(Strict({ day: CalendarDay, ...money }), {
    description: 'By the day on which the order was made',
  }),
}

export const readEventRevenue = route({
  method: 'GET',
  path: '/api/admin/events/:event/revenue',
  summary:
    'The money of an event: gross, fees, tax, refunds, net; by zone, price category, ticket type, channel and day of the venue’s clock. All of its orders are in it',
  area: 'Administration',
  access: editors,
  answers: {
    200: Data(
      Strict({
        event_id: Uuid,
        time_zone: Type.String(),
        ...moneyParts,
        zones: Type.Array(Strict({ ...zone, ...ticketMoney })),
        categories: Type.Array(Strict({ ...category, ...ticketMoney })),
        ticket_types: Type.Array(Strict({ ...ticketType, ...ticketMoney })),
        sales: Strict(salesParts, {
          description: 'The tickets at the same moment, as GET /api/admin/events/:event/sales tells of them',
        }),
      }),
    ),
  },
})

export const readSales = route({
  method: 'GET',
  path: '/api/admin/sales',
  summary: `What all events have sold, by event, channel and day, and what became of holds meanwhile. ${RANGE}`,
  area: 'Administration',
  access: staff,
  query: Strict(range),
  answers: {
    200: Data(
      Strict({
        from: DateTime,
        to: DateTime,
        time_zone: Type.String(),
        orders: Count,
        ...counts,
        events: Type.Array(Strict({ ...event, orders: Count, ...counts, ...places })),
        events_left_out: LeftOut,
        channels: Type.Array(Strict({ channel: Channel, orders: Count, ...counts })),
        days: Type.Array(Strict({ day: CalendarDay, orders: Count, ...counts })),
        holds: Strict(
          {
            attempted: Count,
            granted: Count,
            refused: Count,
            held: Count,
            extended: Count,
            paid: Count,
            expired: Count,
            released: Count,
          },
          { description: 'The steps of the funnel, over all events' },
        ),
      }),
    ),
  },
})

export const readRevenue = route({
  method: 'GET',
  path: '/api/admin/revenue',
  summary: `The money of all events, by currency, event, channel and day. ${RANGE}`,
  area: 'Administration',
  access: editors,
  query: Strict(range),
  answers: {
    200: Data(
      Strict({
        from: DateTime,
        to: DateTime,
        time_zone: Type.String(),
        ...moneyParts,
        events: Type.Array(Strict({ ...event, ...money })),
        events_left_out: LeftOut,
      }),
    ),
  },
})

export const exportOrders = route({
  method: 'GET',
  path: '/api/admin/orders.csv',
  summary:
    `Orders with their money as CSV, newest first, by the same filter as the list. At most ${MAX_EXPORTED_ORDERS} a file: ` +
    'the header Voelgoed-Next has the cursor of the next one, if there are more. The audit log says who took it',
  area: 'Administration',
  access: editors,
  query: Strict({ after: Type.Optional(Cursor), ...OrderFilter }),
  answers: { 200: null },
})
