import type { MetricMakers } from './metric-makers.ts'

const SOURCES = ['memory', 'postgres', 'not_public', 'late'] as const

const OUTCOMES = ['allowed', 'other_organization', 'unknown'] as const

/** Pages as search engines and shared links see them. */
export function createShareMetrics({ counter }: MetricMakers) {
  const heads = counter(
    'voelgoed_page_heads_total',
    'Storefronts and events that were opened, by where their title and description came from: memory, postgres, not_public (none), late (Postgres did not answer in time: none, or the last known)',
    ['from'],
  )
  // A series that begins at 1 has, to Prometheus, never increased.
  for (const from of SOURCES) heads.inc({ from }, 0)
  const sites = counter(
    'voelgoed_other_site_requests_total',
    'Requests from pages of other sites to the routes of buyers, by outcome: allowed, other_organization (refused: the session is of an organization that does not allow the site), unknown (no organization allows the site: browsers keep the answer from it)',
    ['outcome'],
  )
  for (const outcome of OUTCOMES) sites.inc({ outcome }, 0)
  return {
    otherSite: (outcome: (typeof OUTCOMES)[number]) => sites.inc({ outcome }),
    head: (from: (typeof SOURCES)[number]) => heads.inc({ from }),
  }
}
