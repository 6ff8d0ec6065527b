import { Type } from 'typebox'
import { Data, Name, Nullable, Slug, Strict } from './common.ts'
import { route } from './route.ts'

const Text = (maxLength: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: '\\S',
    description: `${description}. Plain text of at most ${maxLength.toLocaleString('en')} characters; a blank line parts paragraphs`,
  })

const fields = {
  legal_name: Nullable(
    Type.String({ ...Name, description: 'Of the company or the person who sells; null: the name will do' }),
  ),
  vat_number: Nullable(
    Type.String({ ...Name, maxLength: 40, description: '1 to 40 characters on one line' }),
  ),
  phone: Nullable(
    Type.String({
      pattern: '^[+(]?[0-9][0-9 ()./-]{2,38}$',
      maxLength: 40,
      description: 'Buyers call this number, like +27 12 345 6789',
    }),
  ),
  terms_url: Nullable(
    Type.String({
      pattern: '^https:[/]{2}[^\\s\\x00-\\x1f\\x7f]{1,990}$',
      maxLength: 1_000,
      description: 'The terms of sale on a site of the seller. Only one of terms_url and terms is set',
    }),
  ),
  terms: Nullable(Text(9_000, 'The terms of sale')),
  refund_rule: Nullable(Text(2_000, 'When buyers get their money back')),
}

/** As the settings of the organization show it. */
export const Seller = Strict(fields)

export const updateSeller = route({
  method: 'PATCH',
  path: '/api/admin/organization/seller',
  summary:
    'Change what buyers read of the seller before they pay. Members left out stay as they are; null removes one. Buyers write to the support_email of the organization',
  area: 'Administration',
  access: ['admin'],
  body: Type.Partial(Strict(fields), { additionalProperties: false }),
  example: { legal_name: 'Karoo Stage (Pty) Ltd', vat_number: '4012345678' },
  answers: { 200: Data(Seller) },
})

export const readSeller = route({
  method: 'GET',
  path: '/api/organization/seller',
  summary:
    'Who sells the tickets of an organization, how to reach them, by which terms they sell, and when money goes back',
  area: 'Buyers',
  access: 'public',
  query: Strict({ organization: Slug }),
  answers: {
    200: Data(
      Strict({
        name: Type.String({ description: 'As the pages of the organization show it' }),
        ...fields,
        email: Nullable(Type.String({ description: 'Buyers write to this address' })),
      }),
    ),
  },
  refusals: ['organization_not_found'],
})
