import { isEmail, normaliseEmail } from '@voelgoed/core/email'
import type { UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { User } from '@voelgoed/kit/http/principals'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import {
  insertUser,
  isLinked,
  linkUser,
  lockUserByEmail,
  type ManagedUser,
  updateUser,
  userByCredential,
} from '../../people/tables/users.ts'
import { endWaysIn } from '../confirm-address.ts'
import { proveAddress } from '../prove-address.ts'
import type { IdentityProvider } from '../tables/identity-providers.ts'
import { refused } from './refused.ts'
import type { Vouched } from './verify-id-token.ts'

type NoAccount = { readonly userId: string | null; readonly refusal: Refusal }

/**
 * The account of the person whom the provider vouches for: the one that is linked with their subject there.
 * Who has none yet is known by their address, if the provider has verified it and the organization allows its
 * domain: from then on the subject alone counts, whatever becomes of the address.
 */
export async function accountOf(
  tx: TenantTx,
  by: AuditActor,
  provider: IdentityProvider,
  { subject, verifiedEmail }: Vouched,
  now: number,
): Promise<Result<User, NoAccount>> {
  const linked = await userByCredential(tx, provider.issuer, subject)
  if (linked) {
    const { user, isDisabled } = linked
    return isDisabled ? no({ kind: 'account_disabled' }, user.userId) : ok(user)
  }
  const email = verifiedEmail === null ? null : normaliseEmail(verifiedEmail)
  if (email === null || !isEmail(email)) return no(refused('email_not_verified'))
  if (!provider.email_domains.includes(email.slice(email.lastIndexOf('@') + 1))) {
    return no(refused('email_domain'))
  }
  const found = await lockUserByEmail(tx, email)
  if (found?.isDisabled) return no({ kind: 'account_disabled' }, found.userId)
  if (found && (await isLinked(tx, provider.issuer, found.userId)))
    return no(refused('other_person'), found.userId)
  const isOfStaff = found !== null && found.role !== 'customer'
  if (!isOfStaff && provider.role_for_new === null) return no(refused('no_account'), found?.userId ?? null)
  const user = isOfStaff
    ? found
    : found
      ? await takeOver(tx, found, provider.role_for_new!)
      : await insertUser(tx, newStaff(email, provider.role_for_new!, now), null)
  // Another request has made the account, or linked it, at this moment.
  if (!user || !(await linkUser(tx, { issuer: provider.issuer, subject, userId: user.userId }))) {
    return no({ kind: 'busy', retryAfterSeconds: 1 })
  }
  await proveAddress(tx, by, user, 'provider')
  await appendAudit(
    tx,
    { ...by, userId: user.userId },
    {
      action: found ? 'account_linked' : 'account_created_by_provider',
      entity: { type: 'user', id: user.userId },
      changes: { issuer: provider.issuer, role: { before: found?.role ?? null, after: user.role } },
    },
  )
  return ok(user)
}

/** The provider has a proof of the address; the person who signed up with it gave none. */
async function takeOver(tx: TenantTx, found: ManagedUser, role: User['role']): Promise<User> {
  const user = { ...found, role }
  await updateUser(tx, user)
  await endWaysIn(tx, found.userId)
  return user
}

function newStaff(email: string, role: User['role'], now: number): User {
  const membership = { membershipTier: null, membershipStatus: null }
  return { userId: uuidV7(now) as UserId, email, isEmailProven: true, role, ...membership }
}

function no(refusal: Refusal, userId: string | null = null): Result<never, NoAccount> {
  return refuse({ userId, refusal })
}
