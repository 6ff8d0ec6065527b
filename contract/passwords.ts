import { Type } from 'typebox'
import { UserAnswer } from './accounts.ts'
import { Data, Password, Slug, Strict } from './common.ts'
import { route } from './route.ts'

export const changePassword = route({
  method: 'POST',
  path: '/api/accounts/password',
  summary:
    'Choose another password. All other sessions of the account end, and a mail tells its owner. Wrong attempts are limited like those of signing in',
  area: 'Sessions',
  access: 'signed_in',
  whileSuspended: true,
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
  whileSuspended: true,
  body: Strict({ organization: Slug, email: Type.String({ maxLength: 254 }) }),
  example: { organization: 'karoo-stage', email: 'anna@example.org' },
  answers: { 202: null },
  refusals: ['rate_limited'],
})

export const resetPassword = route({
  method: 'POST',
  path: '/api/password-resets/:reset_token',
  summary:
    'Choose a password with the token of a mail: once, within an hour, or within seven days of an invitation or a mail that confirms an address. All sessions of the account end, and its address is proven',
  area: 'Sessions',
  access: 'public',
  whileSuspended: true,
  body: Strict({ password: Password }),
  example: { password: 'a longer password' },
  answers: { 204: null },
  refusals: ['rate_limited'],
})

export const askForConfirmation = route({
  method: 'POST',
  path: '/api/accounts/email-confirmations',
  summary:
    'Ask for a mail with a link to confirm the address of my account. Whitelists and memberships count for confirmed addresses. An account gets one such mail in five minutes; one that is confirmed gets none',
  area: 'Sessions',
  access: 'signed_in',
  whileSuspended: true,
  withoutSecondFactor: true,
  answers: { 202: null },
  refusals: ['forbidden', 'rate_limited'],
})

export const confirmAddress = route({
  method: 'POST',
  path: '/api/accounts/email-confirmations/:reset_token',
  summary:
    'Confirm the address of my account with the token of a mail: once, within seven days, signed in to the account that it was sent to. A reader who did not make that account chooses a password with the same token instead',
  area: 'Sessions',
  access: 'signed_in',
  whileSuspended: true,
  withoutSecondFactor: true,
  answers: { 200: Data(UserAnswer) },
  refusals: ['forbidden', 'rate_limited'],
})
