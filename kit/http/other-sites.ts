import type { IncomingHttpHeaders } from 'node:http'
import type { Counter } from 'prom-client'
import type { Clock } from '../base/clock.ts'
import { LookUpTogether } from '../base/look-up-together.ts'
import type { MetricMakers } from '../metrics/metric-makers.ts'
import type { Database } from '../postgres/database.ts'
import { type AllowedSite, sitesByOrigin } from './allowed-origins.ts'
import type { Principal } from './principals.ts'

const OUTCOMES = ['allowed', 'other_organization', 'unknown'] as const

interface OtherSitesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly metrics: MetricMakers
}

/** It may take so long until a new setting counts. */
const LIMITS = { knownMs: 10_000, maxKnown: 1_000, maxWaiting: 100 }
const MAX_ORIGIN = 300

/** A page of another site may read these of an answer, besides its body. */
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
  readonly #requests: Counter<'outcome'>

  constructor({ database, clock, metrics }: OtherSitesDeps) {
    this.#requests = metrics.counter(
      'voelgoed_other_site_requests_total',
      'Requests from pages of other sites to the routes of buyers, by outcome: allowed, other_organization (refused: the session is of an organization that does not allow the site), unknown (no organization allows the site: browsers keep the answer from it)',
      ['outcome'],
    )
    // A series that begins at 1 has, to Prometheus, never increased.
    for (const outcome of OUTCOMES) this.#requests.inc({ outcome }, 0)
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

  /** Returns whether the site may use this session. Counts the request. */
  mayUse(site: AllowedSite | null, principal: Principal | null): boolean {
    const isOthers =
      site && principal?.kind === 'user' && !site.organizationIds.has(principal.scope.organizationId)
    this.#requests.inc({ outcome: site ? (isOthers ? 'other_organization' : 'allowed') : 'unknown' })
    return !isOthers
  }
}
