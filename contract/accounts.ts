import { MEMBERSHIP_STATUSES, ROLES } from '@voelgoed/core/access'
import { Type } from 'typebox'
import {
  Data,
  DateTime,
  Email,
  List,
  Name,
  Nullable,
  Page,
  Password,
  Slug,
  Strict,
  TimeZone,
  Uuid,
} from './common.ts'
import { StripeAccount } from './organization.ts'
import { route } from './route.ts'
import { SecondFactorCode } from './second-factor.ts'
import { ChangedUser, UserChange } from './users.ts'

const RoleName = Type.Enum([...ROLES])
const MembershipTier = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' })
const MembershipStatus = Type.Enum([...MEMBERSHIP_STATUSES])

const OrganizationAnswer = Strict({ id: Uuid, name: Type.String(), slug: Type.String() })

const OrganizationState = Strict({
  id: Uuid,
  name: Type.String(),
  slug: Type.String(),
  suspended: Type.Boolean(),
  suspended_reason: Nullable(Type.String({ description: 'What its staff are told' })),
  stripe_account: Nullable(Type.String({ description: 'null: the platform’s own account takes the money' })),
  stripe_account_wanted: Nullable(
    Type.String({ description: 'An admin has named it: find out whose it is before you set it' }),
  ),
  created_at: DateTime,
})

export const UserAnswer = Strict({
  id: Uuid,
  email: Nullable(Type.String()),
  email_proven: Type.Boolean({
    description: 'Whitelists and memberships count for the address: its reader has confirmed it',
  }),
  role: RoleName,
  membership_tier: Nullable(Type.String({ description: 'Only with a proven address, or none' })),
  membership_status: Nullable(MembershipStatus),
})

export const SessionAnswer = Strict({
  token: Type.String(),
  expires_at: DateTime,
  user: UserAnswer,
  organization: OrganizationAnswer,
})

export const createOrganization = route({
  method: 'POST',
  path: '/api/platform/organizations',
  summary: "Create an organization. Its storefront is at /<slug>, so the server's own addresses are none",
  area: 'Platform',
  access: 'root',
  body: Strict({ name: Name, slug: Slug, time_zone: Type.Optional(TimeZone) }),
  example: { name: 'Karoo Stage', slug: 'karoo-stage', time_zone: 'Africa/Johannesburg' },
  answers: {
    201: Data(Strict({ id: Uuid, name: Type.String(), slug: Type.String(), time_zone: Type.String() })),
  },
  refusals: ['already_exists'],
  idempotencyKey: true,
})

export const listOrganizations = route({
  method: 'GET',
  path: '/api/platform/organizations',
  summary: 'All organizations, in the order of their making',
  area: 'Platform',
  access: 'root',
  query: Strict(Page),
  answers: { 200: List(OrganizationState) },
})

export const changeOrganization = route({
  method: 'PATCH',
  path: '/api/platform/organizations/:org',
  summary:
    'Rename or suspend an organization, or say which account at Stripe takes its money from the next payment on (null: the platform’s own; nothing is wanted any more then; already_exists: another organization has it). While it is suspended it sells and changes nothing: its users can sign in, read, and release what they hold; its gates admit those who have tickets; payments that are under way come to their end. Nothing is deleted, and holds run out as usual',
  area: 'Platform',
  access: 'root',
  body: Strict({
    name: Type.Optional(Name),
    suspended: Type.Optional(Type.Boolean()),
    reason: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          maxLength: 500,
          pattern: '\\S',
          description: 'Why it is suspended, as its staff read it. It goes when the suspension does',
        }),
      ),
    ),
    stripe_account: Type.Optional(Nullable(StripeAccount)),
  }),
  example: { suspended: false },
  answers: { 200: Data(OrganizationState) },
  refusals: ['already_exists'],
})

export const createUser = route({
  method: 'POST',
  path: '/api/platform/organizations/:org/users',
  summary: 'Create a user of an organization',
  area: 'Platform',
  access: 'root',
  body: Strict({
    email: Email,
    password: Password,
    role: RoleName,
    membership_tier: Type.Optional(Nullable(MembershipTier)),
    membership_status: Type.Optional(Nullable(MembershipStatus)),
  }),
  example: { email: 'anna@example.org', password: 'a long password', role: 'organizer' },
  answers: { 201: Data(UserAnswer) },
  refusals: ['already_exists'],
  idempotencyKey: true,
})

export const updateUser = route({
  method: 'PATCH',
  path: '/api/platform/organizations/:org/users/:user',
  summary:
    'Change the role or the membership of a user, or disable them; works at once, also on open sessions',
  area: 'Platform',
  access: 'root',
  body: UserChange,
  example: { membership_tier: 'voelgoed_vriendinne', membership_status: 'active' },
  answers: { 200: ChangedUser },
  refusals: ['last_admin', 'rate_limited'],
})

export const signIn = route({
  method: 'POST',
  path: '/api/sessions',
  summary:
    'Sign in with email and password, and with a code where the account has a second factor: without one the answer is second_factor_required',
  area: 'Sessions',
  access: 'public',
  whileSuspended: true,
  body: Strict({
    organization: Slug,
    email: Type.String({ maxLength: 254 }),
    password: Type.String({ maxLength: 200 }),
    code: Type.Optional(SecondFactorCode),
  }),
  example: { organization: 'karoo-stage', email: 'anna@example.org', password: 'a long password' },
  answers: { 201: Data(SessionAnswer) },
  refusals: [
    'unauthorized',
    'organization_not_found',
    'rate_limited',
    'account_disabled',
    'second_factor_required',
    'second_factor_wrong',
    'password_sign_in_off',
  ],
})

export const startGuestSession = route({
  method: 'POST',
  path: '/api/sessions/guest',
  summary: 'Start as a guest: a buyer without an account',
  area: 'Sessions',
  access: 'public',
  whileSuspended: true,
  body: Strict({ organization: Slug }),
  example: { organization: 'karoo-stage' },
  answers: { 201: Data(SessionAnswer) },
  otherSites: true,
  refusals: ['organization_not_found', 'rate_limited'],
})

export const signUp = route({
  method: 'POST',
  path: '/api/accounts',
  summary: 'Sign up as a customer, and be signed in',
  area: 'Sessions',
  access: 'public',
  body: Strict({ organization: Slug, email: Email, password: Password }),
  example: { organization: 'karoo-stage', email: 'ben@example.org', password: 'another long password' },
  answers: { 201: Data(SessionAnswer) },
  refusals: ['organization_not_found', 'already_exists', 'rate_limited'],
  idempotencyKey: true,
})

export const whoAmI = route({
  method: 'GET',
  path: '/api/session',
  summary: 'Who I am',
  area: 'Sessions',
  access: 'signed_in',
  withoutSecondFactor: true,
  answers: {
    200: Data(
      Strict({
        expires_at: Nullable(DateTime),
        user: UserAnswer,
        organization: OrganizationAnswer,
        suspension: Nullable(
          Strict(
            { since: DateTime, reason: Nullable(Type.String({ description: 'For staff' })) },
            { description: 'The platform has suspended the organization: it sells and changes nothing' },
          ),
        ),
      }),
    ),
  },
})

export const signOut = route({
  method: 'DELETE',
  path: '/api/session',
  summary: 'Sign out: the token is dead from then on',
  area: 'Sessions',
  access: 'signed_in',
  withoutSecondFactor: true,
  whileSuspended: true,
  answers: { 204: null },
  refusals: ['forbidden'],
})
