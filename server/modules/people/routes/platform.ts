import * as contract from '@voelgoed/contract/accounts'
import { RESERVED_SLUGS } from '@voelgoed/contract/common'
import type { OrganizationId } from '@voelgoed/core/ids'
import { isTimeZone } from '@voelgoed/core/region'
import { ok, refuse } from '@voelgoed/core/result'
import { appendPlatformAudit } from '@voelgoed/kit/audit/audit-log'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import { readPage, toPage } from '@voelgoed/kit/http/paging'
import type { Principals } from '@voelgoed/kit/http/principals'
import type { Router } from '@voelgoed/kit/http/serve'
import { inPlatform } from '@voelgoed/kit/http/transactions'
import { announceOrganizationChanged } from '@voelgoed/kit/postgres/announcements'
import type { Kit } from '../../module.ts'
import {
  changeOrganization,
  insertOrganization,
  listOrganizations,
  lockOrganization,
  type OrganizationState,
  setStripeAccount,
} from '../tables/organizations.ts'
import { unknownTimeZone } from './organization.ts'

/** The platform makes organizations, and suspends them. */
export function servePlatform(
  router: Router,
  { database, clock }: Kit,
  principals: Pick<Principals, 'forgetOrganization'>,
): void {
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
