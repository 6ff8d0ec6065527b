import { Type } from 'typebox'
import { Data, DateTime, List, Name, Nullable, Page, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

/** Servers act for staff: a buyer has a session. */
export const KEY_ROLES = ['scanner', 'support', 'organizer', 'admin'] as const

const KeyRole = Type.Enum([...KEY_ROLES])

/** So many keys of an organization are alive at once. */
export const MAX_API_KEYS = 100

export const createApiKey = route({
  method: 'POST',
  path: '/api/admin/api-keys',
  summary:
    'Make a bearer token for a server. It does not expire, belongs to this organization and has this role for good. It is shown once: only its hash is stored',
  area: 'Administration',
  access: ['admin'],
  body: Strict({ name: Name, role: KeyRole }),
  example: { name: 'Web shop', role: 'organizer' },
  answers: {
    201: Data(
      Strict({
        key_id: Uuid,
        key: Type.String({ description: 'The token. It can not be shown again' }),
        name: Type.String(),
        role: KeyRole,
        created_at: DateTime,
      }),
    ),
  },
  refusals: ['too_many_api_keys'],
  idempotencyKey: true,
})

export const listApiKeys = route({
  method: 'GET',
  path: '/api/admin/api-keys',
  summary: 'The keys that work now, in the order of their making. In the audit, user_id is the key_id',
  area: 'Administration',
  access: ['admin'],
  query: Strict(Page),
  answers: {
    200: List(
      Strict({
        key_id: Uuid,
        name: Type.String(),
        role: KeyRole,
        created_by: Uuid,
        created_at: DateTime,
        last_used_at: Nullable(Type.String({ description: 'To about two minutes; null: not used yet' })),
      }),
    ),
  },
})

export const deleteApiKey = route({
  method: 'DELETE',
  path: '/api/admin/api-keys/:key',
  summary: 'End a key: it opens nothing any more, on every node, and its live feeds end. What it did stays',
  area: 'Administration',
  access: ['admin'],
  whileSuspended: true,
  answers: { 204: null },
})
