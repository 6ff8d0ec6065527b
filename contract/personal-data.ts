import { MEMBERSHIP_STATUSES, ROLES } from '@voelgoed/core/access'
import { Type } from 'typebox'
import { Data, DateTime, Name, Nullable, Strict, Uuid } from './common.ts'
import { MAIL_STATUSES } from './mails.ts'
import { ChangedOrder } from './orders.ts'
import { route } from './route.ts'

/** An export has at most so many rows of one kind, the newest. */
export const MAX_EXPORTED = 1_000

const OwnAccount = Data(
  Strict({
    id: Uuid,
    email: Type.String(),
    email_proven: Type.Boolean(),
    name: Nullable(Type.String({ description: 'As its owner gave it; null: they did not' })),
    created_at: DateTime,
    has_password: Type.Boolean({ description: 'false: its owner signs in with the identity provider' }),
  }),
)

export const readAccount = route({
  method: 'GET',
  path: '/api/account',
  summary: 'My account: its address and name, and how I sign in. Guests and API keys have none',
  area: 'Sessions',
  access: 'signed_in',
  withoutSecondFactor: true,
  answers: { 200: OwnAccount },
  refusals: ['forbidden'],
})

export const changeAccount = route({
  method: 'PATCH',
  path: '/api/account',
  summary: 'Change my name. null takes it away',
  area: 'Sessions',
  access: 'signed_in',
  whileSuspended: true,
  body: Strict({ name: Nullable(Name) }),
  example: { name: 'Anna Botha' },
  answers: { 200: OwnAccount },
  refusals: ['forbidden'],
})

const PersonalData = Data(
  Strict({
    exported_at: DateTime,
    organization: Strict({ id: Uuid, name: Type.String(), slug: Type.String() }),
    account: Strict({
      id: Uuid,
      email: Nullable(Type.String()),
      email_proven: Type.Boolean(),
      name: Nullable(Type.String()),
      role: Type.Enum([...ROLES]),
      membership_tier: Nullable(Type.String()),
      membership_status: Nullable(Type.Enum([...MEMBERSHIP_STATUSES])),
      disabled: Type.Boolean(),
      second_factor: Type.Boolean(),
      created_at: DateTime,
    }),
    identities: Type.Array(
      Strict({
        issuer: Type.String({ description: '`password`, or the identity provider' }),
        subject: Type.String(),
        created_at: DateTime,
      }),
    ),
    sessions: Type.Array(
      Strict({
        created_at: DateTime,
        expires_at: DateTime,
        device: Nullable(Type.String()),
        address: Nullable(Type.String()),
      }),
    ),
    orders: Type.Array(Strict(ChangedOrder)),
    holds: Type.Array(
      Strict({
        hold_id: Uuid,
        event_id: Uuid,
        quantity: Type.Integer(),
        status: Type.String(),
        address: Nullable(Type.String({ description: 'The network address that it was taken from' })),
        created_at: DateTime,
      }),
      { description: 'Seats and places that were held, also those that were not bought' },
    ),
    mails: Type.Array(
      Strict({
        kind: Type.String(),
        recipient: Type.String(),
        status: Type.Enum([...MAIL_STATUSES]),
        created_at: DateTime,
      }),
    ),
    whitelists: Type.Array(Strict({ event_id: Uuid, note: Nullable(Type.String()), added_at: DateTime }), {
      description: 'Events whose staff let the address in',
    }),
    guest_places: Type.Array(
      Strict({ event_id: Uuid, email: Type.String(), by_me: Type.Boolean(), named_at: DateTime }),
      { description: 'Places that were named for me, and guests whom I named' },
    ),
    audit: Type.Array(
      Strict({
        at: DateTime,
        action: Type.String(),
        device: Nullable(Type.String()),
        address: Nullable(Type.String()),
      }),
      { description: 'What I did that was noted' },
    ),
    incomplete: Type.Array(Type.String(), {
      description: `Names the lists that have more than ${MAX_EXPORTED} rows: these are the newest`,
    }),
  }),
)

const Erased = Data(
  Strict({
    orders: Type.Integer({ description: 'They stay without a name, an address and attendees' }),
    tickets_to_come: Type.Integer({ description: 'They stay valid, and can not be sent again' }),
    mails: Type.Integer({ description: 'Deleted from the outbox and its history' }),
    sessions_ended: Type.Integer(),
    places_released: Type.Integer(),
  }),
)

export const exportMyData = route({
  method: 'GET',
  path: '/api/account/data',
  summary: 'Everything that the organization has of me, as one document',
  area: 'Sessions',
  access: 'signed_in',
  withoutSecondFactor: true,
  answers: { 200: PersonalData },
  refusals: ['forbidden'],
})

export const eraseMyData = route({
  method: 'POST',
  path: '/api/account/erasure',
  summary:
    'Delete my account, for good. Orders, payments and tickets stay for the books, without what names me. Refused while a payment is open; tickets to come need tickets_stay. Staff ask another admin',
  area: 'Sessions',
  access: 'signed_in',
  whileSuspended: true,
  body: Strict({
    password: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Left out: I signed in with the identity provider in the last ten minutes',
      }),
    ),
    tickets_stay: Type.Optional(
      Type.Boolean({ description: 'I know that tickets to come can not be sent to me again' }),
    ),
  }),
  example: { password: 'the password of my account', tickets_stay: true },
  answers: { 200: Erased },
  refusals: ['forbidden', 'rate_limited', 'open_payment', 'tickets_to_come'],
})

export const exportDataOf = route({
  method: 'GET',
  path: '/api/admin/people/:user/data',
  summary: 'Everything that the organization has of a person, as one document. The audit log notes it',
  area: 'Administration',
  access: ['admin'],
  answers: { 200: PersonalData },
})

export const eraseDataOf = route({
  method: 'DELETE',
  path: '/api/admin/people/:user/data',
  summary:
    'Erase a person, for good: their account, address, name, sessions and mails. Orders, payments and tickets stay for the books, without what names them. Refused while a payment is open; tickets to come need tickets_stay. No admin erases themselves',
  area: 'Administration',
  access: ['admin'],
  query: Strict({
    tickets_stay: Type.Optional(
      Type.Enum(['true'], { description: 'The person knows that tickets to come can not be sent again' }),
    ),
  }),
  answers: { 200: Erased },
  refusals: ['open_payment', 'tickets_to_come'],
})
