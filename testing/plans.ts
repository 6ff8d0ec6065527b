import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { TestServer } from './harness.ts'

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly Plan[]
}

export interface FoundPlans {
  readonly indexes: string[]
  readonly scanned: string[]
}

/**
 * The indexes by which the statements of `work` find their rows, and those of the `large` tables that they
 * read as a whole.
 */
export async function plansOf(
  server: Pick<TestServer, 'node'>,
  organizationId: string,
  large: readonly string[],
  work: (tx: TenantTx) => Promise<unknown>,
): Promise<FoundPlans> {
  const plans: Plan[] = []
  await server.node.database.tenant(TenantScope.of(organizationId as OrganizationId), async tx => {
    const explaining = {
      prepared: (_name: string, sql: string, values: readonly unknown[]) => explaining.query(sql, values),
      async query(sql: string, values: readonly unknown[]): Promise<unknown> {
        const [row] = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
          `explain (format json) ${sql}`,
          values,
        )
        plans.push(row!['QUERY PLAN'][0]!.Plan)
        return tx.query(sql, values)
      },
    }
    await work(explaining as unknown as TenantTx)
  })
  const nodes = plans.flatMap(function all(plan): Plan[] {
    return [plan, ...(plan.Plans ?? []).flatMap(all)]
  })
  return {
    indexes: [...new Set(nodes.flatMap(node => node['Index Name'] ?? []))],
    scanned: nodes
      .filter(node => node['Node Type'] === 'Seq Scan')
      .flatMap(node => node['Relation Name'] ?? [])
      .filter(table => large.includes(table)),
  }
}
