import { normaliseEmail } from '@voelgoed/core/email'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { SignedIn } from '@voelgoed/kit/http/principals'
import { readResetToken } from '@voelgoed/kit/http/tokens'
import { announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { queueMail } from '../mail/outbox.ts'
import type { Organization } from '../people/tables/organizations.ts'
import {
  findUserByEmail,
  lockUser,
  type ManagedUser,
  readPassword,
  writePassword,
} from '../people/tables/users.ts'
import { proveAddress } from './prove-address.ts'
import { type AccountDeps, ATTEMPTS, isPasswordOff, targetOf } from './sign-in.ts'
import { endPasswordResets, findPasswordReset } from './tables/password-resets.ts'
import { deleteSessionsOf, isFreshByProvider } from './tables/sessions.ts'
import { countAttempt, rememberSignIn, takeAttemptBack } from './tables/sign-in-failures.ts'

const BUSY: Refusal = { kind: 'busy', retryAfterSeconds: 1 }
const WRONG_CURRENT: Refusal = {
  kind: 'invalid_request',
  errors: [{ path: '/current', message: 'is not your password' }],
}
const WRONG_PASSWORD: Refusal = {
  kind: 'invalid_request',
  errors: [{ path: '/password', message: 'is not your password' }],
}
const PASSWORD_NEEDED: Refusal = {
  kind: 'invalid_request',
  errors: [
    {
      path: '/password',
      message: 'is needed, or a sign-in with the identity provider in the last ten minutes',
    },
  ],
}
const FRESH_SECONDS = 10 * 60
const NO_PASSWORD: Refusal = {
  kind: 'forbidden',
  required: ['customer', 'scanner', 'support', 'organizer', 'admin'],
  detail: 'Guests and API keys have no password. Sign in to an account.',
}
/** An account gets at most one mail in so long, however often it is asked for. */
const MAIL_EVERY_MS = 5 * 60_000

/** A user who knows the current password chooses another one. Attempts count with those of signing in. */
export async function changePassword(
  deps: Omit<AccountDeps, 'secondFactors'>,
  by: AuditActor,
  principal: SignedIn,
  claim: {
    readonly current: string
    readonly next: string
    readonly addressKey: string
    locale: string | null
  },
): Promise<Result<null, Refusal>> {
  const { database, passwords } = deps
  const { scope } = principal
  const { userId, email } = principal.user
  if (email === null || principal.isApiKey) return refuse(NO_PASSWORD)
  const target = targetOf({ email, addressKey: claim.addressKey })
  const { attempt, stored } = await database.tenant(scope, async tx => ({
    attempt: await countAttempt(tx, target, ATTEMPTS),
    stored: await readPassword(tx, userId),
  }))
  if (!attempt.allowed) return refuse({ kind: 'rate_limited', retryAfterSeconds: attempt.waitSeconds })
  const matches = await passwords.verify(stored, claim.current)
  const hash = matches ? await passwords.hash(claim.next) : null
  if (matches === null || (matches && hash === null)) {
    await database.tenant(scope, tx => takeAttemptBack(tx, target, ATTEMPTS))
    return refuse(BUSY)
  }
  const result = await database.tenant(scope, async (tx): Promise<Result<null, Refusal>> => {
    const user = hash === null ? null : await lockUser(tx, userId)
    // Another request may have changed it since it was verified.
    const isCurrent = user !== null && (await readPassword(tx, userId)) === stored
    if (!isCurrent) {
      await appendAudit(tx, by, {
        action: 'password_change_refused',
        entity: { type: 'user', id: userId },
        changes: { attempt: attempt.failures },
      })
      return refuse(WRONG_CURRENT)
    }
    await rememberSignIn(tx, target, ATTEMPTS)
    const sessionsEnded = await setPassword(tx, user, hash!, { exceptSession: principal.tokenHash })
    await appendAudit(tx, by, {
      action: 'password_changed',
      entity: { type: 'user', id: userId },
      changes: { sessions_ended: sessionsEnded },
    })
    await tellOwner(tx, user, claim.locale, deps.clock.now())
    return ok(null)
  })
  // This node forgets before it answers; the others when they hear the announcement.
  if (result.ok) deps.principals.forgetUser(scope.organizationId, userId)
  return result
}

/**
 * Checks, before something that lasts, that the owner of the session is in front of the browser: by their
 * password, or because the identity provider has just vouched for them. Its people may have no password.
 */
export async function verifyOwner(
  deps: Pick<AccountDeps, 'database' | 'passwords'>,
  principal: SignedIn,
  claim: { readonly password?: string | undefined; readonly addressKey: string },
): Promise<Result<null, Refusal>> {
  const { password, addressKey } = claim
  if (password !== undefined) return verifyOwnPassword(deps, principal, { password, addressKey })
  const isFresh = await deps.database.tenant(principal.scope, tx =>
    isFreshByProvider(tx, principal.tokenHash, FRESH_SECONDS),
  )
  return isFresh ? ok(null) : refuse(PASSWORD_NEEDED)
}

/** Checks the password of a person who is signed in. Attempts count with those of signing in. */
async function verifyOwnPassword(
  { database, passwords }: Pick<AccountDeps, 'database' | 'passwords'>,
  { scope, user }: SignedIn,
  claim: { readonly password: string; readonly addressKey: string },
): Promise<Result<null, Refusal>> {
  if (user.email === null) return refuse(NO_PASSWORD)
  const target = targetOf({ email: user.email, addressKey: claim.addressKey })
  const { attempt, stored } = await database.tenant(scope, async tx => ({
    attempt: await countAttempt(tx, target, ATTEMPTS),
    stored: await readPassword(tx, user.userId),
  }))
  if (!attempt.allowed) return refuse({ kind: 'rate_limited', retryAfterSeconds: attempt.waitSeconds })
  const matches = await passwords.verify(stored, claim.password)
  if (matches !== false) await database.tenant(scope, tx => takeAttemptBack(tx, target, ATTEMPTS))
  if (matches === null) return refuse(BUSY)
  return matches ? ok(null) : refuse(WRONG_PASSWORD)
}

/**
 * Queues a mail to the owner of an account, who may have no password yet because they sign in with the
 * identity provider. Invited people wait for their invitation: it has an end, and staff send it again. An
 * address without an account takes the same steps: a look-up and an audit entry in one transaction. The mail
 * goes out later, so it tells nothing by its time.
 */
export async function requestReset(
  deps: Pick<AccountDeps, 'database' | 'clock'>,
  by: AuditActor,
  ask: { readonly organization: Organization; readonly email: string; readonly locale: string | null },
): Promise<void> {
  await deps.database.tenant(TenantScope.of(ask.organization.id), async tx => {
    const found = await findUserByEmail(tx, normaliseEmail(ask.email))
    const account = found ? await resettable(tx, found) : 'unknown'
    if (found && account === 'known') {
      const slot = Math.floor(deps.clock.now() / MAIL_EVERY_MS)
      await queueMail(tx, {
        kind: 'password_reset',
        to: found.email!,
        locale: ask.locale,
        key: `password_reset:${found.userId}:${slot}`,
        data: { userId: found.userId },
      })
    }
    await appendAudit(tx, found ? { ...by, userId: found.userId } : by, {
      action: 'password_reset_requested',
      ...(found && { entity: { type: 'user', id: found.userId } }),
      changes: { account },
    })
  })
}

/** A password that would sign its owner in nowhere is not offered. */
async function resettable(tx: TenantTx, user: ManagedUser): Promise<string> {
  if (user.isDisabled || user.email === null) return 'disabled'
  if (user.isInvited) return 'invited'
  const isOfUse = !(await isPasswordOff(tx, user)) || (user.role === 'admin' && user.hasSecondFactor)
  return isOfUse ? 'known' : 'password_sign_in_off'
}

/**
 * The reader of the mail chooses a password: once, and every session of the account ends. A stranger may have
 * opened those: the account is the reader's from now on, so its address is proven.
 */
export async function resetPassword(
  deps: Omit<AccountDeps, 'secondFactors'>,
  by: AuditActor,
  claim: { readonly token: string; readonly password: string; readonly locale: string | null },
): Promise<Result<null, Refusal>> {
  const read = readResetToken(claim.token)
  if (!read) return refuse({ kind: 'not_found' })
  const scope = TenantScope.of(read.organizationId)
  // First whether it is good at all: hashing is for those who have a token.
  const isOpen = await deps.database.tenant(scope, async tx => {
    tx.discard()
    return (await findPasswordReset(tx, read.hash)) !== null
  })
  if (!isOpen) return refuse({ kind: 'not_found' })
  const hash = await deps.passwords.hash(claim.password)
  if (hash === null) return refuse(BUSY)
  const result = await deps.database.tenant(scope, async (tx): Promise<Result<ManagedUser, Refusal>> => {
    const userId = await findPasswordReset(tx, read.hash, { lock: true })
    const user = userId && (await lockUser(tx, userId))
    if (!user || user.isDisabled) return refuse({ kind: 'not_found' })
    const sessionsEnded = await setPassword(tx, user, hash, { exceptSession: null })
    await proveAddress(tx, by, user, 'new_password')
    await appendAudit(
      tx,
      { ...by, userId: user.userId },
      {
        action: user.isInvited ? 'invitation_accepted' : 'password_reset',
        entity: { type: 'user', id: user.userId },
        changes: { sessions_ended: sessionsEnded },
      },
    )
    if (!user.isInvited) await tellOwner(tx, user, claim.locale, deps.clock.now())
    return ok(user)
  })
  if (!result.ok) return result
  deps.principals.forgetUser(scope.organizationId, result.value.userId)
  return ok(null)
}

/** A new password ends the sessions that an older one opened, and the tokens to replace it. */
async function setPassword(
  tx: TenantTx,
  user: ManagedUser,
  hash: string,
  { exceptSession }: { readonly exceptSession: Buffer | null },
): Promise<number> {
  await writePassword(tx, user, hash)
  await endPasswordResets(tx, user.userId)
  const ended = await deleteSessionsOf(tx, user.userId, exceptSession)
  await announceUserChanged(tx, user.userId)
  return ended
}

async function tellOwner(tx: TenantTx, user: ManagedUser, locale: string | null, now: number): Promise<void> {
  if (user.email === null) return
  await queueMail(tx, {
    kind: 'password_changed',
    to: user.email,
    locale,
    key: `password_changed:${user.userId}:${now}`,
    data: { userId: user.userId },
  })
}
