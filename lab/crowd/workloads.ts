/** A crowd behaves like this at an event of its own. */
export interface Workload {
  readonly name: WorkloadName
  readonly about: string
  /** Seats in rows of ten, and places of a zone without seats. */
  readonly seats: number
  readonly places: number
  readonly ttlSeconds: number
  readonly maxHoldsPerUser: number | null
  /** An event is on for so long, and then the next one: halls sell out. */
  readonly eventSeconds: number
  /** The organizer cancels each of the events while buyers are at it. */
  readonly isCancelled?: true
  /** Each buyer asks one node only, as behind a balancer that keeps clients together. */
  readonly staysWithNode?: true
  /** A buyer with nothing in hand does each of these with this likelihood. */
  readonly wish: Readonly<Partial<Record<Wish, number>>>
  /** A buyer who has a hold does each of these with it. */
  readonly next: Readonly<Partial<Record<Next, number>>>
}

/**
 *   seat      one seat, by its own route       seats    several at random, all or nothing
 *   group     neighbours, in any order         places   of the zone without seats
 */
export type Wish = 'seat' | 'seats' | 'group' | 'places'

/**
 *   release    give it back                     leave      let it run out
 *   extend     once or twice, then release      late       come back when it has run out, and try everything
 *   pay        payment, then a ticket           again      ask for the same once more, then release
 *   meddle     another buyer's hold and seat    crossed    pay with two checkouts, and with nothing
 *   insist     ask again and again, each time with a new key
 *   fewer      keep some of the places          sign in    the holds go to an account, which uses them
 */
export type Next =
  | 'release'
  | 'leave'
  | 'extend'
  | 'late'
  | 'pay'
  | 'again'
  | 'insist'
  | 'meddle'
  | 'crossed'
  | 'fewer'
  | 'sign in'

export const WORKLOAD_NAMES = ['stampede', 'flash', 'ga', 'groups', 'churn', 'mixed', 'cancelled'] as const
export type WorkloadName = (typeof WORKLOAD_NAMES)[number]

export const WORKLOADS: Readonly<Record<WorkloadName, Workload>> = {
  stampede: {
    name: 'stampede',
    about: 'everyone wants the same few seats',
    seats: 4,
    places: 0,
    ttlSeconds: 20,
    maxHoldsPerUser: null,
    eventSeconds: 60,
    wish: { seat: 1 },
    next: { release: 6, again: 2, extend: 1 },
  },
  flash: {
    name: 'flash',
    about: 'a flash sale: a hall that fills up and sells out',
    seats: 400,
    places: 40,
    ttlSeconds: 30,
    maxHoldsPerUser: 8,
    eventSeconds: 60,
    wish: { seat: 4, seats: 4, places: 1 },
    next: { pay: 4, release: 4, again: 2, extend: 1, 'sign in': 1 },
  },
  ga: {
    name: 'ga',
    about: 'places without seats, always nearly full',
    seats: 0,
    places: 30,
    ttlSeconds: 2,
    maxHoldsPerUser: null,
    eventSeconds: 60,
    wish: { places: 1 },
    next: { release: 6, leave: 2, again: 3, extend: 1, fewer: 3, pay: 0.05 },
  },
  groups: {
    name: 'groups',
    about: 'overlapping groups of neighbours',
    seats: 40,
    places: 0,
    ttlSeconds: 20,
    maxHoldsPerUser: 12,
    eventSeconds: 60,
    wish: { group: 1 },
    next: { release: 8, again: 2, extend: 1, insist: 0.5 },
  },
  churn: {
    name: 'churn',
    about: 'holds that run out and are taken again at once',
    seats: 12,
    places: 8,
    ttlSeconds: 1,
    maxHoldsPerUser: 3,
    eventSeconds: 60,
    wish: { seat: 4, seats: 1, places: 2 },
    next: { leave: 6, late: 2, release: 1, again: 1 },
  },
  mixed: {
    name: 'mixed',
    about: 'extend, release, pay, too late, twice, and with what belongs to others',
    seats: 60,
    places: 20,
    ttlSeconds: 1,
    maxHoldsPerUser: 4,
    eventSeconds: 60,
    wish: { seat: 4, seats: 2, places: 1 },
    next: {
      ...{ extend: 4, release: 3, pay: 1, late: 4, again: 2, meddle: 2, crossed: 2, leave: 2 },
      ...{ fewer: 2, 'sign in': 3 },
    },
  },
  cancelled: {
    name: 'cancelled',
    about: 'events that are cancelled while buyers hold, pay and sign in',
    seats: 30,
    places: 12,
    ttlSeconds: 60,
    maxHoldsPerUser: 6,
    eventSeconds: 15,
    isCancelled: true,
    wish: { seat: 3, seats: 2, places: 2 },
    next: { leave: 4, release: 2, extend: 2, pay: 2, fewer: 1, 'sign in': 1 },
  },
}
