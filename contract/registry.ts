import { Type } from 'typebox'
import { Data, Nullable, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

const Count = Nullable(Type.Integer({ minimum: 0 }))

const Standing = Nullable(
  Type.Enum(['same', 'different', 'behind', 'lost', 'unknown'], {
    description:
      'Against Postgres at the same epoch and seq, by a digest of all holds, seats and counters. behind: it lacks what Postgres had before it was asked; lost: it has what Postgres does not have; unknown: too far ahead to be compared; null: it has nothing to compare',
  }),
)

const registryState = {
  hot_count: Nullable(Type.Integer({ minimum: 0, description: 'Holds in the memory of this node' })),
  redis_count: Count,
  postgres_count: Type.Integer(),
  consistent: Type.Boolean({
    description: 'No copy is behind, and all that are at the same epoch and seq have the same digest',
  }),
  status: Type.Enum(['ok', 'stale', 'degraded'], {
    description:
      'degraded: a node did not answer, Redis is out of reach, or this node does not hear the others; stale: a copy is behind, wrong or missing',
  }),
  seq: Strict({ hot: Count, redis: Count, postgres: Type.Integer() }),
  epoch: Strict({ hot: Count, redis: Count, postgres: Count }),
  age_ms: Strict(
    { hot: Count, redis: Count, postgres: Count },
    {
      description: 'Since the last change that the tier has was made',
    },
  ),
  standing: Strict({ hot: Standing, redis: Standing }),
  redis_copy: Type.Enum(['off', 'read', 'absent', 'moving', 'unclear', 'damaged', 'unavailable'], {
    description:
      'How the copy in Redis was read. moving: it changed each time; unclear: it has holds that ran out too long ago to be compared; damaged: its parts do not fit each other',
  }),
  nodes: Type.Array(
    Strict({
      node_id: Uuid,
      age_ms: Type.Integer({ minimum: 0, description: 'Since the node last said that it lives' }),
      answered: Type.Boolean(),
      seq: Count,
      epoch: Count,
      count: Count,
      standing: Standing,
    }),
    { description: 'All nodes; seq and the rest are null where the event is not in memory' },
  ),
}

export const readRegistry = route({
  method: 'GET',
  path: '/api/admin/events/:event/registry',
  summary:
    'Whether Postgres, Redis and the memory of every node agree on an event (null: not configured, or not there)',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  refusals: ['rate_limited'],
  answers: { 200: Data(Strict(registryState)) },
})

export const reconcileRegistry = route({
  method: 'POST',
  path: '/api/admin/events/:event/registry/reconcile',
  summary:
    'Load the event again from Postgres on every node and make its copy in Redis again, and wait for that. The answer is what was found before, and what is there after it (also at its top). memory_was_right is null when this node had nothing to compare.',
  area: 'Administration',
  access: ['organizer', 'admin'],
  refusals: ['rate_limited'],
  idempotencyKey: true,
  answers: {
    200: Data(
      Strict({
        ...registryState,
        memory_was_right: Nullable(Type.Boolean()),
        other_nodes_told: Type.Boolean(),
        before: Strict(registryState),
        after: Strict(registryState),
      }),
    ),
  },
})
