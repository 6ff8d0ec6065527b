import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '../accounts/principals.ts'
import type { Clock } from '../clock.ts'
import { LookUpTogether } from '../look-up-together.ts'
import type { Database } from '../postgres/database.ts'
import { type AllowedSite, sitesByOrigin } from '../postgres/tables/allowed-origins.ts'

export type SiteOutcome = 'allowed' | 'other_organization' | 'unknown'

interface OtherSitesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly onRequest: (outcome: SiteOutcome) => void
}

/** How long it may take until a new setting counts. */
const LIMITS = { knownMs: 10_000, maxKnown: 1_000, maxWaiting: 100 }
const MAX_ORIGIN = 300

/** What a page of another site may read of an answer, besides its body. */
const READABLE =
  'etag, idempotency-replayed, retry-after, voelgoed-parts, voelgoed-seq, voelgoed-tier, x-request-id'
const SENDABLE = 'authorization, content-type, idempotency-key, if-match, last-event-id, voelgoed-seq'

/**
 * Pages of other sites that call the routes of buyers (CORS). An origin that no organization allows gets no
 * header, so that browsers keep its pages out. One that an organization allows may use sessions of that
 * organization, and of no other. There are no cookies, and credentials are never allowed: what a page sends
 * is what it was given itself.
 */
export class OtherSites {
  readonly #sites: LookUpTogether<AllowedSite>
  readonly #onRequest: (outcome: SiteOutcome) => void

  constructor({ database, clock, onRequest }: OtherSitesDeps) {
    this.#onRequest = onRequest
    this.#sites = new LookUpTogether(
      origins => database.platform('find who allows a site', tx => sitesByOrigin(tx, origins)),
      clock,
      LIMITS,
    )
  }

  /** Null at once: the request comes from no page of another site. */
  of(headers: IncomingHttpHeaders): Promise<AllowedSite | null> | null {
    const { origin } = headers
    if (origin === undefined || headers['sec-fetch-site'] === 'same-origin') return null
    if (origin.length > MAX_ORIGIN || !/^https?:\/\//.test(origin)) return null
    if (origin.slice(origin.indexOf('//') + 2) === headers.host) return null
    // Without Postgres no site is allowed; the request fails by itself.
    return this.#sites.find(origin).catch(() => null)
  }

  headersFor(site: AllowedSite): Record<string, string> {
    return { 'access-control-allow-origin': site.origin, 'access-control-expose-headers': READABLE }
  }

  preflightHeadersFor(site: AllowedSite, methods: Iterable<string>): Record<string, string> {
    return {
      'access-control-allow-origin': site.origin,
      'access-control-allow-methods': [...methods].join(', '),
      'access-control-allow-headers': SENDABLE,
      'access-control-max-age': '600',
    }
  }

  /** Whether the site may use this session. Counts the request. */
  mayUse(site: AllowedSite | null, principal: Principal | null): boolean {
    const isOthers =
      site && principal?.kind === 'user' && !site.organizationIds.has(principal.scope.organizationId)
    this.#onRequest(site ? (isOthers ? 'other_organization' : 'allowed') : 'unknown')
    return !isOthers
  }
}
