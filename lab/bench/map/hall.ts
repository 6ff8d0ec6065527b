import { createEvent, publishEvent } from '@voelgoed/contract/events'
import { activateLayoutVersion, createLayout, createVenue } from '@voelgoed/contract/layouts'
import { generateVenue } from '@voelgoed/core/layout/generate'
import type { Caller } from '../../call-route.ts'
import { type FoundedOrganization, foundOrganization } from '../../found-organization.ts'

export interface Hall {
  readonly eventId: string
  readonly organization: FoundedOrganization
}

/** A hall of this size with an event on sale: a theatre, an arena or a stadium, as its size asks for. */
export async function openHall(caller: Caller, rootKey: string, seats: number, seed: number): Promise<Hall> {
  const organization = await foundOrganization(caller, rootKey, 'map')
  const { token } = organization.people.organizer
  const kind = seats <= 5_000 ? 'theatre' : seats <= 50_000 ? 'arena' : 'stadium'
  const venue = await caller.get(createVenue, { token, body: { name: 'Hall' } })
  const bytes = Buffer.from(JSON.stringify({ name: 'Hall', config: generateVenue({ kind, seats, seed }) }))
  const layout = await caller.get(createLayout, { token, params: { venue: venue.data.id }, bytes })
  const { layout_id } = layout.data
  await caller.get(activateLayoutVersion, { token, params: { layout: layout_id, v: '1' } })
  const event = await caller.get(createEvent, {
    token,
    body: { name: 'Night', venue_id: venue.data.id, layout_id },
  })
  await caller.get(publishEvent, { token, params: { event: event.data.id } })
  return { eventId: event.data.id, organization }
}
