import { changePolicy, readPolicy as readPolicyRoute, replacePolicy } from '@voelgoed/contract/events'
import { DEFAULT_POLICY, lockedChanges, type SeatingPolicy } from '@voelgoed/core/policy'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { appendAudit } from '@voelgoed/kit/audit/audit-log'
import type { Answer, Call } from '@voelgoed/kit/http/call'
import { changedMembers } from '@voelgoed/kit/http/changed-members'
import type { Router } from '@voelgoed/kit/http/serve'
import { inTenant } from '@voelgoed/kit/http/transactions'
import type { Kit } from '../../module.ts'
import { readOrganization } from '../../people/tables/organizations.ts'
import { readPolicy, writePolicy } from '../tables/policies.ts'

export function servePolicy(router: Router, { database }: Kit): void {
  router.serve(readPolicyRoute, async ({ principal }) => {
    const policy = await database.tenant(principal.scope, readPolicy)
    return ok({ status: 200, body: { data: policy } })
  })

  router.serve(replacePolicy, call =>
    change(call, before => {
      const { locked_fields } = call.body
      return {
        ...DEFAULT_POLICY,
        // An organizer need not repeat the fields that they may not change.
        ...(call.principal.user.role !== 'admin' && lockedPart(before)),
        ...call.body,
        ...(locked_fields && { locked_fields: [...new Set(locked_fields)] }),
      }
    }),
  )

  router.serve(changePolicy, call =>
    change(call, before => {
      const { lock = [], unlock = [], ...fields } = call.body
      const locked = [...new Set([...before.locked_fields, ...lock])]
      return { ...before, ...fields, locked_fields: locked.filter(field => !unlock.includes(field)) }
    }),
  )

  function change(
    call: Call<typeof replacePolicy | typeof changePolicy>,
    next: (before: SeatingPolicy) => SeatingPolicy,
  ): Promise<Result<Answer, Refusal>> {
    return inTenant(database, call.principal.scope, call, async tx => {
      // Held until the end, so that no lock can be set between reading the policy and writing it.
      await readOrganization(tx, { forUpdate: true })
      const before = await readPolicy(tx)
      const policy = next(before)
      if (call.principal.user.role !== 'admin' && lockedChanges(before, policy)?.length !== 0) {
        return refuse({ kind: 'forbidden', required: ['admin'] })
      }
      await writePolicy(tx, policy)
      await appendAudit(tx, call.by, {
        action: 'seating_policy_replaced',
        changes: changedMembers(before, policy),
      })
      return ok({ status: 200, body: { data: policy } })
    })
  }
}

function lockedPart(policy: SeatingPolicy): Partial<SeatingPolicy> {
  const { locked_fields } = policy
  return { locked_fields, ...Object.fromEntries(locked_fields.map(field => [field, policy[field]])) }
}
