import { accountRefusals } from '../../kit/refusals/account-refusals.ts'
import type { RefusalTable } from '../../kit/refusals/table.ts'
import type { SignInWords } from './sign-in-en.ts'

/** Staff sign in by password, or come back from the identity provider of their organization. */
export const signInRefusals = ({ signIn, provider }: SignInWords) =>
  ({
    ...accountRefusals,
    organization_not_found: ['form', 'here', () => signIn.unknownOrganization],
    identity_provider_refused: [
      'form',
      'here',
      (words, problem) =>
        provider.refused[String(problem.reason)] ?? words.refusals.identity_provider_refused(problem),
    ],
    identity_provider_unavailable: ['form', 'here'],
    // On this form it stands for the button of the provider, which is beside it.
    password_sign_in_off: ['form', 'here'],
  }) as const satisfies RefusalTable
