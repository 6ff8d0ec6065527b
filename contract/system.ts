import { Type } from 'typebox'
import { Data, DateTime, List, Nullable, Page, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

/** A queue is counted up to here. */
export const MAX_COUNTED_SYSTEM = 1_000

const State = Type.Enum(['ok', 'degraded', 'down', 'off'])
const Counted = Type.Integer({ minimum: 0, maximum: MAX_COUNTED_SYSTEM, description: 'Counted up to 1,000' })
const OldestSeconds = Type.Integer({ minimum: 0, description: 'Since the oldest of those that wait was due' })

export const readSystem = route({
  method: 'GET',
  path: '/api/admin/system',
  summary:
    'What keeps the seats and how it is: Postgres, Redis, the nodes; and what of this organization waits to be sent or handled',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  answers: {
    200: Data(
      Strict({
        version: Type.String(),
        node_id: Type.String({ description: 'Of the node that answers' }),
        postgres: Strict({
          state: State,
          answer_ms: Type.Number({ minimum: 0, description: 'How long one round trip took' }),
        }),
        redis: Strict({ state: State }),
        reaper: Strict({
          state: State,
          age_ms: Nullable(Type.Integer({ description: 'Since it last ran on this node; null: it did not' })),
        }),
        nodes: Type.Array(
          Strict({
            node_id: Uuid,
            version: Type.String(),
            started_at: DateTime,
            age_ms: Type.Integer({ minimum: 0, description: 'Since the node last said that it lives' }),
            alive: Type.Boolean(),
            events_in_memory: Type.Integer(),
            bus: Type.Enum(['redis', 'postgres', 'none'], { description: 'How it hears the other nodes' }),
            redis: Type.Enum(['off', 'closed', 'half_open', 'open'], { description: 'Its breaker' }),
          }),
        ),
        mails: Strict({
          can_send: Type.Boolean({ description: 'A mail server is configured' }),
          queued: Counted,
          sending: Counted,
          kept: Counted,
          dead: Counted,
          unknown: Counted,
          oldest_seconds: OldestSeconds,
        }),
        gateway_events: Strict({
          gateway: Type.String({ description: '`none`: this server takes no payments' }),
          waiting: Counted,
          given_up: Counted,
          oldest_seconds: OldestSeconds,
        }),
      }),
    ),
  },
})

const GatewayEventState = Type.Enum(['waiting', 'given_up'])

export const listGatewayEvents = route({
  method: 'GET',
  path: '/api/admin/gateway-events',
  summary:
    'What the payment gateway told about orders of this organization and is not done: it waits, or was given up. Newest first. Disputes that name no organization are handled, and not listed here',
  area: 'Administration',
  access: ['organizer', 'admin'],
  query: Strict({ limit: Page.limit, state: Type.Optional(GatewayEventState) }),
  answers: {
    200: List(
      Strict({
        gateway_event_id: Type.String({ description: 'The gateway’s own' }),
        gateway: Type.String(),
        kind: Type.String(),
        order_id: Nullable(Type.String()),
        state: GatewayEventState,
        attempts: Type.Integer(),
        received_at: DateTime,
        due_at: DateTime,
      }),
    ),
  },
})

export const retryGatewayEvent = route({
  method: 'POST',
  path: '/api/admin/gateway-events/retry',
  summary: 'Handle news of the payment gateway once more that was given up. What it says may count only once',
  area: 'Administration',
  access: ['organizer', 'admin'],
  body: Strict({ gateway_event_id: Type.String({ minLength: 1, maxLength: 255 }) }),
  example: { gateway_event_id: 'evt_1NG8Du2eZvKYlo2CUI79vXWy' },
  answers: { 202: Data(Strict({ gateway_event_id: Type.String() })) },
  refusals: ['not_found'],
})
