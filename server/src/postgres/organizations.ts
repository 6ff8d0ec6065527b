import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '../tenant.ts'
import type { PlatformTx } from './database.ts'
import { isUniqueViolation } from './violations.ts'

export interface Organization {
  readonly id: OrganizationId
  readonly slug: string
  readonly name: string
}

/** `null` when the slug is taken. */
export async function insertOrganization(
  tx: PlatformTx,
  organization: Organization,
): Promise<Organization | null> {
  try {
    await tx.query('insert into organizations (id, slug, name) values ($1, $2, $3)', [
      organization.id,
      organization.slug,
      organization.name,
    ])
    return organization
  } catch (error) {
    if (isUniqueViolation(error, 'organizations_slug_key')) return null
    throw error
  }
}

export async function organizationBySlug(tx: PlatformTx, slug: string): Promise<Organization | null> {
  return (
    (await tx.one<Organization & Record<string, unknown>>(
      'select id, slug, name from organizations where slug = $1',
      [slug],
    )) ?? null
  )
}

/** Platform work on one organization goes on in that organization's own scope. */
export async function scopeOfOrganization(tx: PlatformTx, id: string): Promise<TenantScope | null> {
  const row = await tx.one<{ id: OrganizationId }>('select id from organizations where id = $1', [id])
  return row ? TenantScope.of(row.id) : null
}

export async function countOrganizations(tx: PlatformTx): Promise<number> {
  const row = await tx.one<{ count: number }>('select count(*)::int as count from organizations')
  return row!.count
}
