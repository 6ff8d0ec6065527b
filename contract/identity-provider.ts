import { Type } from 'typebox'
import { SessionAnswer } from './accounts.ts'
import { Data, Name, Nullable, Slug, Strict } from './common.ts'
import { route } from './route.ts'
import { SecondFactorCode } from './second-factor.ts'

const Issuer = Type.String({
  pattern: '^https?://[A-Za-z0-9.\\[\\]:_/~%-]{1,480}$',
  maxLength: 500,
  description:
    'The address of the provider as it names itself, like https://login.example.org/tenant; https, and no query',
})

const EmailDomain = Type.String({
  pattern: '^[a-z0-9-]{1,63}(\\.[a-z0-9-]{1,63}){1,8}$',
  maxLength: 253,
  description: 'Of addresses after the @, in lower case',
})

/** People without an account never become admins by themselves. */
const ROLES_FOR_NEW = ['scanner', 'support', 'organizer'] as const

const settings = {
  name: Type.String({ ...Name, maxLength: 100, description: 'What the button says: Sign in with …' }),
  issuer: Issuer,
  client_id: Type.String({ minLength: 1, maxLength: 500, pattern: '^[\\x21-\\x7e]+$' }),
  email_domains: Type.Array(EmailDomain, {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: 'A person signs in for the first time with a verified address of one of these domains',
  }),
  role_for_new: Nullable(
    Type.Enum([...ROLES_FOR_NEW], {
      description: 'What people without an account become; null: they are invited first',
    }),
  ),
  counts_as_second_factor: Type.Boolean({
    description: 'The provider asks for a second factor itself, so no other one is asked for here',
  }),
  password_sign_in: Type.Boolean({
    description:
      'false: support, organizers and admins sign in with the provider only. Admins with a second factor can always use their password and a code: the way in when the provider is down',
  }),
}

const IdentityProvider = Strict({
  provider: Nullable(Strict(settings, { description: 'null: there is none. Its secret is never shown' })),
  redirect_uri: Type.String({ description: 'To be entered at the provider, as it stands' }),
})

export const readIdentityProvider = route({
  method: 'GET',
  path: '/api/admin/organization/identity-provider',
  summary: "The organization's own identity provider (OpenID Connect), by which its staff sign in",
  area: 'Administration',
  access: ['admin'],
  answers: { 200: Data(IdentityProvider) },
})

export const setIdentityProvider = route({
  method: 'PUT',
  path: '/api/admin/organization/identity-provider',
  summary:
    'Set the identity provider. The secret may be left out while issuer and client_id stay as they are. Who turns passwords off has a password and a second factor themselves',
  area: 'Administration',
  access: ['admin'],
  body: Strict({
    ...settings,
    client_secret: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Kept sealed, and not shown again' }),
    ),
  }),
  example: {
    name: 'Karoo Stage',
    issuer: 'https://login.example.org',
    client_id: 'seating',
    client_secret: 'the secret of the client',
    email_domains: ['example.org'],
    role_for_new: null,
    counts_as_second_factor: false,
    password_sign_in: true,
  },
  answers: { 200: Data(IdentityProvider) },
  refusals: ['second_factor_needed'],
})

export const removeIdentityProvider = route({
  method: 'DELETE',
  path: '/api/admin/organization/identity-provider',
  summary:
    'Remove the identity provider. Sessions that it opened go on; people without a password ask for one by mail',
  area: 'Administration',
  access: ['admin'],
  answers: { 204: null },
  refusals: ['not_found'],
})

export const testIdentityProvider = route({
  method: 'POST',
  path: '/api/admin/organization/identity-provider/test',
  summary: 'Ask a provider for its addresses and keys, as a sign-in would. Nothing is kept',
  area: 'Administration',
  access: ['admin'],
  body: Strict({ issuer: Issuer }),
  example: { issuer: 'https://login.example.org' },
  answers: {
    200: Data(
      Strict({
        authorization_endpoint: Type.String(),
        token_endpoint: Type.String(),
        keys: Type.Integer({ description: 'That sign with RS256 or ES256' }),
      }),
    ),
  },
  refusals: ['identity_provider_unavailable', 'rate_limited'],
})

export const unlinkUser = route({
  method: 'DELETE',
  path: '/api/admin/users/:user/identity',
  summary:
    'Unlink another person from the identity provider, and end their sessions: the next person whom the provider vouches for with this address gets the account',
  area: 'Administration',
  access: ['admin'],
  answers: { 200: Data(Strict({ sessions_ended: Type.Integer() })) },
  refusals: ['not_found'],
})

export const readSignInWays = route({
  method: 'GET',
  path: '/api/sessions/ways',
  summary:
    'How staff sign in to an organization: by password, with its identity provider, or both; and whether a forgotten password can be helped by mail',
  area: 'Sessions',
  access: 'public',
  query: Strict({ organization: Slug }),
  answers: {
    200: Data(
      Strict({
        password: Type.Boolean({ description: 'false: of staff, admins with a second factor alone' }),
        provider: Nullable(Strict({ name: Type.String() })),
        sends_mails: Type.Boolean({
          description: 'false: no mail server is configured, so a forgotten password needs staff',
        }),
      }),
    ),
  },
  refusals: ['organization_not_found'],
})

const Secret = Type.String({ minLength: 20, maxLength: 200 })

export const beginProviderSignIn = route({
  method: 'POST',
  path: '/api/sessions/provider',
  summary:
    'Begin to sign in with the identity provider. The browser goes to authorization_url, and comes back to redirect_uri within ten minutes',
  area: 'Sessions',
  access: 'public',
  whileSuspended: true,
  body: Strict({ organization: Slug }),
  example: { organization: 'karoo-stage' },
  answers: {
    201: Data(
      Strict({
        authorization_url: Type.String(),
        browser_secret: Type.String({
          description: 'The page keeps it: the sign-in is finished only with it, so only in this browser',
        }),
      }),
    ),
  },
  refusals: [
    'organization_not_found',
    'rate_limited',
    'identity_provider_refused',
    'identity_provider_unavailable',
  ],
})

export const finishProviderSignIn = route({
  method: 'POST',
  path: '/api/sessions/provider/finish',
  summary:
    'Finish signing in with what the provider added to redirect_uri. Where a second factor is asked for as well, send the same again with second_factor',
  area: 'Sessions',
  access: 'public',
  whileSuspended: true,
  body: Strict({
    organization: Slug,
    state: Secret,
    browser_secret: Secret,
    code: Type.String({ minLength: 1, maxLength: 2_000, description: 'Of the provider; it works once' }),
    iss: Type.Optional(Type.String({ maxLength: 500, description: 'If the provider added it' })),
    second_factor: Type.Optional(SecondFactorCode),
  }),
  example: {
    organization: 'karoo-stage',
    state: 'what the provider added to the address',
    browser_secret: 'what the answer of the beginning said',
    code: 'what the provider added to the address',
  },
  answers: { 201: Data(SessionAnswer) },
  refusals: [
    'organization_not_found',
    'rate_limited',
    'account_disabled',
    'identity_provider_refused',
    'identity_provider_unavailable',
    'second_factor_required',
    'second_factor_wrong',
  ],
})
