import { Type } from 'typebox'
import { Data, DateTime, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

const counts = {
  available: Type.Integer(),
  held: Type.Integer(),
  sold: Type.Integer(),
  blocked: Type.Integer(),
}

export const readOccupancyHistory = route({
  method: 'GET',
  path: '/api/admin/events/:event/occupancy/history',
  summary:
    'How full the event was: the last snapshot of each step. Snapshots are taken once a minute while it is on sale, and when its status changes. Steps without a snapshot are left out',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  query: Strict({
    from: Type.Optional(DateTime),
    to: Type.Optional(DateTime),
    step: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,6}$',
        maxLength: 6,
        description:
          'Seconds: a multiple of 60, at most 86400. Left out: the shortest that gives at most 500 points',
      }),
    ),
    zones: Type.Optional(Type.Enum(['true', 'false'], { description: 'With the counts of each zone' })),
  }),
  answers: {
    200: Data(
      Strict({
        from: DateTime,
        to: DateTime,
        step: Type.Integer({ description: 'Seconds' }),
        points: Type.Array(
          Strict({
            at: DateTime,
            status: Type.String(),
            ...counts,
            zones: Type.Optional(Type.Array(Strict({ zone_id: Uuid, ...counts }))),
          }),
        ),
      }),
    ),
  },
})

export const readSeatUse = route({
  method: 'GET',
  path: '/api/admin/events/:event/seat-use',
  summary:
    'How well the seats are used now: free seats that stand alone, wheelchair places, and companion seats that are kept for their buyers',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  answers: {
    200: Data(
      Strict({
        seats: Type.Integer({ minimum: 0, description: 'Of the layout' }),
        free: Type.Integer({ minimum: 0, description: 'For any buyer' }),
        alone: Type.Integer({ minimum: 0, description: 'Of these: no free seat beside them' }),
        alone_share: Type.Number({ minimum: 0, maximum: 1, description: 'Of all seats: the orphan ratio' }),
        wheelchair: Strict({ free: Type.Integer({ minimum: 0 }), taken: Type.Integer({ minimum: 0 }) }),
        companions: Strict({
          kept: Type.Integer({ minimum: 0, description: 'For the buyer of the place beside them' }),
          free: Type.Integer({ minimum: 0 }),
          taken: Type.Integer({ minimum: 0 }),
        }),
      }),
    ),
  },
})
