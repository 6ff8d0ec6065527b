import { EMAIL_LENGTH, EMAIL_PATTERN } from '@voelgoed/core/email'
import { type TProperties, type TSchema, Type } from 'typebox'

/*
 * Patterns of this contract run on text that strangers send. Each one reads a text once, from left to right:
 * at every character at most one way leads on. Each string with a pattern has a maxLength, which is checked
 * first. kit/http/validation.test.ts proves both for every route.
 */

/** Strict: a member that the schema does not name is a mistake of the sender, and the answer says so. */
export function Strict<P extends TProperties>(properties: P, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

export const Uuid = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  maxLength: 36,
  description: 'A UUID',
})

export const DateTime = Type.String({
  format: 'date-time',
  // Years that stay four digits in any time zone, and no leap seconds: Postgres and JavaScript know none.
  pattern: '^[12]\\d{3}-\\d\\d-\\d\\dT\\d\\d:[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]\\d\\d:\\d\\d)$',
  maxLength: 40,
  description: 'ISO 8601 with a time zone; answers are in UTC with milliseconds',
})

export const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

const SPACES = '[ \\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff]'

/** One line of text with something in it. */
export const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  // No white space but spaces: a name stands in lines of mails, tickets and tables.
  pattern: `^${SPACES}*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*$`,
  description: '1 to 200 characters on one line',
})

export const Slug = Type.String({
  pattern: '^[a-z0-9]+(?:-+[a-z0-9]+)*$',
  maxLength: 63,
  description: 'Lower-case letters, digits and hyphens; at most 63',
})

/** Storefronts are at `/<slug>`, beside the server's own addresses. */
export const RESERVED_SLUGS: readonly string[] = [
  'api',
  'assets',
  'console',
  'docs',
  'healthz',
  'look',
  'metrics',
  'readyz',
  'scan',
]

export const Email = Type.String({
  maxLength: EMAIL_LENGTH,
  pattern: EMAIL_PATTERN,
  description: 'An email address. Case and the ways in which Unicode can write a letter make no difference',
})

export const TimeZone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'An IANA time zone, like Africa/Johannesburg',
})

export const Password = Type.String({ minLength: 8, maxLength: 200, description: '8 to 200 characters' })

/** A whole number in a query string. */
export const QueryNumber = Type.String({
  pattern: '^[1-9][0-9]{0,8}$',
  maxLength: 9,
  title: 'a whole number from 1',
  description: 'A whole number from 1',
})

export const Cursor = Type.String({ maxLength: 200, description: '`next` of the page before' })

/** Above the most that a page has, a page has the most: a program that asks for more goes on by `next`. */
const PageLimit = Type.String({
  ...{ pattern: '^[1-9][0-9]{0,8}$', maxLength: 9 },
  title: 'a whole number from 1 to 200',
  description: 'From 1 to 200; more counts as 200',
})

export const Page = { after: Type.Optional(Cursor), limit: Type.Optional(PageLimit) }

export const Data = <S extends TSchema>(schema: S) => Strict({ data: schema })

export const List = <S extends TSchema>(schema: S) =>
  Strict({ data: Type.Array(schema), next: Nullable(Type.String()) })

export const Fault = Strict({ path: Type.String(), code: Type.String(), message: Type.String() })

/** application/problem+json (RFC 9457). Extra members depend on `code`. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String({ description: 'Stable; meant for programs' }),
  detail: Type.String({ description: 'What happened and what to do; meant for people' }),
  retryable: Type.Boolean(),
  request_id: Type.String(),
})
