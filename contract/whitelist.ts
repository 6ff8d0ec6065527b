import {
  MAX_WHITELIST,
  NOTE_LENGTH,
  WHITELIST_ADD_ENTRIES,
  WHITELIST_CSV_CHARACTERS,
  WHITELIST_CSV_ROWS,
} from '@voelgoed/core/guests/whitelist-limits'
import { Type } from 'typebox'
import { Data, DateTime, Email, List, Nullable, Page, Strict, Uuid } from './common.ts'
import { route } from './route.ts'

const staff = ['support', 'organizer', 'admin'] as const
const editors = ['organizer', 'admin'] as const

const Note = Type.String({ minLength: 1, maxLength: NOTE_LENGTH, pattern: '\\S' })

const WhitelistEntry = Strict({
  entry_id: Uuid,
  email: Type.String(),
  note: Nullable(Type.String()),
  added_by: Uuid,
  added_at: DateTime,
})

const Added = Data(
  Strict({
    added: Type.Integer(),
    known: Type.Integer({
      description: 'Were on the whitelist already; a note that was given replaces theirs',
    }),
    total: Type.Integer({ description: 'Entries of the whitelist now' }),
  }),
)

export const listWhitelist = route({
  method: 'GET',
  path: '/api/admin/events/:event/whitelist',
  summary: 'The whitelist of an event by address, or those whose address or note contains a text',
  area: 'Administration',
  access: staff,
  query: Strict({
    ...Page,
    query: Type.Optional(
      Type.String({ minLength: 1, maxLength: 254, description: 'Part of an address or a note' }),
    ),
  }),
  answers: { 200: List(WhitelistEntry) },
})

export const addToWhitelist = route({
  method: 'POST',
  path: '/api/admin/events/:event/whitelist',
  summary:
    "Add people to the whitelist of an event: they may be guests in its members' zones, and book in its zones with a " +
    `whitelist. All of them or none; an address that is known is no fault. At most ${MAX_WHITELIST} entries an event`,
  area: 'Administration',
  access: editors,
  body: Strict({
    entries: Type.Array(
      Type.Union([
        Strict({ email: Email, note: Type.Optional(Note) }),
        Strict({ user_id: Uuid, note: Type.Optional(Note) }),
      ]),
      { minItems: 1, maxItems: WHITELIST_ADD_ENTRIES },
    ),
  }),
  example: { entries: [{ email: 'carla@example.org', note: 'Sponsor' }] },
  answers: { 201: Added },
  refusals: ['user_not_found', 'invalid_transition', 'whitelist_full'],
  idempotencyKey: true,
  bodyLimitBytes: 1024 * 1024,
})

export const importWhitelist = route({
  method: 'POST',
  path: '/api/admin/events/:event/whitelist/import',
  summary:
    'Add people to the whitelist from the text of a CSV file: the first column has addresses, the second notes, or a header ' +
    `says which (email, note). Commas, semicolons or tabs. At most ${WHITELIST_CSV_ROWS} rows; all of them or none`,
  area: 'Administration',
  access: editors,
  body: Strict({ csv: Type.String({ minLength: 1, maxLength: WHITELIST_CSV_CHARACTERS }) }),
  example: { csv: 'email,note\ncarla@example.org,Sponsor\ndawid@example.org,\n' },
  answers: { 201: Added },
  refusals: ['csv_invalid', 'invalid_transition', 'whitelist_full'],
  idempotencyKey: true,
  bodyLimitBytes: 4 * 1024 * 1024,
})

export const exportWhitelist = route({
  method: 'GET',
  path: '/api/admin/events/:event/whitelist/export',
  summary: 'The whitelist of an event as a CSV file, as the import takes it',
  area: 'Administration',
  access: staff,
  answers: { 200: null },
})

export const removeFromWhitelist = route({
  method: 'DELETE',
  path: '/api/admin/events/:event/whitelist/:entry',
  summary:
    'Remove an entry, and the address with it. Counts from the next request on; places that were named for this ' +
    'person are refused at checkout and at the gate, unless they are a member',
  area: 'Administration',
  access: editors,
  answers: { 200: Data(Strict({ entry_id: Uuid, total: Type.Integer() })) },
})
