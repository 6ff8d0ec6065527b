import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '../tenant.ts'
import type { PlatformTx, TenantTx } from './database.ts'
import { isUniqueViolation } from './violations.ts'

export interface Organization {
  readonly id: OrganizationId
  readonly slug: string
  readonly name: string
}

/** What an organization decides of itself. */
export interface OrganizationSettings extends Organization {
  readonly time_zone: string
  readonly locale: string
  readonly currency: string
}

/** `null` when the slug is taken. */
export async function insertOrganization<O extends Organization & { readonly time_zone: string }>(
  tx: PlatformTx,
  organization: O,
): Promise<O | null> {
  try {
    await tx.query('insert into organizations (id, slug, name, time_zone) values ($1, $2, $3, $4)', [
      organization.id,
      organization.slug,
      organization.name,
      organization.time_zone,
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

/** Locked until the end of the transaction, when it is about to be changed. */
export async function readOrganization(
  tx: TenantTx,
  { forUpdate = false } = {},
): Promise<OrganizationSettings> {
  return (await tx.one<OrganizationSettings & Record<string, unknown>>(
    `select id, slug, name, time_zone, locale, currency from organizations where id = $1
     ${forUpdate ? 'for no key update' : ''}`,
  ))!
}

export async function updateOrganization(tx: TenantTx, organization: OrganizationSettings): Promise<void> {
  await tx.query(
    'update organizations set name = $2, time_zone = $3, locale = $4, currency = $5 where id = $1',
    [organization.name, organization.time_zone, organization.locale, organization.currency],
  )
}
