import * as contract from '@voelgoed/contract/sellers'
import type { RequestFault } from '@voelgoed/core/refusal'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { changedMembers } from '@voelgoed/kit/http/changed-members'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import type { Kit } from '../../module.ts'
import { organizationBySlug } from '../tables/organizations.ts'
import { readKnownSeller, readSeller, type Seller, updateSeller } from '../tables/sellers.ts'

/** Admins say who sells; everyone may read it, before they have a session and after it has ended. */
export function serveSellers(router: Router, { database }: Kit): void {
  router.serve(contract.updateSeller, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const before = await readSeller(tx, { forUpdate: true })
      const after = { ...before, ...call.body }
      const errors = faultsIn(after)
      if (errors.length > 0) return refuse({ kind: 'invalid_request', errors })
      const changes = changedMembers(before, after)
      if (Object.keys(changes).length > 0) {
        await updateSeller(tx, after)
        await appendAudit(tx, call.by, { action: 'seller_updated', changes })
      }
      return ok({ status: 200, body: { data: after } })
    }),
  )

  // When a sale opens, thousands come to the checkout at the same moment.
  const sellers = new AskTogether(
    database,
    async (tx, keys) => new Map([[keys[0]!, await readKnownSeller(tx)]]),
  )
  router.serve(contract.readSeller, async ({ query: { organization: slug } }) => {
    const found = await database.platform('find an organization by its slug', tx =>
      organizationBySlug(tx, slug),
    )
    if (!found) return refuse({ kind: 'organization_not_found' })
    const seller = await sellers.ask(TenantScope.of(found.organization.id), slug)
    return ok({ status: 200, body: { data: seller! } })
  })
}

function faultsIn({ terms, terms_url: url }: Seller): RequestFault[] {
  if (url !== null && terms !== null) {
    return [{ path: '/terms_url', message: 'must not be set together with terms: remove one of them' }]
  }
  if (url !== null && !URL.canParse(url)) {
    return [{ path: '/terms_url', message: 'must be the address of a page, like https://example.org/terms' }]
  }
  return []
}
