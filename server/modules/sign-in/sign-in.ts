import { isClosedWhileSuspended, type Route } from '@voelgoed/contract/route'
import { isEmail, normaliseEmail } from '@voelgoed/core/email'
import type { UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Clock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Principals, SignedIn, User } from '@voelgoed/kit/http/principals'
import { hashSecret, makeToken } from '@voelgoed/kit/http/tokens'
import { announceTokenRevoked } from '@voelgoed/kit/postgres/announcements'
import type { Database, TenantTx } from '@voelgoed/kit/postgres/database'
import { type Organization, organizationBySlug } from '../people/tables/organizations.ts'
import {
  asUser,
  insertUser,
  lockUser,
  type ManagedUser,
  PASSWORD_ISSUER,
  readPassword,
  userByCredential,
} from '../people/tables/users.ts'
import type { Passwords } from './passwords.ts'
import { queueConfirmation } from './prove-address.ts'
import type { SecondFactors } from './second-factor.ts'
import { readIdentityProvider } from './tables/identity-providers.ts'
import { deleteSession, insertSession } from './tables/sessions.ts'
import {
  type AttemptLimits,
  countAttempt,
  isKnownAddress,
  rememberSignIn,
  type Target,
  takeAttemptBack,
} from './tables/sign-in-failures.ts'

export interface AccountDeps {
  readonly database: Database
  readonly clock: Clock
  readonly passwords: Passwords
  readonly principals: Principals
  readonly secondFactors: SecondFactors
}

export interface NewSession {
  readonly token: string
  readonly expiresAt: number
  readonly user: User
  readonly organization: Organization
}

const SESSION_SECONDS = 12 * 60 * 60

/**
 * An attacker who guesses from one address locks that address out. One who guesses from many slows new
 * addresses down, by half a minute at most: the owner of the account can still sign in, and always from where
 * they did before.
 */
export const ATTEMPTS: AttemptLimits = {
  windowSeconds: 15 * 60,
  perAddress: 10,
  freePerAccount: 10,
  maxDelaySeconds: 30,
}

const WRONG: Refusal = {
  kind: 'unauthorized',
  detail: 'Email and password do not match an account of this organization.',
}
/** The schema let it through, and normalising it showed that it is none. */
export const NO_EMAIL: Refusal = {
  kind: 'invalid_request',
  errors: [{ path: '/email', message: 'has the wrong form: see the documentation' }],
}
const BUSY: Refusal = { kind: 'busy', retryAfterSeconds: 1 }

/**
 * An unknown email and a wrong password take the same steps, the same time and give the same answer. The
 * attempt is counted before the password is looked at, so that many at once can't all slip under the limit.
 */
export async function signIn(
  deps: AccountDeps,
  by: AuditActor,
  claim: {
    readonly organization: Organization
    readonly email: string
    readonly password: string
    readonly code?: string | undefined
    readonly addressKey: string
  },
): Promise<Result<NewSession, Refusal>> {
  const { organization } = claim
  const scope = TenantScope.of(organization.id)
  const subject = normaliseEmail(claim.email)
  const target = targetOf(claim)

  const { attempt, found } = await deps.database.tenant(scope, async tx => ({
    attempt: await countAttempt(tx, target, ATTEMPTS),
    found: await userByCredential(tx, PASSWORD_ISSUER, subject),
  }))
  if (!attempt.allowed) return refuse({ kind: 'rate_limited', retryAfterSeconds: attempt.waitSeconds })
  const matches = await deps.passwords.verify(found?.secretHash ?? null, claim.password)
  if (matches === null) {
    await deps.database.tenant(scope, tx => takeAttemptBack(tx, target, ATTEMPTS))
    return refuse(BUSY)
  }

  return deps.database.tenant(scope, async tx => {
    const user = matches && found ? await lockIfUnchanged(tx, found) : null
    if (!user) {
      await appendAudit(tx, found ? { ...by, userId: found.user.userId } : by, {
        action: 'sign_in_refused',
        ...(found && { entity: { type: 'user', id: found.user.userId } }),
        changes: { reason: found ? 'wrong_password' : 'unknown_email', attempt: attempt.failures },
      })
      return refuse(WRONG)
    }
    // Only the one who knows the password learns that the account is disabled.
    if (user.isDisabled) {
      await appendAudit(
        tx,
        { ...by, userId: user.userId },
        {
          action: 'sign_in_refused',
          entity: { type: 'user', id: user.userId },
          changes: { reason: 'account_disabled', attempt: attempt.failures },
        },
      )
      return refuse<Refusal>({ kind: 'account_disabled' })
    }
    const isOff = await isPasswordOff(tx, user)
    if (isOff && user.role !== 'admin') return refusePassword(tx, by, user)
    const judged = await deps.secondFactors.judge(tx, user.userId, claim.code ?? null)
    if (!judged.ok) {
      // No code was tried, so there was no wrong one.
      if (judged.problem.kind === 'second_factor_required') await takeAttemptBack(tx, target, ATTEMPTS)
      else await refuseCode(tx, by, user, judged.problem.kind)
      return judged
    }
    if (isOff && judged.value === 'not asked for') return refusePassword(tx, by, user)
    await rememberSignIn(tx, target, ATTEMPTS)
    const action = judged.value === 'recovery code' ? 'session_started_by_recovery_code' : 'session_started'
    return ok(await startSession(tx, { ...by, actor: 'user' }, organization, user, { action }))
  })
}

/**
 * The account as it is now. Its owner may have chosen another password while this one was verified, which
 * ended all sessions: none may begin with the old one after that. Null: this has happened.
 */
