import type { Data } from '@voelgoed/client'
import { loadPages } from '../kit/load-pages.ts'
import type { Loaded } from '../kit/loaded.svelte.ts'
import type { StaffSession } from '../kit/staff-session.svelte.ts'

export type Venue = Data<'GET /api/admin/venues'>[number]
export type ListedLayout = Data<'GET /api/admin/venues/:venue/layouts'>[number]
export type LayoutVersion = ListedLayout['versions'][number]

const MOST_VENUES = 1_000
const MOST_LAYOUTS = 1_000

/** For an effect. */
export function openVenues(session: StaffSession, into: Loaded<readonly Venue[]>): () => void {
  return into.ask(signal =>
    loadPages(MOST_VENUES, query => session.call('GET /api/admin/venues', { query, signal })),
  )
}

/** For an effect. */
export function openLayouts(
  session: StaffSession,
  venue: string,
  into: Loaded<readonly ListedLayout[]>,
): () => void {
  const params = { venue }
  return into.ask(signal =>
    loadPages(MOST_LAYOUTS, query =>
      session.call('GET /api/admin/venues/:venue/layouts', { params, query, signal }),
    ),
  )
}

/** The one that events get; else the newest that may still become one. */
export function versionInUse({ versions }: ListedLayout): LayoutVersion | undefined {
  const newestFirst = [...versions].reverse()
  return (
    newestFirst.find(({ status }) => status === 'active') ??
    newestFirst.find(({ status }) => status === 'draft') ??
    newestFirst[0]
  )
}
