import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { type Event, findEvent } from '../events/tables/events.ts'
import { readPrices } from '../events/tables/prices.ts'
import type { WholeOrder } from '../orders/tables/orders.ts'
import { type OrganizationSettings, readOrganization } from '../people/tables/organizations.ts'
import { findVenue, type Venue } from '../venues/tables/venues.ts'

/** Tickets and calendars say this beyond the order itself. */
export interface OrderFacts {
  readonly whole: WholeOrder
  readonly event: Event
  readonly venue: Venue
  readonly organization: OrganizationSettings
  /** Names of ticket types, by key. */
  readonly typeNames: ReadonlyMap<string, string>
}

export async function readOrderFacts(tx: TenantTx, whole: WholeOrder): Promise<OrderFacts> {
  const { event_id } = whole.order
  const [event, organization, prices] = await Promise.all([
    findEvent(tx, event_id),
    readOrganization(tx),
    readPrices(tx, event_id),
  ])
  const venue = await findVenue(tx, event!.venueId)
  const types = (prices?.list.categories ?? []).flatMap(category => category.ticket_types)
  return {
    whole,
    event: event!,
    venue: venue!,
    organization,
    typeNames: new Map(types.map(({ key, name }) => [key, name])),
  }
}
