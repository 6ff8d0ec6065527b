import { Type } from 'typebox'
import { Data, DateTime, List, Nullable, Page, Strict, Uuid } from './common.ts'
import { ChangedOrder } from './orders.ts'
import { route } from './route.ts'

const STATES = ['waiting', 'failed', 'on_the_way', 'refused', 'by_hand', 'refunded'] as const
const RefundState = Type.Enum([...STATES], {
  description:
    '`waiting`: not begun. `failed`: could not be begun; it is tried again a few times. The tickets of all others are void: `on_the_way`, the gateway was asked; `refused`, the gateway says no, or could not pay; `by_hand`, staff owe the money; `refunded`',
})
const counts = Object.fromEntries(STATES.map(state => [state, Type.Integer()])) as Record<
  (typeof STATES)[number],
  ReturnType<typeof Type.Integer>
>

const RefundRun = Strict({
  event_id: Uuid,
  status: Type.Enum(['none', 'running', 'stopped', 'done'], {
    description:
      '`none`: the event was not cancelled, or had no orders. `done`: no order waits; money may be on its way',
  }),
  started_by: Nullable(Uuid),
  started_at: Nullable(DateTime),
  moved_at: Nullable(DateTime),
  ended_at: Nullable(DateTime),
  orders_in_last_minute: Type.Integer(),
  orders: Strict({ total: Type.Integer(), ...counts }),
  amounts: Type.Array(Strict({ currency: Type.String(), total: Type.Integer(), ...counts }), {
    description: 'In minor units. Orders whose seller counts the money elsewhere have none',
  }),
})

const access = ['organizer', 'admin'] as const

export const readRefundRun = route({
  method: 'GET',
  path: '/api/admin/events/:event/refunds',
  summary: 'How far the refunds of a cancelled event are. Cancelling an event with paid orders starts them',
  area: 'Administration',
  access,
  answers: { 200: Data(RefundRun) },
})

export const stopRefundRun = route({
  method: 'POST',
  path: '/api/admin/events/:event/refunds/stop',
  summary:
    'Begin no more refunds of a cancelled event. Those that were begun are completed. Of a run that is done, orders that could not be refunded are left so: the event can be archived',
  area: 'Administration',
  access,
  answers: { 200: Data(RefundRun) },
})

export const resumeRefundRun = route({
  method: 'POST',
  path: '/api/admin/events/:event/refunds/resume',
  summary: 'Go on with the refunds of a cancelled event, and try again at once what failed or was refused',
  area: 'Administration',
  access,
  answers: { 200: Data(RefundRun) },
  refusals: ['invalid_transition'],
})

export const listRefundedOrders = route({
  method: 'GET',
  path: '/api/admin/events/:event/refunds/orders',
  summary: 'The orders of a cancelled event, by what became of their money',
  area: 'Administration',
  access,
  query: Strict({ ...Page, state: Type.Optional(RefundState) }),
  answers: {
    200: List(
      Strict({
        order_id: Uuid,
        order_number: Type.String(),
        contact: Strict({ name: Nullable(Type.String()), email: Nullable(Type.String()) }),
        method: Type.String({ description: 'How the money came' }),
        state: RefundState,
        currency: Nullable(Type.String()),
        amount: Nullable(Type.Integer()),
        reason: Nullable(Type.String({ description: 'What the gateway last said, or why it failed' })),
        refunded_at: Nullable(DateTime),
      }),
    ),
  },
})

export const retryRefund = route({
  method: 'POST',
  path: '/api/admin/orders/:order/refund/retry',
  summary:
    'Ask the gateway again, at once, for the refunds of an order that it has not made, also for those that were given up',
  area: 'Administration',
  access,
  answers: { 200: Data(Strict(ChangedOrder)) },
  refusals: ['invalid_transition'],
  idempotencyKey: true,
})

export const moneyGivenBack = route({
  method: 'POST',
  path: '/api/admin/orders/:order/refund/given-back',
  summary:
    'Staff have given back by hand the money that they owed for an order: that of a cancelled event which no gateway took, and refunds that the gateway did not make and that were given up',
  area: 'Administration',
  access,
  answers: { 200: Data(Strict(ChangedOrder)) },
  refusals: ['invalid_transition'],
  idempotencyKey: true,
})
