import { accountRefusals } from '../kit/refusals/account-refusals.ts'
import { COMMON, type RefusalTable } from '../kit/refusals/table.ts'
import type { ScanWords } from './scan-en.ts'

/** At a gate people wait: what is refused stands above the camera, and the device decides by its list. */
export const gateRefusals = ({ signIn }: ScanWords) =>
  ({
    ...COMMON,
    invalid_request: ['notice', 'reload'],
    unauthorized: ['notice', 'signIn', () => signIn.again],
    forbidden: ['notice', 'signIn', () => signIn.notStaff],
    second_factor_needed: ['notice', 'console'],
    event_not_found: ['notice', 'reload'],
  }) as const satisfies RefusalTable

/** Guards sign in with the account that staff have. */
export const gateSignInRefusals = ({ signIn }: ScanWords) =>
  ({
    ...accountRefusals,
    organization_not_found: ['form', 'here', () => signIn.unknownOrganization],
  }) as const satisfies RefusalTable
