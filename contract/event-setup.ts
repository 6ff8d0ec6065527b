import { READINESS_CHECKS, READINESS_REASONS, READINESS_STATES } from '@voelgoed/core/event/readiness'
import { Type } from 'typebox'
import { Data, DateTime, Name, Nullable, Strict } from './common.ts'
import { AdminEventAnswer } from './events.ts'
import { route } from './route.ts'

const editors = ['organizer', 'admin'] as const
const readers = ['support', 'organizer', 'admin'] as const

export const readReadiness = route({
  method: 'GET',
  path: '/api/admin/events/:event/readiness',
  summary:
    'What is right about an event and what is missing, as it is now: what an organizer should know before it is ' +
    'published. The console does not publish while something stops; this API refuses only what can not be sold',
  area: 'Administration',
  access: readers,
  answers: {
    200: Data(
      Strict({
        checked_at: DateTime,
        checks: Type.Array(
          Strict({
            check: Type.Enum([...READINESS_CHECKS]),
            state: Type.Enum([...READINESS_STATES], {
              description: 'stops: to be mended first; warns: it may stay as it is',
            }),
            reason: Nullable(Type.Enum([...READINESS_REASONS])),
            at: Nullable(DateTime),
            places: Nullable(Type.Integer({ description: 'Places for sale; of prices: those without one' })),
            zones: Type.Array(Type.String(), { description: 'Their names' }),
            text: Nullable(
              Type.String({ description: 'The gateway, the address, the time zone, or what is wrong' }),
            ),
          }),
        ),
      }),
    ),
  },
})

export const copyEvent = route({
  method: 'POST',
  path: '/api/admin/events/:event/copy',
  summary:
    'Make a draft like this event: its layout, overlay, prices, rules, description and picture. Its days, doors, end ' +
    'and sales keep their distance from the start. Seats that staff blocked by hand, holds and orders stay behind',
  area: 'Administration',
  access: editors,
  body: Strict({
    name: Name,
    starts_at: Nullable(DateTime),
    whitelist: Type.Optional(Type.Boolean({ description: 'With the people on its whitelist' })),
  }),
  example: { name: 'Hamlet, second night', starts_at: '2027-03-08T19:30:00Z' },
  answers: { 201: Data(AdminEventAnswer) },
  refusals: ['layout_invalid', 'invalid_transition'],
  idempotencyKey: true,
})

export const deleteDraft = route({
  method: 'DELETE',
  path: '/api/admin/events/:event',
  summary:
    'Delete a draft that was never on sale, with its prices, picture and whitelist. It can not be undone; the audit ' +
    'log keeps that it was there',
  area: 'Administration',
  access: editors,
  answers: { 204: null },
  refusals: ['invalid_transition'],
})
