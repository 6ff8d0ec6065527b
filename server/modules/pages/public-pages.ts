import type { Clock } from '@voelgoed/kit/base/clock'
import { LookUpTogether } from '@voelgoed/kit/base/look-up-together'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { AskTogether } from '@voelgoed/kit/postgres/ask-together'
import type { Database } from '@voelgoed/kit/postgres/database'
import { type Brand, readBrand } from '../images/tables/images.ts'
import type { PublicPage } from './page-head.ts'
import {
  findPublicEvents,
  nextEventNames,
  organizationsBySlug,
  type PublicEvent,
  type PublicOrganization,
} from './tables/public-pages.ts'

/** A new name, or a suspension, may take this long to show. */
const SLUGS = { knownMs: 10_000, maxKnown: 5_000, maxWaiting: 1_000 }
const NEXT_EVENTS = 3

/** Reads what everyone may see. Whatever is not public is null, like what never was. */
export class PublicPages {
  readonly #organizations: LookUpTogether<PublicOrganization>
  readonly #events: AskTogether<PublicEvent>
  readonly #storefronts: AskTogether<readonly string[]>
  readonly #brands: AskTogether<Brand>

  constructor({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
    this.#organizations = new LookUpTogether(
      async slugs => {
        const found = await database.platform('find an organization by its slug', tx =>
          organizationsBySlug(tx, slugs),
        )
        return new Map(found.map(organization => [organization.slug, organization]))
      },
      clock,
      SLUGS,
    )
    this.#events = new AskTogether(database, findPublicEvents)
    this.#brands = new AskTogether(database, async (tx, keys) => new Map([[keys[0]!, await readBrand(tx)]]))
    this.#storefronts = new AskTogether(
      database,
      async (tx, keys) => new Map([[keys[0]!, await nextEventNames(tx, NEXT_EVENTS)]]),
    )
  }

  async scopeOf(slug: string): Promise<TenantScope | null> {
    const organization = await this.#organizations.find(slug)
    return organization && TenantScope.of(organization.id)
  }

  /** Sites whose pages may show pages of the organization in a frame. */
  async framedBy(slug: string): Promise<readonly string[]> {
    return (await this.#organizations.find(slug))?.allowed_origins ?? []
  }

  async storefront(slug: string): Promise<PublicPage | null> {
    const organization = await this.#organizations.find(slug)
    if (!organization) return null
    const scope = TenantScope.of(organization.id)
    const [next, brand] = await Promise.all([
      this.#storefronts.ask(scope, slug),
      this.#brands.ask(scope, slug),
    ])
    return { kind: 'storefront', organization, brand: brand!, next: next ?? [] }
  }

  async event(slug: string, eventId: string): Promise<(PublicPage & { readonly kind: 'event' }) | null> {
    const organization = await this.#organizations.find(slug)
    if (!organization) return null
    const scope = TenantScope.of(organization.id)
    const [event, brand] = await Promise.all([
      this.#events.ask(scope, eventId),
      this.#brands.ask(scope, slug),
    ])
    return event ? { kind: 'event', organization, brand: brand!, event } : null
  }
}
