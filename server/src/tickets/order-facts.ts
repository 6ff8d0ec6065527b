import type { TenantTx } from '../postgres/database.ts'
import { type Event, findEvent } from '../postgres/tables/events.ts'
import type { WholeOrder } from '../postgres/tables/orders.ts'
import { type OrganizationSettings, readOrganization } from '../postgres/tables/organizations.ts'
import { readPrices } from '../postgres/tables/prices.ts'
import { findVenue, type Venue } from '../postgres/tables/venues.ts'

/** What tickets and calendars say beyond the order itself. */
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
