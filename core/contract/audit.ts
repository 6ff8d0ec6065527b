import { Type } from 'typebox'
import { DateTime, List, Nullable, Page, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

export const listAudit = route({
  method: 'GET',
  path: '/api/admin/audit',
  summary: 'What administrators, the platform and sign-ins did: newest first',
  area: 'Administration',
  access: ['support', 'organizer', 'admin'],
  query: Strict({
    ...Page,
    action: Type.Optional(Type.String({ maxLength: 100 })),
    entity_id: Type.Optional(Uuid),
    user_id: Type.Optional(Uuid),
  }),
  answers: {
    200: List(
      Strict({
        id: Type.String(),
        at: DateTime,
        action: Type.String(),
        actor: Type.Enum(['user', 'root', 'anonymous', 'system']),
        user_id: Nullable(Uuid),
        ip: Nullable(Type.String()),
        user_agent: Nullable(Type.String()),
        request_id: Nullable(Type.String()),
        entity_type: Nullable(Type.String()),
        entity_id: Nullable(Uuid),
        changes: Type.Record(Type.String(), Type.Unknown()),
      }),
    ),
  },
})
