import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'

/** Sends a request: straight into a server, or over a socket. */
export type Ask = (
  method: string,
  url: string,
  options?: { token?: string; body?: unknown },
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
) => Promise<{ readonly status: number; readonly text: string; readonly body: any }>

export interface Hall {
  readonly eventId: string
  readonly venueId: string
  readonly layoutId: string
  /** `/api/events/<event>` */
  readonly url: string
  /** By ordinal. */
  readonly seats: readonly string[]
  /** In the order of the layout. */
  readonly zones: readonly string[]
}

export interface HallPlan {
  /** Seats of a zone called Stalls, in rows of `perRow`. */
  readonly seats?: number
  readonly perRow?: number
  /** Places of a zone called Pit. */
  readonly standing?: number
  /** More zones, after these two. */
  readonly zones?: readonly object[]
  /** Price categories: of this zone the last of them, of those after it the first. */
  readonly prices?: readonly string[]
  /** `seat_groups` of the layout. */
  readonly groups?: readonly object[]
  /** Members of the event: sale_end, overrides, seating_overrides, … */
  readonly event?: object
  readonly isDraft?: boolean
  /** For a hall so large that its layout takes long to read: `seats` stays empty. */
  readonly isLarge?: boolean
}

/** No limit but the hall's. */
export const UNLIMITED = { max_seats_per_booking: null, max_holds_per_ip: null, holds_per_window: null }

/** A venue, a layout and an event on it that is on sale. */
export async function openHall(ask: Ask, organizer: string, plan: HallPlan = {}): Promise<Hall> {
  const post = async (url: string, body?: object) => {
    const answer = await ask('POST', url, { token: organizer, ...(body && { body }) })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body.data
  }
  const config = {
    zones: [
      ...priced(seatedZone(plan), plan.prices?.at(-1)),
      ...standingZone(plan),
      ...priced(plan.zones ?? [], plan.prices?.[0]),
    ],
    ...(plan.prices && { price_categories: plan.prices.map(key => ({ key })) }),
    ...(plan.groups && { seat_groups: plan.groups }),
  }
  const venue = await post('/api/admin/venues', { name: 'Hall' })
  const layout = await post(`/api/admin/venues/${venue.id}/layouts`, { name: 'Hall', config })
  await post(`/api/admin/layouts/${layout.layout_id}/versions/1/activate`)
  const event = await post('/api/admin/events', {
    name: 'Play',
    venue_id: venue.id,
    layout_id: layout.layout_id,
    ...plan.event,
  })
  if (!plan.isDraft) await post(`/api/admin/events/${event.id}/publish`)
  const url = `/api/events/${event.id}`
  const ids = { eventId: event.id, venueId: venue.id, layoutId: layout.layout_id }
  if (plan.isLarge) return { ...ids, url, seats: [], zones: [] }
  const answer = await ask('GET', `${url}/layout`, { token: organizer })
  expect(answer.status, answer.text).toBe(200)
  const zones: { zone_id: string; seats: { seat_id: string; ordinal: number }[] }[] = answer.body.data.zones
  const seats: string[] = []
  for (const seat of zones.flatMap(zone => zone.seats)) seats[seat.ordinal] = seat.seat_id
  return { ...ids, url, seats, zones: zones.map(zone => zone.zone_id) }
}

function seatedZone({ seats = 20, perRow = 10 }: HallPlan): object[] {
  if (seats === 0) return []
  const inRow = (index: number) => ({ row: Math.floor(index / perRow), place: index % perRow })
  return [
    {
      name: 'Stalls',
      zone_type: 'reserved_seating',
      seats: Array.from({ length: seats }, (_, index) => {
        const { row, place } = inRow(index)
        return { row: `R${row + 1}`, number: place + 1, coordinates: { x: place, y: row } }
      }),
    },
  ]
}

function priced(zones: readonly object[], price_category: string | undefined): object[] {
  if (price_category === undefined) return [...zones]
  return zones.map(zone => {
    const seats = (zone as { seats?: object[] }).seats ?? []
    return { ...zone, seats: seats.map(seat => ({ ...seat, price_category })) }
  })
}

function standingZone({ standing = 0 }: HallPlan): object[] {
  return standing === 0 ? [] : [{ name: 'Pit', zone_type: 'ga_standing', capacity: standing }]
}

/** An organization with an organizer, for servers that run as processes of their own. */
export async function foundOrganization(
  ask: Ask,
  rootKey: string,
): Promise<{ id: string; slug: string; organizer: string }> {
  const slug = `org-${randomUUID().slice(0, 13)}`
  const email = `organizer@${slug}.example`
  const password = 'a long enough password'
  const send = async (url: string, token: string | null, body: object) => {
    const answer = await ask('POST', url, { ...(token && { token }), body })
    expect(answer.status, answer.text).toBe(201)
    return answer.body.data
  }
  const { id } = await send('/api/platform/organizations', rootKey, { name: 'Test', slug })
  await send(`/api/platform/organizations/${id}/users`, rootKey, { email, password, role: 'organizer' })
  const session = await send('/api/sessions', null, { organization: slug, email, password })
  return { id, slug, organizer: session.token }
}
