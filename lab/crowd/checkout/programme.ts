import { createVenue } from '@voelgoed/contract/layouts'
import { replacePrices } from '@voelgoed/contract/prices'
import { Caller } from '../../call-route.ts'
import type { FoundedOrganization, Person } from '../../found-organization.ts'
import { addEvent, addGuests, addLayout, type EventOnSale } from '../../nemesis/site.ts'
import type { Random } from '../../random.ts'

/** Small, so that others want the seats of a late buyer; a new one opens when it is nearly sold. */
const HALL = { name: 'checkout', seats: 120, places: 400, ttlSeconds: 4, maxHoldsPerUser: null }
/** The next event opens when so many seats of this one are sold. */
const SOLD_SEATS = 90

const CURRENCY = 'ZAR'
const PRICES = {
  currency: CURRENCY,
  categories: [
    {
      key: 'stalls',
      name: 'Stalls',
      ticket_types: [
        { key: 'adult', name: 'Adult', amount: 80_001 },
        { key: 'child', name: 'Child', amount: 40_013 },
      ],
    },
    {
      key: 'pit',
      name: 'Pit',
      ticket_types: [
        { key: 'adult', name: 'Adult', amount: 25_007 },
        { key: 'child', name: 'Child', amount: 0 },
      ],
    },
  ],
}
const FEES = [
  { name: 'Booking fee', amount: 1_503, per: 'ticket' as const },
  { name: 'Service', amount: 799, per: 'order' as const },
]
/** Every so many events has no fees: some of its tickets cost nothing. */
const WITHOUT_FEES = 4
const ADMISSION = { days: 'all' as const, entries_per_day: 1, reentry: false }

/** The nodes have a bad gateway, and must be run from a copy with short times (quick-times.ts). */
export interface CheckoutOptions {
  /** The crowd opens at least so many checkouts. */
  readonly count: number
  readonly buyers: number
  /** On sale at once. */
  readonly events: number
  /** From the last request until nothing is left to do, at most; longer is a violation. */
  readonly settledWithinMs: number
}

/**
 * The programme knows the people and the events on sale. A new event replaces each one that is nearly sold.
 */
export interface Programme {
  readonly organizer: Person
  readonly scanner: Person
  readonly buyers: readonly Person[]
  /** These are on sale now. */
  readonly now: readonly EventOnSale[]
  /** All of them, from the first. */
  readonly all: readonly EventOnSale[]
  /** Seats by ordinal whose buyers pay too late: others want them. By event, the last few. */
  readonly coveted: Map<string, number[]>
  pick(random: Random): EventOnSale
  /** So many seats of an event were sold. Opens the next one if there are enough of them. */
  sold(event: EventOnSale, seats: number): void
  close(): void
}

/** `url`: of any node that stands. */
export async function openProgramme(
  url: () => string | null,
  plan: { readonly ours: FoundedOrganization; readonly buyers: number; readonly events: number },
): Promise<Programme> {
  const caller = new Caller(url()!)
  const { ours } = plan
  const { organizer, scanner } = ours.people
  const venue = await caller.get(createVenue, { token: organizer.token, body: { name: 'Hall' } })
  const venueId = venue.data.id
  const layoutId = await addLayout(caller, organizer.token, venueId, HALL)
  let opened = 0
  const add = (by: Caller) => {
    opened += 1
    return openEvent(by, organizer, { venueId, layoutId, hasFees: opened % WITHOUT_FEES > 0 })
  }
  const now: EventOnSale[] = []
  while (now.length < plan.events) now.push(await add(caller))
  const buyers = await addGuests(caller, ours, plan.buyers)
  caller.close()

  const all = [...now]
  const counts = new Map<string, number>()
  const opening = new Set<string>()
  let isClosed = false
  /** Nodes may be down: until it is there, the old one stays on sale. */
  const replace = async (old: EventOnSale) => {
    for (let tries = 0; tries < 200 && !isClosed; tries += 1) {
      const at = url()
      const by = at === null ? null : new Caller(at)
      try {
        if (by === null) throw new Error('no node stands')
        const event = await add(by)
        now[now.indexOf(old)] = event
        all.push(event)
        return
      } catch {
        await new Promise(resolve => setTimeout(resolve, 250))
      } finally {
        by?.close()
      }
    }
  }
  return {
    organizer,
    scanner,
    buyers,
    now,
    all,
    coveted: new Map(),
    pick: random => random.pick(now),
    sold(event, seats) {
      const count = (counts.get(event.eventId) ?? 0) + seats
      counts.set(event.eventId, count)
      if (count < SOLD_SEATS || opening.has(event.eventId)) return
      opening.add(event.eventId)
      void replace(event)
    },
    close() {
      isClosed = true
    },
  }
}

async function openEvent(
  caller: Caller,
  organizer: Person,
  { hasFees, ...hall }: { venueId: string; layoutId: string; hasFees: boolean },
): Promise<EventOnSale> {
  const event = await addEvent(caller, organizer, { ...hall, workload: HALL })
  const [stalls, pit] = event.zones
  await caller.get(replacePrices, {
    token: organizer.token,
    params: { event: event.eventId },
    body: {
      ...PRICES,
      fees: hasFees ? FEES : [],
      zones: { [stalls!]: 'stalls', [pit!]: 'pit' },
      admission: { stalls: ADMISSION, pit: ADMISSION },
    },
    headers: { 'if-match': '"0"' },
  })
  return event
}
