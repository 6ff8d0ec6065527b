import { DEFAULT_POLICY, type SeatingPolicy } from '@voelgoed/core/policy'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** Fields that were added to the policy after it was saved get their default. */
export async function readPolicy(tx: TenantTx): Promise<SeatingPolicy> {
  const row = await tx.one<{ policy: SeatingPolicy }>(
    'select policy from seating_policies where organization_id = $1',
  )
  return { ...DEFAULT_POLICY, ...row?.policy }
}

export async function writePolicy(tx: TenantTx, policy: SeatingPolicy): Promise<void> {
  await tx.query(
    `insert into seating_policies as p (organization_id, policy) values ($1, $2)
     on conflict (organization_id) do update set policy = excluded.policy, revision = p.revision + 1, updated_at = now()`,
    [JSON.stringify(policy)],
  )
}
