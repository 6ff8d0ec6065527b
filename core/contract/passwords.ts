import { Type } from 'typebox'
import { Password, Slug, Strict } from './common.ts'
import { route } from './route.ts'

export const changePassword = route({
  method: 'POST',
  path: '/api/accounts/password',
  summary:
    'Choose another password. All other sessions of the account end, and a mail tells its owner. Wrong attempts are limited like those of signing in',
  area: 'Sessions',
  access: 'signed_in',
  withoutSecondFactor: true,
  body: Strict({ current: Type.String({ maxLength: 200 }), new: Password }),
  example: { current: 'a long password', new: 'a longer password' },
  answers: { 204: null },
  refusals: ['forbidden', 'rate_limited'],
})

export const requestPasswordReset = route({
  method: 'POST',
  path: '/api/password-resets',
  summary:
    'Ask for a mail with a link to choose a new password. The answer is always the same, whether there is such an account or not. An account gets one such mail in five minutes',
  area: 'Sessions',
  access: 'public',
  body: Strict({ organization: Slug, email: Type.String({ maxLength: 254 }) }),
  example: { organization: 'karoo-stage', email: 'anna@example.org' },
  answers: { 202: null },
  refusals: ['rate_limited'],
})

export const resetPassword = route({
  method: 'POST',
  path: '/api/password-resets/:reset_token',
  summary:
    'Choose a password with the token of a mail: once, within an hour, or within seven days of an invitation. All sessions of the account end',
  area: 'Sessions',
  access: 'public',
  body: Strict({ password: Password }),
  example: { password: 'a longer password' },
  answers: { 204: null },
  refusals: ['rate_limited'],
})
