import type { OrganizationId } from '@voelgoed/core/ids'
import type { PlatformTx } from '../postgres/database.ts'

/** A site that organizations allow to sell their seats. */
export interface AllowedSite {
  readonly origin: string
  readonly organizationIds: ReadonlySet<OrganizationId>
  readonly slugs: ReadonlySet<string>
}

/** Returns those of the origins that organizations allow. */
export async function sitesByOrigin(
  tx: PlatformTx,
  origins: readonly string[],
): Promise<Map<string, AllowedSite>> {
  const rows = await tx.query<{ origin: string; ids: OrganizationId[]; slugs: string[] }>(
    `select origin, array_agg(o.id) as ids, array_agg(o.slug) as slugs
     from organizations o, unnest(o.allowed_origins) as origin
     where o.allowed_origins && $1::text[] and origin = any ($1::text[])
     group by origin`,
    [origins],
  )
  return new Map(
    rows.map(({ origin, ids, slugs }) => [
      origin,
      { origin, organizationIds: new Set(ids), slugs: new Set(slugs) },
    ]),
  )
}