async function lockIfUnchanged(
  tx: TenantTx,
  found: { readonly user: User; readonly secretHash: string | null },
): Promise<ManagedUser | null> {
  const user = await lockUser(tx, found.user.userId)
  return user && (await readPassword(tx, user.userId)) === found.secretHash ? user : null
}

/**
 * Staff whose organization has them sign in with its identity provider alone. An admin's second factor stays
 * a way in: without one, a provider that is down would lock everyone out.
 */
export async function isPasswordOff(tx: TenantTx, { role }: User): Promise<boolean> {
  if (role === 'customer' || role === 'scanner') return false
  const provider = await readIdentityProvider(tx)
  return provider !== null && !provider.password_sign_in
}

async function refusePassword(tx: TenantTx, by: AuditActor, user: User): Promise<Result<never, Refusal>> {
  await refuseCode(tx, by, user, 'password_sign_in_off')
  return refuse({ kind: 'password_sign_in_off' })
}

async function refuseCode(tx: TenantTx, by: AuditActor, user: User, reason: string): Promise<void> {
  await appendAudit(
    tx,
    { ...by, userId: user.userId },
    { action: 'sign_in_refused', entity: { type: 'user', id: user.userId }, changes: { reason } },
  )
}

/**
 * Tells if the owner of this account signed in from this address before, within the time that we remember.
 */
export function hasSignedInFrom(
  database: Database,
  claim: { organization: Organization; email: string; addressKey: string },
): Promise<boolean> {
  const scope = TenantScope.of(claim.organization.id)
  return database.tenant(scope, tx => isKnownAddress(tx, targetOf(claim)))
}

export function targetOf({ email, addressKey }: { email: string; addressKey: string }): Target {
  return { subjectHash: hashSecret(normaliseEmail(email)), addressKey }
}

/** In the caller's transaction, because an Idempotency-Key may have to be stored with it. */
export async function createAccount(
  deps: Pick<AccountDeps, 'clock'>,
  tx: TenantTx,
  by: AuditActor,
  account: {
    organization: Organization
    email: string
    passwordHash: string
    addressKey: string
    locale: string | null
  },
): Promise<Result<NewSession, Refusal>> {
  const subject = normaliseEmail(account.email)
  if (!isEmail(subject)) return refuse(NO_EMAIL)
  const user = await insertUser(tx, newCustomer(deps.clock, subject), account.passwordHash)
  if (!user) return refuse({ kind: 'already_exists', field: 'email' })
  await rememberSignIn(tx, targetOf(account), ATTEMPTS)
  const mail = { kind: 'address_confirmation', locale: account.locale, occasion: 'sign_up' } as const
  await queueConfirmation(tx, { userId: user.userId, email: subject }, mail)
  return ok(
    await startSession(tx, { ...by, actor: 'user' }, account.organization, user, {
      action: 'account_created',
    }),
  )
}

/** A buyer without an account: a user like any other, but with no way to sign in again. */
export async function startGuestSession(
  deps: Omit<AccountDeps, 'secondFactors'>,
  by: AuditActor,
  organization: Organization,
): Promise<Result<NewSession, Refusal>> {
  const user = newCustomer(deps.clock, null)
  return deps.database.tenant(TenantScope.of(organization.id), async tx => {
    await insertUser(tx, user, null)
    return ok(
      await startSession(tx, { ...by, actor: 'user' }, organization, user, {
        action: 'guest_session_started',
      }),
    )
  })
}

export async function signOut(
  deps: Pick<AccountDeps, 'database' | 'principals'>,
  by: AuditActor,
  principal: SignedIn,
): Promise<void> {
  await deps.database.tenant(principal.scope, async tx => {
    await deleteSession(tx, principal.tokenHash)
    await announceTokenRevoked(tx, principal.tokenHash)
    await appendAudit(tx, by, {
      action: 'session_ended',
      entity: { type: 'user', id: principal.user.userId },
    })
  })
  // This node forgets before it answers; the others when they hear the announcement.
  deps.principals.forgetToken(principal.tokenHash)
}

export async function startSession(
  tx: TenantTx,
  by: AuditActor,
  organization: Organization,
  user: User,
  { action, byProvider = false }: { readonly action: string; readonly byProvider?: boolean },
): Promise<NewSession> {
  const token = makeToken(organization.id)
  const expiresAt = await insertSession(tx, {
    tokenHash: hashSecret(token),
    userId: user.userId,
    lifeSeconds: SESSION_SECONDS,
    ip: by.ip,
    userAgent: by.userAgent,
    byProvider,
  })
  await appendAudit(tx, { ...by, userId: user.userId }, { action, entity: { type: 'user', id: user.userId } })
  return { token, expiresAt, user: asUser(user), organization }
}

function newCustomer(clock: Clock, email: string | null): User {
  return {
    userId: uuidV7(clock.now()) as UserId,
    email,
    isEmailProven: false,
    role: 'customer',
    membershipTier: null,
    membershipStatus: null,
  }
}

/** The organization that a route without a token is about. */
export async function openOrganization(
  database: Database,
  slug: string,
  route: Route,
): Promise<Result<Organization, Refusal>> {
  const found = await database.platform('find an organization by its slug', tx =>
    organizationBySlug(tx, slug),
  )
  if (!found) return refuse({ kind: 'organization_not_found' })
  const isClosed = found.isSuspended && isClosedWhileSuspended(route)
  return isClosed ? refuse({ kind: 'organization_suspended' }) : ok(found.organization)
}
