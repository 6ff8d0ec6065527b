import { Type } from 'typebox'
import { Data, Nullable, Strict } from './common.ts'
import { route } from './route.ts'

const staff = ['support', 'organizer', 'admin'] as const

/** An app shows it, or it is a recovery code. */
export const SecondFactorCode = Type.String({
  minLength: 6,
  maxLength: 40,
  description: 'Six digits of the app, or a recovery code',
})

/** That the person in front of the browser is the one who signed in. */
export const OwnerProof = Strict({
  password: Type.Optional(
    Type.String({
      maxLength: 200,
      description:
        'May be left out in a session that the identity provider opened in the last ten minutes: its people may have no password',
    }),
  ),
})

const RecoveryCodes = Data(
  Strict({
    recovery_codes: Type.Array(Type.String(), {
      description: 'Each signs in once in place of a code of the app. They are not shown again',
    }),
  }),
)

export const readSecondFactor = route({
  method: 'GET',
  path: '/api/accounts/second-factor',
  summary: 'Whether I have a second factor, and whether my organization asks for one',
  area: 'Sessions',
  access: staff,
  withoutSecondFactor: true,
  answers: {
    200: Data(
      Strict({
        enabled_at: Nullable(Type.String({ description: 'null: there is none' })),
        recovery_codes_left: Type.Integer(),
        required: Type.Boolean({ description: 'The organization asks its staff for one' }),
      }),
    ),
  },
})

export const beginSecondFactor = route({
  method: 'POST',
  path: '/api/accounts/second-factor',
  summary:
    'Begin to set up a second factor: a secret for an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). It is asked for once a code of it was confirmed',
  area: 'Sessions',
  access: staff,
  whileSuspended: true,
  withoutSecondFactor: true,
  body: OwnerProof,
  example: { password: 'a long password' },
  answers: {
    201: Data(
      Strict({
        secret: Type.String({ description: 'In base32, for apps without a camera' }),
        uri: Type.String({ description: 'otpauth://…: the same, as apps read it' }),
        qr_svg: Type.String({ description: 'The uri as a QR code' }),
      }),
    ),
  },
  refusals: ['invalid_transition', 'rate_limited', 'forbidden'],
})

export const confirmSecondFactor = route({
  method: 'POST',
  path: '/api/accounts/second-factor/confirm',
  summary: 'Turn the second factor on, with a code of the app. Answers with the recovery codes',
  area: 'Sessions',
  access: staff,
  whileSuspended: true,
  withoutSecondFactor: true,
  body: Strict({ code: SecondFactorCode }),
  example: { code: '287082' },
  answers: { 200: RecoveryCodes },
  refusals: ['second_factor_wrong', 'invalid_transition', 'rate_limited'],
})

export const renewRecoveryCodes = route({
  method: 'POST',
  path: '/api/accounts/second-factor/recovery-codes',
  summary: 'New recovery codes, with a code of the app or an old recovery code. The old ones stop working',
  area: 'Sessions',
  access: staff,
  whileSuspended: true,
  body: Strict({ code: SecondFactorCode }),
  example: { code: '287082' },
  answers: { 200: RecoveryCodes },
  refusals: ['second_factor_wrong', 'invalid_transition', 'rate_limited'],
})

export const removeSecondFactor = route({
  method: 'POST',
  path: '/api/accounts/second-factor/remove',
  summary: 'Turn my second factor off, with a code of the app or a recovery code',
  area: 'Sessions',
  access: staff,
  whileSuspended: true,
  body: Strict({ code: SecondFactorCode }),
  example: { code: '287082' },
  answers: { 204: null },
  refusals: ['second_factor_wrong', 'invalid_transition', 'rate_limited'],
})

export const resetSecondFactor = route({
  method: 'DELETE',
  path: '/api/admin/users/:user/second-factor',
  summary:
    'Remove the second factor of another person who lost theirs, and end their sessions: their password alone signs them in until they set one up again',
  area: 'Administration',
  access: ['admin'],
  answers: { 200: Data(Strict({ sessions_ended: Type.Integer() })) },
  refusals: ['not_found'],
})

export const requireSecondFactor = route({
  method: 'PUT',
  path: '/api/admin/organization/second-factor',
  summary:
    'Whether support, organizers and admins need a second factor. Those without one can only set it up, until they have. Scanners and API keys need none. Who turns it on has one themselves',
  area: 'Administration',
  access: ['admin'],
  body: Strict({ required: Type.Boolean() }),
  example: { required: false },
  answers: { 200: Data(Strict({ required: Type.Boolean() })) },
  refusals: ['second_factor_needed'],
})
