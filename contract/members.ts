import { MEMBERSHIP_STATUSES } from '@voelgoed/core/access'
import { Type } from 'typebox'
import { Data, Nullable, Strict } from './common.ts'
import { route } from './route.ts'

/** In one call. */
export const MAX_MEMBER_ROWS = 500

export const MEMBER_OUTCOMES = [
  'changed',
  'same',
  'not_confirmed',
  'no_account',
  'not_an_email',
  'unknown_status',
  'status_without_tier',
  'tier_too_long',
  'twice',
  'not_allowed',
] as const

const Membership = Nullable(
  Strict({ tier: Type.String(), status: Type.Enum([...MEMBERSHIP_STATUSES]) }, { description: 'null: none' }),
)

export const importMembers = route({
  method: 'POST',
  path: '/api/admin/members/import',
  summary:
    'Set the memberships of accounts by their e-mail addresses, with a report on each line. ' +
    `At most ${MAX_MEMBER_ROWS} rows a call. An empty tier ends a membership; a tier without a status is active. The membership of an account that has not confirmed its address is written, and waits until it has. A row with a fault changes nothing, and keeps no other row from counting. Only an admin changes an admin`,
  area: 'Administration',
  access: ['organizer', 'admin'],
  body: Strict({
    dry_run: Type.Boolean({ description: 'true: the report alone; nothing is changed' }),
    rows: Type.Array(
      Strict({
        line: Type.Integer({
          minimum: 1,
          maximum: 10_000_000,
          description: 'Of the file; the report names it',
        }),
        email: Type.String({ maxLength: 1_000 }),
        tier: Type.String({ maxLength: 1_000 }),
        status: Type.String({
          maxLength: 100,
          description: 'active, suspended, expired, cancelled, or empty',
        }),
      }),
      { minItems: 1, maxItems: MAX_MEMBER_ROWS },
    ),
  }),
  example: {
    dry_run: true,
    rows: [{ line: 2, email: 'anna@example.org', tier: 'voelgoed_vriendinne', status: 'active' }],
  },
  answers: {
    200: Data(
      Strict({
        dry_run: Type.Boolean(),
        changed: Type.Integer({ description: 'Memberships that changed, or would change' }),
        not_confirmed: Type.Integer({
          description:
            'Memberships that wait: the account has not confirmed its address. A mail asks its reader to, at most one a day',
        }),
        lines: Type.Array(
          Strict({
            line: Type.Integer(),
            email: Type.String({ description: 'As it is stored, where it is an address' }),
            outcome: Type.Enum([...MEMBER_OUTCOMES]),
            before: Membership,
            after: Membership,
          }),
          { description: 'One for each row, in their order' },
        ),
      }),
    ),
  },
  idempotencyKey: true,
  bodyLimitBytes: 1024 * 1024,
})
