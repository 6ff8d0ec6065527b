import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Clock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Principals, SignedIn, User } from '@voelgoed/kit/http/principals'
import { readResetToken } from '@voelgoed/kit/http/tokens'
import { announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { Database, TenantTx } from '@voelgoed/kit/postgres/database'
import { queueMail } from '../mail/outbox.ts'
import { countMailsOfDay } from '../mail/tables/mails.ts'
import { findUser, lockUser, noteEmailProven } from '../people/tables/users.ts'
import { endPasswordReset, findPasswordReset } from './tables/password-resets.ts'

/** An account gets at most one mail in so long that it asks for, and so many of all kinds in a day. */
const MAIL_EVERY_MS = 5 * 60_000
const MAX_MAILS_A_DAY = 5
const A_DAY_MS = 24 * 60 * 60_000

const NO_ADDRESS: Refusal = {
  kind: 'forbidden',
  required: ['customer', 'scanner', 'support', 'organizer', 'admin'],
  detail: 'Guests and API keys have no address to confirm. Sign in to an account.',
}
const OTHER_ACCOUNT: Refusal = {
  kind: 'forbidden',
  required: ['customer', 'scanner', 'support', 'organizer', 'admin'],
  detail: 'This link is for another account. Sign in to that one, or choose a new password for it.',
}

/** From the next request on the whitelist and the membership of this address count for the account. */
export async function proveAddress(
  tx: TenantTx,
  by: AuditActor,
  { userId }: Pick<User, 'userId'>,
  how: 'mail' | 'new_password' | 'provider',
): Promise<void> {
  if (!(await noteEmailProven(tx, userId))) return
  await announceUserChanged(tx, userId)
  await appendAudit(
    tx,
    { ...by, userId },
    { action: 'address_proven', entity: { type: 'user', id: userId }, changes: { how } },
  )
}

/** Queues a mail whose link confirms the address of an account. `occasion` bounds how often. */
export async function queueConfirmation(
  tx: TenantTx,
  { userId, email }: { readonly userId: string; readonly email: string },
  mail: {
    readonly kind: 'address_confirmation' | 'membership_confirmation'
    readonly locale: string | null
    readonly occasion: string
  },
): Promise<void> {
  const { kind, locale, occasion } = mail
  await queueMail(tx, { kind, to: email, locale, key: `${kind}:${userId}:${occasion}`, data: { userId } })
}

/** A membership waits for the proof of its address. Its owner did not ask for it: one a day goes out. */
export function askToConfirmMembership(
  tx: TenantTx,
  owner: { readonly userId: string; readonly email: string },
  now: number,
): Promise<void> {
  const occasion = `day ${Math.floor(now / A_DAY_MS)}`
  return queueConfirmation(tx, owner, { kind: 'membership_confirmation', locale: null, occasion })
}

/** The buyer wants the mail now: for a zone that is open to addresses which are proven. */
export function askForConfirmation(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  by: AuditActor,
  { scope, user: { userId, email }, isApiKey }: SignedIn,
  locale: string | null,
): Promise<Result<null, Refusal>> {
  if (email === null || isApiKey) return Promise.resolve(refuse(NO_ADDRESS))
  return database.tenant(scope, async (tx): Promise<Result<null, Refusal>> => {
    const user = await findUser(tx, userId)
    if (!user || user.isEmailProven) return ok(null)
    if ((await countMailsOfDay(tx, { orderId: null, userId })) >= MAX_MAILS_A_DAY) {
      return refuse({ kind: 'rate_limited', retryAfterSeconds: A_DAY_MS / 1000 })
    }
    const occasion = `asked ${Math.floor(clock.now() / MAIL_EVERY_MS)}`
    await queueConfirmation(tx, { userId, email }, { kind: 'address_confirmation', locale, occasion })
    await appendAudit(tx, by, {
      action: 'address_confirmation_requested',
      entity: { type: 'user', id: userId },
    })
    return ok(null)
  })
}

/**
 * The reader of the mail is signed in to the account that it was sent to, so both are one person. A link
 * alone confirms nothing: its reader may be the owner of the address, and the account a stranger's. They
 * choose a new password with it instead (`resetPassword`), and the stranger is out.
 */
export async function confirmAddress(
  deps: { readonly database: Database; readonly principals: Principals },
  by: AuditActor,
  { scope, user: { userId } }: SignedIn,
  token: string,
): Promise<Result<User, Refusal>> {
  const read = readResetToken(token)
  if (!read || read.organizationId !== scope.organizationId) return refuse({ kind: 'not_found' })
  const result = await deps.database.tenant(TenantScope.of(read.organizationId), async tx => {
    const owner = await findPasswordReset(tx, read.hash, { lock: true })
    const user = await lockUser(tx, userId)
    // A repetition of what has happened, whose answer was lost.
    if (user?.isEmailProven && owner === null) return ok(user)
    if (owner === null || !user) return refuse<Refusal>({ kind: 'not_found' })
    if (owner !== userId) return refuse(OTHER_ACCOUNT)
    await endPasswordReset(tx, read.hash)
    await proveAddress(tx, by, user, 'mail')
    return ok({ ...user, isEmailProven: true })
  })
  // This node forgets before it answers; the others when they hear the announcement.
  if (result.ok) deps.principals.forgetUser(scope.organizationId, userId)
  return result
}
