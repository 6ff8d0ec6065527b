import type { Data } from '@voelgoed/client'
import { Loaded } from '../kit/loaded.svelte.ts'
import type { StaffSession } from '../kit/staff-session.svelte.ts'

export type Venue = Data<'GET /api/admin/venues'>[number]
export type VenueLayout = Data<'GET /api/admin/venues/:venue/layouts'>[number]

/** A venue has a few; an organization that has more searches in the list of venues. */
const MOST = { limit: '200' } as const

/** Where an event can be: venues, and the layouts of one of them. */
export class HallsOfVenue {
  readonly venues = new Loaded<readonly Venue[]>()
  readonly layouts = new Loaded<{ readonly venueId: string; readonly list: readonly VenueLayout[] }>()
  readonly #session: StaffSession

  constructor(session: StaffSession) {
    this.#session = session
  }

  /** For an effect. */
  openVenues(): () => void {
    return this.venues.ask(
      async signal => (await this.#session.call('GET /api/admin/venues', { query: MOST, signal })).data,
    )
  }

  /** For an effect. */
  openLayouts(venueId: string): () => void {
    if (venueId === '') return () => {}
    return this.layouts.ask(async signal => {
      const params = { venue: venueId }
      const route = 'GET /api/admin/venues/:venue/layouts'
      return { venueId, list: (await this.#session.call(route, { params, query: MOST, signal })).data }
    })
  }

  /** Null while they are asked for. */
  layoutsOf(venueId: string): readonly VenueLayout[] | null {
    return this.layouts.value?.venueId === venueId ? this.layouts.value.list : null
  }
}
