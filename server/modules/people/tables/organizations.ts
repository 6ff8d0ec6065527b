import type { OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'
import { isUniqueViolation } from '@voelgoed/kit/postgres/violations'

export interface Organization {
  readonly id: OrganizationId
  readonly slug: string
  readonly name: string
}

/** An organization as the platform sees it. */
export interface OrganizationState extends Organization {
  readonly suspended_at: Date | null
  readonly suspended_reason: string | null
  readonly stripe_account: string | null
  readonly stripe_account_wanted: string | null
  readonly created_at: Date
}

/** An organization decides these for itself. */
export interface OrganizationSettings extends Organization {
  readonly time_zone: string
  readonly locale: string
  readonly currency: string
  /** Its buttons and links have this colour, as #rrggbb; null: the product's own. */
  readonly colour: string | null
  /** Other sites whose pages may use sessions of this organization. */
  readonly allowed_origins: readonly string[]
  /** At Stripe (Connect); null: the platform's own. */
  readonly stripe_account: string | null
  /** An admin has named it; the platform has not yet. */
  readonly stripe_account_wanted: string | null
  /** Buyers write to this address. */
  readonly support_email: string | null
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

export async function organizationBySlug(
  tx: PlatformTx,
  slug: string,
): Promise<{ organization: Organization; isSuspended: boolean } | null> {
  const row = await tx.one<Organization & { is_suspended: boolean }>(
    'select id, slug, name, suspended_at is not null as is_suspended from organizations where slug = $1',
    [slug],
  )
  if (!row) return null
  const { is_suspended: isSuspended, ...organization } = row
  return { organization, isSuspended }
}

/** In the order of their ids, which is that of their making. */
export async function listOrganizations(
  tx: PlatformTx,
  page: { after?: string; limit: number },
): Promise<OrganizationState[]> {
  return tx.query<OrganizationState & Record<string, unknown>>(
    `select id, slug, name, suspended_at, suspended_reason, stripe_account, stripe_account_wanted, created_at
     from organizations
     where ($1::uuid is null or id > $1) order by id limit $2`,
    [page.after ?? null, page.limit],
  )
}

export async function lockOrganization(tx: PlatformTx, id: string): Promise<OrganizationState | null> {
  return (
    (await tx.one<OrganizationState & Record<string, unknown>>(
      `select id, slug, name, suspended_at, suspended_reason, stripe_account, stripe_account_wanted, created_at
       from organizations where id = $1 for no key update`,
      [id],
    )) ?? null
  )
}

/** A suspension that is there already keeps its beginning. */
export async function changeOrganization(
  tx: PlatformTx,
  id: string,
  to: { name: string; isSuspended: boolean; reason: string | null },
): Promise<OrganizationState> {
  return (await tx.one<OrganizationState & Record<string, unknown>>(
    `update organizations set name = $2, suspended_at = case when $3 then coalesce(suspended_at, now()) end,
       suspended_reason = case when $3 then $4 end
     where id = $1 returning id, slug, name, suspended_at, suspended_reason, stripe_account,
       stripe_account_wanted, created_at`,
    [id, to.name, to.isSuspended, to.reason],
  ))!
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
    `select id, slug, name, time_zone, locale, currency, colour, stripe_account, stripe_account_wanted, allowed_origins,
       support_email
     from organizations where id = $1
     ${forUpdate ? 'for no key update' : ''}`,
  ))!
}

export async function updateOrganization(tx: TenantTx, organization: OrganizationSettings): Promise<void> {
  await tx.query(
    `update organizations set name = $2, time_zone = $3, locale = $4, currency = $5, allowed_origins = $6,
       colour = $7, support_email = $8 where id = $1`,
    [
      organization.name,
      organization.time_zone,
      organization.locale,
      organization.currency,
      organization.allowed_origins,
      organization.colour,
      organization.support_email,
    ],
  )
}

/** Keeps the account; one that is only wanted waits for the platform. */
export async function wantStripeAccount(
  tx: TenantTx,
  { stripe_account, stripe_account_wanted }: OrganizationSettings,
): Promise<void> {
  await tx.query('update organizations set stripe_account = $2, stripe_account_wanted = $3 where id = $1', [
    stripe_account,
    stripe_account_wanted,
  ])
}

/** False: another organization has it. */
export async function setStripeAccount(tx: PlatformTx, id: string, account: string | null): Promise<boolean> {
  try {
    await tx.query(
      'update organizations set stripe_account = $2, stripe_account_wanted = null where id = $1',
      [id, account],
    )
    return true
  } catch (error) {
    if (isUniqueViolation(error, 'organizations_stripe_account')) return false
    throw error
  }
}
