import * as contract from '@voelgoed/core/contract/accounts'
import { RESERVED_SLUGS } from '@voelgoed/core/contract/common'
import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { isTimeZone } from '@voelgoed/core/region'
import { ok, refuse } from '@voelgoed/core/result'
import { announceUserChanged } from '../../postgres/announcements.ts'
import { appendAudit } from '../../postgres/audit-log.ts'
import { insertOrganization, scopeOfOrganization } from '../../postgres/organizations.ts'
import { insertUser, lockUser, type User, updateUser } from '../../postgres/users.ts'
import type { TenantScope } from '../../tenant.ts'
import { uuidV7 } from '../../uuid-v7.ts'
import type { AppDeps } from '../app.ts'
import type { Router } from '../serve.ts'
import { inPlatform, inTenant } from '../transactions.ts'
import { userAnswer } from './accounts.ts'
import { unknownTimeZone } from './organization.ts'

export function servePlatform(
  router: Router,
  deps: Pick<AppDeps, 'database' | 'clock' | 'passwords' | 'principals'>,
): void {
  const { database, clock, passwords, principals } = deps

  router.serve(contract.createOrganization, async call => {
    if (RESERVED_SLUGS.includes(call.body.slug)) {
      const message = 'is an address of the server itself: choose another'
      return refuse({ kind: 'invalid_request', errors: [{ path: '/slug', message }] })
    }
    const { name, slug, time_zone = 'UTC' } = call.body
    if (!isTimeZone(time_zone)) return refuse(unknownTimeZone)
    const organization = { id: uuidV7(clock.now()) as OrganizationId, name, slug, time_zone }
    const result = await inPlatform(database, call, async tx => {
      if (!(await insertOrganization(tx, organization)))
        return refuse({ kind: 'already_exists', field: 'slug' })
      return ok({ status: 201, body: { data: organization } })
    })
    return result
  })

  router.serve(contract.createUser, async call => {
    const scope = await findScope(call.params.org)
    if (!scope) return refuse({ kind: 'organization_not_found' })
    const { email, password, role } = call.body
    const membership = membershipOf(null, call.body)
    if (!membership.ok) return membership
    const passwordHash = await passwords.hash(password)
    if (passwordHash === null) return refuse({ kind: 'busy', retryAfterSeconds: 1 })
    return inTenant(database, scope, call, async tx => {
      const user: User = { userId: uuidV7(clock.now()) as UserId, email, role, ...membership.value }
      if (!(await insertUser(tx, user, passwordHash)))
        return refuse({ kind: 'already_exists', field: 'email' })
      await appendAudit(tx, call.by, {
        action: 'user_created',
        entity: { type: 'user', id: user.userId },
        changes: { role, ...membership.value },
      })
      return ok({ status: 201, body: { data: userAnswer(user) } })
    })
  })

  router.serve(contract.updateUser, async call => {
    const scope = await findScope(call.params.org)
    if (!scope) return refuse({ kind: 'organization_not_found' })
    const result = await inTenant(database, scope, call, async tx => {
      const before = await lockUser(tx, call.params.user)
      if (!before) return refuse({ kind: 'user_not_found' })
      const membership = membershipOf(before, call.body)
      if (!membership.ok) return membership
      const user: User = { ...before, role: call.body.role ?? before.role, ...membership.value }
      await updateUser(tx, user)
      await announceUserChanged(tx, user.userId)
      await appendAudit(tx, call.by, {
        action: 'user_updated',
        entity: { type: 'user', id: user.userId },
        changes: { before: rights(before), after: rights(user) },
      })
      return ok({ status: 200, body: { data: userAnswer(user) } })
    })
    if (result.ok) principals.forgetUser(scope.organizationId, call.params.user)
    return result
  })

  function findScope(organizationId: string): Promise<TenantScope | null> {
    return database.platform('administer organizations', tx => scopeOfOrganization(tx, organizationId))
  }
}

function rights({ role, membershipTier, membershipStatus }: User): object {
  return { role, membershipTier, membershipStatus }
}

type Membership = Pick<User, 'membershipTier' | 'membershipStatus'>

/** A tier without a status is an active membership; a status without a tier means nothing and is refused. */
function membershipOf(
  before: Membership | null,
  body: { membership_tier?: string | null; membership_status?: Membership['membershipStatus'] },
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
