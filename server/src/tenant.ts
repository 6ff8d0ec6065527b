import type { OrganizationId } from '@voelgoed/core/ids'

/**
 * The only key to an organization's data: no query, cache key or look-up works without one.
 *
 * A scope is made in two places: from a verified session (accounts/principals.ts), and by platform work for
 * an organization it has just looked up (postgres/organizations.ts). Nothing that a client sends becomes one.
 */
export class TenantScope {
  readonly organizationId: OrganizationId

  private constructor(organizationId: OrganizationId) {
    this.organizationId = organizationId
  }

  static of(organizationId: OrganizationId): TenantScope {
    return new TenantScope(organizationId)
  }
}
