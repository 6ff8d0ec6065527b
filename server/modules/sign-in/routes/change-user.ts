import type { UserChange } from '@voelgoed/contract/users'
import { mayManage } from '@voelgoed/core/access'
import type { Actor } from '@voelgoed/core/event/command'
import type { EventId, HoldId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { holdsOfUser } from '@voelgoed/engine/tables/holds'
import { type AuditActor, appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import type { Principals, SignedIn, User } from '@voelgoed/kit/http/principals'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { announceUserChanged } from '@voelgoed/kit/postgres/announcements'
import type { Static } from 'typebox'
import type { Kit } from '../../module.ts'
import { countOtherAdmins, lockUser, type ManagedUser, updateUser } from '../../people/tables/users.ts'
import { endWaysIn, sendInvitation } from '../confirm-address.ts'
import { deleteSessionsOf } from '../tables/sessions.ts'
import { userAnswer } from './accounts.ts'

/** Takes back what a user holds, after the commit, and answers what became of it. */
export type ReleaseHolds = (
  scope: TenantScope,
  wanted: {
    readonly releaser: { readonly actor: Actor; readonly by: AuditActor }
    readonly holds: ReadonlyMap<EventId, readonly HoldId[]>
    readonly notes: string
  },
) => Promise<{ readonly places_released: number; readonly skipped: readonly object[] }>

export interface ManagingDeps extends Pick<Kit, 'database' | 'clock'> {
  readonly principals: Principals
  readonly releaseHolds: ReleaseHolds
}

interface Managing {
  readonly scope: TenantScope
  readonly call: Call
  /** null: the platform. */
  readonly manager: SignedIn | null
}

const NOT_CONFIRMABLE: Refusal = {
  kind: 'invalid_request',
  errors: [{ path: '/confirm_address', message: 'is for users with an address' }],
}

const NOT_PROVABLE: Refusal = {
  kind: 'invalid_request',
  errors: [{ path: '/email_proven', message: 'is for users with an address' }],
}

/**
 * Changes the rights of a user. Every node hears it with the commit and forgets what it remembered of the
 * user, so the new rights count from the next request on. A user who is disabled loses all sessions,
 * and with them the live feeds.
 */
export async function changeUser(
  deps: ManagingDeps,
  { scope, call, manager }: Managing,
  userId: string,
  change: Static<typeof UserChange>,
): Promise<Result<Answer, Refusal>> {
  let after: ManagedUser | undefined
  let sessionsEnded = 0
  let holds: ReadonlyMap<EventId, readonly HoldId[]> = new Map()
  const result = await inTenant(deps.database, scope, call, async tx => {
    const before = await lockUser(tx, userId)
    if (!before) return refuse({ kind: 'user_not_found' })
    const refusal = manager && mayNot(manager, before, change)
    if (refusal) return refuse(refusal)
    const membership = membershipOf(before, change)
    if (!membership.ok) return membership
    const { role = before.role, disabled = before.isDisabled, confirm_address: isToConfirm = false } = change
    if (isToConfirm && before.email === null) return refuse(NOT_CONFIRMABLE)
    if (change.email_proven && before.email === null) return refuse(NOT_PROVABLE)
    const isInvited = isToConfirm ? !before.isLinked : before.isInvited
    const isEmailProven = isProvenAfter(before, change, manager)
    after = { ...before, role, ...membership.value, isDisabled: disabled, isInvited, isEmailProven }
    if (isLosingAdmin(before, after) && (await countOtherAdmins(tx, userId)) === 0) {
      return refuse({ kind: 'last_admin' })
    }
    await updateUser(tx, after)
    if (isToConfirm) sessionsEnded = await endWaysIn(tx, userId)
    else if (disabled) sessionsEnded = await deleteSessionsOf(tx, userId)
    // Read here: after the commit no failure may hide that the user was changed.
    if (change.release_holds) holds = await holdsOfUser(tx, userId)
    await announceUserChanged(tx, userId)
    await appendAudit(tx, call.by, {
      action: disablingOf(before, after) ?? 'user_updated',
      entity: { type: 'user', id: userId },
      changes: {
        before: rights(before),
        after: rights(after),
        sessions_ended: sessionsEnded,
        ...(isToConfirm && { confirm_address: true }),
      },
    })
    // A linked person signs in with the provider; a disabled one is invited when they are enabled.
    const isMailed = isToConfirm && isInvited && !disabled
    const sent = isMailed ? await sendInvitation(tx, call.by, after, deps.clock.now()) : ok(null)
    if (!sent.ok) return sent
    return ok({ status: 200, body: null })
  })
  if (!result.ok) return result
  // This node forgets before it answers; the others when they hear the announcement.
  deps.principals.forgetUser(scope.organizationId, userId)
  const released = await deps.releaseHolds(scope, {
    releaser: {
      actor: {
        person: manager?.user ?? null,
        ip: null,
        source: 'admin',
        from: { address: call.ip, userAgent: call.by.userAgent },
      },
      by: call.by,
    },
    holds,
    notes: 'The user was disabled, or staff took back what they hold',
  })
  const data = {
    ...managedUserAnswer(after!),
    sessions_ended: sessionsEnded,
    ...released,
  }
  return ok({ status: 200, body: { data } })
}

/** Signs a user out everywhere. */
export async function endSessionsOf(
  deps: Pick<ManagingDeps, 'database' | 'principals'>,
  { scope, call, manager }: Managing & { readonly manager: SignedIn },
  userId: string,
): Promise<Result<Answer, Refusal>> {
  const result = await inTenant(deps.database, scope, call, async tx => {
    const user = await lockUser(tx, userId)
    if (!user) return refuse({ kind: 'user_not_found' })
    if (!mayManage(manager.user.role, { from: user.role })) {
      return refuse({ kind: 'forbidden', required: ['admin'] })
    }
    const sessionsEnded = await deleteSessionsOf(tx, userId)
    await announceUserChanged(tx, userId)
    await appendAudit(tx, call.by, {
      action: 'sessions_ended',
      entity: { type: 'user', id: userId },
      changes: { sessions_ended: sessionsEnded },
    })
    return ok({ status: 200, body: { data: { sessions_ended: sessionsEnded } } })
  })
  if (result.ok) deps.principals.forgetUser(scope.organizationId, userId)
  return result
}

function mayNot(
  manager: SignedIn,
  user: ManagedUser,
  { role, disabled, confirm_address: isToConfirm }: Static<typeof UserChange>,
): Refusal | null {
  if (!mayManage(manager.user.role, { from: user.role, to: role })) {
    return { kind: 'forbidden', required: ['admin'], detail: 'Only an admin changes an admin, or makes one.' }
  }
  const isSelf = manager.user.userId === user.userId
  if (isSelf && (disabled === true || isToConfirm === true || (role !== undefined && role !== user.role))) {
    const detail =
      'You can not change your own role, disable yourself or end your own password. Ask another admin.'
    return { kind: 'forbidden', required: ['admin'], detail }
  }
  return null
}

export function managedUserAnswer(user: ManagedUser): object {
  const { isDisabled: disabled, isInvited: invited, isLinked: linked, createdAt } = user
  const state = { disabled, invited, second_factor: user.hasSecondFactor, linked }
  return { ...userAnswer(user), ...state, created_at: createdAt.toISOString() }
}

function isLosingAdmin(before: ManagedUser, after: ManagedUser): boolean {
  const isAdmin = ({ role, isDisabled, isInvited }: ManagedUser) =>
    role === 'admin' && !isDisabled && !isInvited
  return isAdmin(before) && !isAdmin(after)
}

/**
 * An address that staff want confirmed is not proven until its reader has. The platform knows the people to
 * whom it gives a membership; staff who give one see whether the address is proven, and can say that it is.
 */
function isProvenAfter(
  { email, isLinked, isEmailProven }: ManagedUser,
  change: Static<typeof UserChange>,
  manager: SignedIn | null,
): boolean {
  if (change.confirm_address && !isLinked) return false
  if (change.email_proven !== undefined) return change.email_proven
  const isVouched = manager === null && email !== null && typeof change.membership_tier === 'string'
  return isEmailProven || isVouched
}

function disablingOf(before: ManagedUser, after: ManagedUser): string | null {
  if (before.isDisabled === after.isDisabled) return null
  return after.isDisabled ? 'user_disabled' : 'user_enabled'
}

function rights({ role, membershipTier, membershipStatus, isDisabled, isEmailProven }: ManagedUser): object {
  return { role, membershipTier, membershipStatus, disabled: isDisabled, emailProven: isEmailProven }
}

type Membership = Pick<User, 'membershipTier' | 'membershipStatus'>

/** A tier without a status is an active membership; a status without a tier means nothing and is refused. */
export function membershipOf(
  before: Membership | null,
  body: {
    membership_tier?: string | null | undefined
    membership_status?: Membership['membershipStatus'] | undefined
  },
) {
  const tier = body.membership_tier === undefined ? (before?.membershipTier ?? null) : body.membership_tier
  const status =
    body.membership_status === undefined ? (before?.membershipStatus ?? null) : body.membership_status
  if (tier === null) {
    if (body.membership_status) {
      const errors = [{ path: '/membership_status', message: 'needs a membership_tier' }]
      return refuse<Refusal>({ kind: 'invalid_request', errors })
    }
    return ok<Membership>({ membershipTier: null, membershipStatus: null })
  }
  return ok<Membership>({ membershipTier: tier, membershipStatus: status ?? 'active' })
}
