import * as contract from '@voelgoed/core/contract/accounts'
import { RESERVED_SLUGS } from '@voelgoed/core/contract/common'
import { isEmail, normaliseEmail } from '@voelgoed/core/email'
import type { OrganizationId, UserId } from '@voelgoed/core/ids'
import { isTimeZone } from '@voelgoed/core/region'
import { ok, refuse } from '@voelgoed/core/result'
import { NO_EMAIL } from '../../accounts/sign-in.ts'
import { announceOrganizationChanged } from '../../postgres/announcements.ts'
import { appendAudit, appendPlatformAudit } from '../../postgres/tables/audit-log.ts'
import {
  changeOrganization,
  insertOrganization,
  listOrganizations,
  lockOrganization,
  type OrganizationState,
  scopeOfOrganization,
  setStripeAccount,
} from '../../postgres/tables/organizations.ts'
import { insertUser, type User } from '../../postgres/tables/users.ts'
import type { TenantScope } from '../../tenant.ts'
import { uuidV7 } from '../../uuid-v7.ts'
import type { AppDeps } from '../deps.ts'
import { readPage, toPage } from '../paging.ts'
import type { Router } from '../serve.ts'
import { inPlatform, inTenant } from '../transactions.ts'
import { userAnswer } from './accounts.ts'
import { changeUser, membershipOf } from './change-user.ts'
import { unknownTimeZone } from './organization.ts'

export function servePlatform(
  router: Router,
  deps: Pick<AppDeps, 'database' | 'clock' | 'passwords' | 'principals' | 'lanes' | 'log'>,
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
    const { password, role } = call.body
    const email = normaliseEmail(call.body.email)
    if (!isEmail(email)) return refuse(NO_EMAIL)
    const membership = membershipOf(null, call.body)
    if (!membership.ok) return membership
    const passwordHash = await passwords.hash(password)
    if (passwordHash === null) return refuse({ kind: 'busy', retryAfterSeconds: 1 })
    return inTenant(database, scope, call, async tx => {
      const userId = uuidV7(clock.now()) as UserId
      // The platform knows whose address it is: it gives them their password.
      const user: User = { userId, email, isEmailProven: true, role, ...membership.value }
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
    return changeUser(deps, { scope, call, manager: null }, call.params.user, call.body)
  })

  router.serve(contract.listOrganizations, async ({ query }) => {
    const page = readPage(query)
    if (!page.ok) return page
    const { after, limit } = page.value
    const rows = await database.platform('administer organizations', tx =>
      listOrganizations(tx, { ...(after !== undefined && { after }), limit: limit + 1 }),
    )
    return ok({ status: 200, body: toPage(rows, limit, row => row.id, organizationAnswer) })
  })

  router.serve(contract.changeOrganization, async call => {
    const id = call.params.org
    const result = await inPlatform(database, call, async tx => {
      const before = await lockOrganization(tx, id)
      if (!before) return refuse({ kind: 'organization_not_found' })
      const { name = before.name, suspended = before.suspended_at !== null } = call.body
      const { reason = before.suspended_reason } = call.body
      const account = call.body.stripe_account
      if (account !== undefined && !(await setStripeAccount(tx, id, account))) {
        return refuse({ kind: 'already_exists', field: 'stripe_account' })
      }
      const after = await changeOrganization(tx, id, { name, isSuspended: suspended, reason })
      await announceOrganizationChanged(tx, id)
      await appendPlatformAudit(tx, id, call.by, {
        action: suspensionOf(before, after) ?? accountChange(before, after) ?? 'organization_updated',
        entity: { type: 'organization', id },
        changes: { before: organizationAnswer(before), after: organizationAnswer(after) },
      })
      return ok({ status: 200, body: { data: organizationAnswer(after) } })
    })
    // This node forgets before it answers; the others when they hear the announcement.
    if (result.ok) principals.forgetOrganization(id)
    return result
  })

  function findScope(organizationId: string): Promise<TenantScope | null> {
    return database.platform('administer organizations', tx => scopeOfOrganization(tx, organizationId))
  }
}

function organizationAnswer(organization: OrganizationState): object {
  const { id, name, slug, suspended_at, suspended_reason, created_at } = organization
  const { stripe_account, stripe_account_wanted } = organization
  const state = { suspended: suspended_at !== null, suspended_reason, stripe_account, stripe_account_wanted }
  return { id, name, slug, ...state, created_at: created_at.toISOString() }
}

function suspensionOf(before: OrganizationState, after: OrganizationState): string | null {
  const [was, is] = [before.suspended_at !== null, after.suspended_at !== null]
  if (was === is) return null
  return is ? 'organization_suspended' : 'organization_resumed'
}

function accountChange(before: OrganizationState, after: OrganizationState): string | null {
  const isSame =
    before.stripe_account === after.stripe_account &&
    before.stripe_account_wanted === after.stripe_account_wanted
  return isSame ? null : 'stripe_account_changed'
}
