import type { ProviderRefusal, Refusal } from '@voelgoed/core/refusal'

const DETAILS: Readonly<Record<ProviderRefusal, string>> = {
  not_set_up: 'The organization has no identity provider. Sign in with your password.',
  attempt_over:
    'This sign-in was used before, is older than ten minutes, or began in another browser. Start again.',
  code_refused: 'The provider did not take the code, or not the secret of the client. Start again.',
  token_invalid: 'What the provider says of you could not be verified. Start again.',
  email_not_verified: 'The provider does not say that your e-mail address is verified. Ask who runs it.',
  email_domain: 'Your e-mail address is not of a domain that the organization allows.',
  other_person:
    'The account with your e-mail address belongs to another person at the provider. Ask an admin to unlink it.',
  no_account: 'You have no account of staff here. Ask an admin to invite you, then sign in again.',
}

export function refused(reason: ProviderRefusal): Refusal {
  return { kind: 'identity_provider_refused', reason, detail: DETAILS[reason] }
}
