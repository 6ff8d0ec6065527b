import type { OrganizationId } from '@voelgoed/core/ids'

/**
 * The only key to an organization's data: no query, cache key or look-up works without one.
 *
 * A scope comes from a verified session (accounts/principals.ts), or from an organization's id that platform
 * work has just read from the database (by slug, by id, or as the owner of an event with holds to tidy up).
 * What a client sends becomes one only to look up whether its token is good.
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
