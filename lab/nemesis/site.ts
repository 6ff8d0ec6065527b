import { signUp, startGuestSession } from '@voelgoed/contract/accounts'
import { createEvent, publishEvent } from '@voelgoed/contract/events'
import { activateLayoutVersion, createLayout, createVenue, readEventLayout } from '@voelgoed/contract/layouts'
import { Caller } from '../call-route.ts'
import type { Workload } from '../crowd/workloads.ts'
import { type FoundedOrganization, foundOrganization, PASSWORD, type Person } from '../found-organization.ts'
import type { EventPlan } from '../judge/record.ts'
import { ROOT_KEY } from './lab-node.ts'

export interface EventOnSale {
  readonly eventId: string
  readonly organizationId: string
  /** By ordinal. */
  readonly seats: readonly string[]
  readonly ordinalOf: ReadonlyMap<string, number>
  /** By index. */
  readonly zones: readonly string[]
  readonly plan: EventPlan
}

export interface LabEvent extends EventOnSale {
  readonly workload: Workload
}

/** An event of the lab is made from this. */
export type HallPlan = Pick<Workload, 'seats' | 'places' | 'ttlSeconds' | 'maxHoldsPerUser'> & {
  readonly name: string
}

/** The site stands before the first fault: two organizations, people, and events of one of them. */
export interface Site {
  readonly ours: FoundedOrganization
  readonly guests: readonly Person[]
  /** Guests sign in to these, several to the same one. */
  readonly accounts: readonly Person[]
  /** Strangers belong to the other organization: whatever they ask for, there is nothing here for them. */
  readonly strangers: readonly Person[]
  /** By workload: its events, one after the other. */
  readonly programme: readonly (readonly LabEvent[])[]
}

export interface SitePlan {
  readonly workloads: readonly Workload[]
  readonly seconds: number
  readonly guests: number
  readonly accounts: number
  readonly strangers: number
  /** The nodes run with this payment time, if it is a short one. */
  readonly paymentMs?: number
}

const AT_ONCE = 8

export async function buildSite(url: string, plan: SitePlan): Promise<Site> {
  const caller = new Caller(url)
  try {
    const ours = await foundOrganization(caller, ROOT_KEY, 'ours')
    const theirs = await foundOrganization(caller, ROOT_KEY, 'theirs')
    const { organizer } = ours.people
    const venue = await caller.get(createVenue, { token: organizer.token, body: { name: 'Hall' } })
    const programme: LabEvent[][] = []
    for (const workload of plan.workloads) {
      const venueId = venue.data.id
      const layoutId = await addLayout(caller, organizer.token, venueId, workload)
      const events: LabEvent[] = []
      while (events.length === 0 || events.length * workload.eventSeconds < plan.seconds) {
        const event = await addEvent(caller, organizer, { venueId, layoutId, workload })
        const { paymentMs } = plan
        events.push({ workload, ...event, plan: { ...event.plan, ...(paymentMs && { paymentMs }) } })
      }
      programme.push(events)
    }
    return {
      ours,
      guests: await addGuests(caller, ours, plan.guests),
      accounts: await addAccounts(caller, ours, plan.accounts),
      strangers: await addGuests(caller, theirs, plan.strangers),
      programme,
    }
  } finally {
    caller.close()
  }
}

export async function addGuests(
  caller: Caller,
  { id, slug }: FoundedOrganization,
  count: number,
): Promise<Person[]> {
  const guests: Person[] = []
  const add = async () => {
    const { token, user } = (await caller.get(startGuestSession, { body: { organization: slug } })).data
    guests.push({ userId: user.id, organizationId: id, token })
  }
  while (guests.length < count) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - guests.length) }, add))
  }
  return guests
}

async function addAccounts(
  caller: Caller,
  { id, slug }: FoundedOrganization,
  count: number,
): Promise<Person[]> {
  const accounts: Person[] = []
  while (accounts.length < count) {
    const email = `buyer${accounts.length}@${slug}.example`
    const session = await caller.get(signUp, { body: { organization: slug, email, password: PASSWORD } })
    const { token, user } = session.data
    accounts.push({ userId: user.id, organizationId: id, token })
  }
  return accounts
}

const PER_ROW = 10

export async function addLayout(
  caller: Caller,
  token: string,
  venue: string,
  workload: HallPlan,
): Promise<string> {
  const seats = Array.from({ length: workload.seats }, (_, index) => {
    const row = Math.floor(index / PER_ROW)
    const place = index % PER_ROW
    return { row: `R${row + 1}`, number: place + 1, coordinates: { x: place, y: row } }
  })
  const zones = [
    ...(seats.length > 0 ? [{ name: 'Stalls', zone_type: 'reserved_seating' as const, seats }] : []),
    ...(workload.places > 0
      ? [{ name: 'Pit', zone_type: 'ga_standing' as const, capacity: workload.places }]
      : []),
  ]
  const body = { name: workload.name, config: { zones } }
  const { layout_id } = (await caller.get(createLayout, { token, params: { venue }, body })).data
  await caller.get(activateLayoutVersion, { token, params: { layout: layout_id, v: '1' } })
  return layout_id
}

export async function addEvent(
  caller: Caller,
  { token, organizationId }: Person,
  { venueId, layoutId, workload }: { venueId: string; layoutId: string; workload: HallPlan },
): Promise<EventOnSale> {
  const { ttlSeconds, maxHoldsPerUser } = workload
  const seating_overrides = {
    max_seats_per_booking: null,
    holds_per_window: null,
    // All buyers of the lab come from one address.
    max_holds_per_ip: null,
    // The checker does not know which seats go together.
    orphan_avoidance_strict: false,
    max_holds_per_user: maxHoldsPerUser,
    default_hold_ttl_seconds: ttlSeconds,
  }
  const body = { name: workload.name, venue_id: venueId, layout_id: layoutId, seating_overrides }
  const event = (await caller.get(createEvent, { token, body })).data.id
  await caller.get(publishEvent, { token, params: { event } })
  const { zones } = (await caller.get(readEventLayout, { token, params: { event } })).data
  const seats: string[] = []
  for (const seat of zones.flatMap(zone => zone.seats)) seats[seat.ordinal] = seat.seat_id
  return {
    eventId: event,
    organizationId,
    seats,
    ordinalOf: new Map(seats.map((id, ordinal) => [id, ordinal])),
    zones: zones.map(zone => zone.zone_id),
    plan: {
      ttlMs: ttlSeconds * 1000,
      maxHoldsPerUser,
      maxSeatsPerBooking: null,
      zones: zones.map(zone => ({ capacity: zone.capacity, seats: zone.seats.length })),
    },
  }
}
