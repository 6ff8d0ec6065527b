import { COMMON, type RefusalTable } from './table.ts'

/** Signing in, signing up, and what a guest held coming along. */
export const accountRefusals = {
  ...COMMON,
  invalid_request: ['field', 'here'],
  unauthorized: ['form', 'here', words => words.account.wrongPassword],
  forbidden: ['form', 'here'],
  account_disabled: ['form', 'ask'],
  already_exists: ['field', 'signIn'],
  second_factor_required: ['field', 'here'],
  second_factor_wrong: ['field', 'here'],
  password_sign_in_off: ['form', 'console'],
  not_found: ['form', 'link', words => words.password.linkIsOver],
  hold_not_found: ['dialog', 'here'],
  hold_in_payment: ['dialog', 'here'],
  seat_not_available: ['dialog', 'here'],
} as const satisfies RefusalTable

/** A forgotten password, a new one, and a link that confirms an address. */
export const passwordRefusals = {
  ...COMMON,
  invalid_request: ['field', 'here'],
  forbidden: ['form', 'here', words => words.confirm.otherAccount],
  not_found: ['form', 'link', words => words.password.linkIsOver],
} as const satisfies RefusalTable
