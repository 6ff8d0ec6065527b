import { readPolicy as readPolicyRoute, replacePolicy } from '@voelgoed/core/contract/events'
import { DEFAULT_POLICY, lockedChanges, type SeatingPolicy } from '@voelgoed/core/policy'
import { ok, refuse } from '@voelgoed/core/result'
import { appendAudit } from '../../postgres/tables/audit-log.ts'
import { readOrganization } from '../../postgres/tables/organizations.ts'
import { readPolicy, writePolicy } from '../../postgres/tables/policies.ts'
import { changedMembers } from '../changed-members.ts'
import type { AppDeps } from '../deps.ts'
import type { Router } from '../serve.ts'
import { inTenant } from '../transactions.ts'

export function servePolicy(router: Router, { database }: Pick<AppDeps, 'database'>): void {
  router.serve(readPolicyRoute, async ({ principal }) => {
    const policy = await database.tenant(principal.scope, readPolicy)
    return ok({ status: 200, body: { data: policy } })
  })

  router.serve(replacePolicy, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      // Held until the end, so that no lock can be set between reading the policy and replacing it.
      await readOrganization(tx, { forUpdate: true })
      const before = await readPolicy(tx)
      const isAdmin = call.principal.user.role === 'admin'
      const policy: SeatingPolicy = {
        ...DEFAULT_POLICY,
        // What an organizer may not change need not be repeated.
        ...(!isAdmin && lockedPart(before)),
        ...call.body,
        ...(call.body.locked_fields && { locked_fields: [...new Set(call.body.locked_fields)] }),
      }
      if (!isAdmin && lockedChanges(before, policy)?.length !== 0) {
        return refuse({ kind: 'forbidden', required: ['admin'] })
      }
      await writePolicy(tx, policy)
      await appendAudit(tx, call.by, {
        action: 'seating_policy_replaced',
        changes: changedMembers(before, policy),
      })
      return ok({ status: 200, body: { data: policy } })
    }),
  )
}

function lockedPart(policy: SeatingPolicy): Partial<SeatingPolicy> {
  const { locked_fields } = policy
  return { locked_fields, ...Object.fromEntries(locked_fields.map(field => [field, policy[field]])) }
}
