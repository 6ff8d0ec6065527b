import { readPolicy as readPolicyRoute, replacePolicy } from '@voelgoed/core/contract/events'
import { DEFAULT_POLICY, type SeatingPolicy } from '@voelgoed/core/policy'
import { ok } from '@voelgoed/core/result'
import { appendAudit } from '../../postgres/audit-log.ts'
import { readPolicy, writePolicy } from '../../postgres/policies.ts'
import type { AppDeps } from '../app.ts'
import type { Router } from '../serve.ts'
import { inTenant } from '../transactions.ts'
import { changedMembers } from './changed-members.ts'

export function servePolicy(router: Router, { database }: Pick<AppDeps, 'database'>): void {
  router.serve(readPolicyRoute, async ({ principal }) => {
    const policy = await database.tenant(principal.scope, readPolicy)
    return ok({ status: 200, body: { data: policy } })
  })

  router.serve(replacePolicy, call =>
    inTenant(database, call.principal.scope, call, async tx => {
      const before = await readPolicy(tx)
      const policy: SeatingPolicy = {
        ...DEFAULT_POLICY,
        ...call.body,
        locked_fields: [...new Set(call.body.locked_fields ?? [])],
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
