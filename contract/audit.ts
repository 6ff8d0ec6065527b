import { Type } from 'typebox'
import { Data, DateTime, List, Nullable, Page, QueryNumber, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

export const listAudit = route({
  method: 'GET',
  path: '/api/admin/audit',
  summary:
    'What administrators, the platform and sign-ins did, and what was refused: newest first. seat_id and hold_id find entries that name them',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  query: Strict({
    ...Page,
    action: Type.Optional(Type.String({ maxLength: 100 })),
    entity_id: Type.Optional(Uuid),
    user_id: Type.Optional(Uuid),
    seat_id: Type.Optional(Uuid),
    hold_id: Type.Optional(Uuid),
    event_id: Type.Optional(Uuid),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
  }),
  answers: {
    200: List(
      Strict({
        id: Type.String(),
        at: DateTime,
        action: Type.String(),
        actor: Type.Enum(['user', 'api_key', 'root', 'anonymous', 'system']),
        user_id: Nullable(Uuid),
        user_name: Nullable(
          Type.String({
            description:
              'What people know the user by: the e-mail address of the account, or the name of the API key. null: a guest, the platform or the system',
          }),
        ),
        ip: Nullable(Type.String()),
        user_agent: Nullable(Type.String()),
        request_id: Nullable(Type.String()),
        entity_type: Nullable(Type.String()),
        entity_id: Nullable(Uuid),
        event_id: Nullable(Uuid),
        changes: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
  },
})

export const readJournal = route({
  method: 'GET',
  path: '/api/admin/events/:event/journal',
  summary:
    'Every change of every seat, in order, with who made it and from where. from and to: entries of that time. With seat_id, hold_id or user_id: all entries of the holds that lived at some moment from from to to, so that "who held this seat then" is one request',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  query: Strict({
    after_seq: Type.Optional(Type.String({ maxLength: 15, pattern: '^[0-9]{1,15}$' })),
    limit: Type.Optional(QueryNumber),
    seat_id: Type.Optional(Uuid),
    hold_id: Type.Optional(Uuid),
    user_id: Type.Optional(Uuid),
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
  }),
  answers: {
    200: List(
      Strict({
        seq: Type.Integer(),
        kind: Type.String(),
        at: DateTime,
        command_id: Uuid,
        actor_id: Nullable(Uuid),
        actor_email: Nullable(Type.String({ description: 'null: a guest, or the system' })),
        source: Type.String(),
        address: Nullable(Type.String()),
        user_agent: Nullable(Type.String()),
        hold_id: Nullable(Uuid),
        user_id: Nullable(Type.String({ description: 'Whose hold it was then' })),
        user_email: Nullable(Type.String()),
        seat_id: Nullable(Uuid),
        seat_label: Nullable(Type.String()),
        order: Nullable(
          Strict(
            {
              order_id: Uuid,
              order_number: Type.String(),
              contact_name: Nullable(Type.String()),
              contact_email: Nullable(Type.String()),
            },
            { description: 'What the hold was sold by, or the ticket: whose it is, also when staff sold it' },
          ),
        ),
        held_duration_seconds: Nullable(
          Type.Number({ description: 'How long the hold lasted that this entry ended' }),
        ),
        body: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
  },
})

const Counts = Type.Record(Type.String(), Type.Integer())

const FunnelSteps = {
  attempted: Type.Integer({ description: 'Requests for seats or places: granted and refused' }),
  granted: Type.Integer({ description: 'Requests that made a hold' }),
  refused: Type.Integer({ description: 'Requests that were refused' }),
  refused_by_code: Counts,
  held: Type.Integer({ description: 'Places held' }),
  extended: Type.Integer({ description: 'Places whose hold was extended' }),
  paid: Type.Integer({ description: 'Places that became tickets' }),
  expired: Type.Integer({ description: 'Places whose hold ran out' }),
  released: Type.Integer({ description: 'Places given back' }),
  released_by_reason: Counts,
}

export const readFunnel = route({
  method: 'GET',
  path: '/api/admin/events/:event/funnel',
  summary:
    "From the attempt to the ticket, by days of the venue's time zone. from and to are rounded down to a quarter of an hour. When counted_seq is less than seq, that many changes of the last seconds are not in it yet",
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  query: Strict({ from: Type.Optional(DateTime), to: Type.Optional(DateTime) }),
  answers: {
    200: Data(
      Strict({
        time_zone: Type.String(),
        counted_seq: Type.Integer(),
        seq: Type.Integer(),
        total: Strict(FunnelSteps),
        days: Type.Array(Strict({ day: Type.String({ description: 'As 2026-06-01' }), ...FunnelSteps })),
      }),
    ),
  },
})

export const listHoldsOfPerson = route({
  method: 'GET',
  path: '/api/admin/holds',
  summary:
    "A person's holds over all events, newest first, also after their end. The person is named by user_id or by email",
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  exampleQuery: ['user_id'],
  query: Strict({
    ...Page,
    user_id: Type.Optional(Uuid),
    email: Type.Optional(Type.String({ maxLength: 254 })),
  }),
  answers: {
    200: List(
      Strict({
        hold_id: Uuid,
        event_id: Uuid,
        event_name: Type.String(),
        user_id: Uuid,
        seat_id: Nullable(Uuid),
        seat_label: Nullable(Type.String()),
        zone_id: Uuid,
        quantity: Type.Integer(),
        status: Type.Enum(['active', 'converted', 'expired', 'cancelled']),
        created_at: DateTime,
        held_until: DateTime,
        ended_at: Nullable(DateTime),
        end_reason: Nullable(Type.String()),
        checkout_id: Nullable(Uuid),
        cart_token: Nullable(Type.String()),
        source: Type.String(),
        address: Nullable(Type.String()),
      }),
    ),
  },
})
