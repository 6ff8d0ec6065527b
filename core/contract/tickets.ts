import { Type } from 'typebox'
import { Data, DateTime, Nullable, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

/** So many keys of an organization verify tickets at once: a forged ticket costs a look at each of them. */
export const MAX_TICKET_KEYS = 16

const TicketKey = Strict({
  key_id: Uuid,
  public_key: Type.String({ description: 'Ed25519, SubjectPublicKeyInfo as DER, in base64' }),
  status: Type.Enum(['signing', 'verifying', 'retired'], {
    description: '`verifying`: it signs no more tickets, and those that it signed are good',
  }),
  created_at: DateTime,
  replaced_at: Nullable(DateTime),
  retired_at: Nullable(DateTime),
})

export const rotateTicketKeys = route({
  method: 'POST',
  path: '/api/admin/ticket-keys/rotate',
  summary:
    'Sign tickets with a new key from now on. Tickets on paper stay good, unless `retire_older` is true: then only tickets that are shown or printed from now on open a gate',
  area: 'Administration',
  access: ['admin'],
  body: Strict({
    retire_older: Type.Optional(
      Type.Boolean({ description: 'For a key that became known: every ticket it signed stops working' }),
    ),
  }),
  bodyOptional: true,
  example: {},
  answers: { 201: Data(TicketKey) },
  refusals: ['too_many_ticket_keys'],
  idempotencyKey: true,
})

export const listTicketKeys = route({
  method: 'GET',
  path: '/api/admin/ticket-keys',
  summary: 'The keys that sign and verify tickets, the newest first, with the last ones that were retired',
  area: 'Administration',
  access: ['organizer', 'admin'],
  answers: { 200: Data(Type.Array(TicketKey)) },
})
