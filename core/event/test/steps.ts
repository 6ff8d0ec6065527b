import fc from 'fast-check'
import type { EventUpdate } from '../command.ts'
import {
  CREW,
  FLOOR,
  LOGE,
  MINUTE,
  type Name,
  NOW,
  openPolicy,
  planOf,
  SEAT_COUNT,
  STALLS,
  seatRules,
  tightPolicy,
} from './hall.ts'

/**
 * People might do this, in words that print and shrink well. A hold is named by how long ago it was made: 0
 * is the newest, with `of: 'own'` the newest of theirs (of the checkout, where none of them asks) that has
 * not ended.
 */
export type Step =
  | { do: 'wait'; ms: number }
  | { do: 'wait_for_expiry'; ms: number }
  | { do: 'hold_seats'; who: Name; ip: string | null; seats: number[] }
  | { do: 'hold_places'; who: Name; ip: string | null; zone: number; quantity: number }
  | {
      do: 'hold_best'
      who: Name
      ip: string | null
      quantity: number
      wheelchair: number
      companions: number
      zone?: number
      together: boolean | null
    }
  | { do: 'extend'; who: Name; of: Of; hold: number }
  | { do: 'reduce'; who: Name; of: Of; hold: number; quantity: number }
  | { do: 'transfer'; who: Name; from: Name }
  | { do: 'give_back'; who: Name; of: Of; holds: number[] }
  | { do: 'payment_failed'; checkout: string; of: Of; holds: number[] }
  | { do: 'end_payment'; who: Name; checkout: string; of: Of; holds: number[] }
  | { do: 'staff_release'; holds: number[]; force: boolean }
  | {
      do: 'start_payment'
      who: Name
      checkout: string
      of: Of
      holds: number[]
      ended: boolean
      guest: Guest
      allowStranding: boolean
    }
  | {
      do: 'sell'
      who: Name
      checkout: string
      of: Of
      holds: number[]
      ended: boolean
      guest: Guest
      allowStranding: boolean
    }
  | { do: 'void_tickets'; tickets: number[]; whole: boolean }
  | { do: 'move_tickets'; tickets: number[]; seats: number[]; checkout: string }
  | { do: 'expire'; limit: number }
  | { do: 'end_holds'; why: 'cancelled' | 'staff'; zone?: number; user?: Name; force: boolean; limit: number }
  | { do: 'block'; seats: number[] }
  | { do: 'unblock'; seats: number[] }
  | { do: 'change_event'; update: EventUpdate }
  | { do: 'restart' }

export type Of = 'own' | 'any'

/** This guest comes with the buyer: on every place of the checkout but its first. */
export type Guest = 'none' | 'member' | 'former member' | 'on the whitelist'

// Two of them do most, or no user would ever reach a limit.
const who = fc.constantFrom<Name>('ann', 'ann', 'ann', 'ben', 'ben', 'ben', 'cat', 'dan')
const ip = fc.constantFrom('10.0.0.1', '10.0.0.2', null)
const seats = fc.uniqueArray(fc.nat(SEAT_COUNT - 1), { minLength: 1, maxLength: 4, size: '-1' })
const of = fc.constantFrom<Of>('own', 'own', 'own', 'any')
const hold = fc.constantFrom(0, 0, 0, 1, 1, 2)
const holds = fc.constantFrom<number[]>([0], [0], [0], [1], [0, 1], [0, 1], [0, 2], [])
const guest = fc.constantFrom<Guest>('none', 'member', 'former member', 'on the whitelist')
const checkout = fc.constantFrom('checkout-1', 'checkout-2')

const zone = (zoneIndex: number, change: { capacity?: number; disabled?: boolean }): EventUpdate => {
  const { capacity, access, disabled } = planOf().zones[zoneIndex]!
  return { zones: [{ zoneIndex, capacity, access, disabled, ...change }] }
}
const update = fc.constantFrom<EventUpdate>(
  { status: 'published' },
  { status: 'live', saleStart: null, saleEnd: null },
  { status: 'live', policy: tightPolicy },
  { policy: { ...tightPolicy, default_hold_ttl_seconds: 60 } },
  { policy: { ...openPolicy, default_hold_ttl_seconds: 3600 } },
  { policy: { ...tightPolicy, holds_per_window: 1 } },
  { policy: { ...openPolicy, max_wheelchair_seats_per_booking: 2 } },
  { policy: { ...openPolicy, allow_hybrid_ga_reserved: false } },
  { policy: seatRules },
  { policy: { ...seatRules, companion_release_occupancy_threshold: 40 } },
  { policy: { ...tightPolicy, allow_vip_zones: false, allowed_access_modes: ['public', 'role_based'] } },
  { status: 'live' },
  { status: 'completed' },
  { status: 'cancelled' },
  { saleEnd: NOW + 20 * MINUTE },
  { saleStart: NOW + 10 * MINUTE, saleEnd: null },
  zone(STALLS, { disabled: true }),
  zone(STALLS, { disabled: false }),
  zone(FLOOR, { capacity: 3 }),
  zone(FLOOR, { capacity: 6, disabled: true }),
  zone(FLOOR, {}),
)

const endHolds = fc.record(
  {
    do: fc.constant('end_holds' as const),
    why: fc.constantFrom('cancelled' as const, 'staff' as const),
    zone: fc.constantFrom(STALLS, FLOOR),
    user: who,
    force: fc.boolean(),
    limit: fc.constantFrom(1, 2, 2, 100),
  },
  { requiredKeys: ['do', 'why', 'force', 'limit'] },
)

const holdBest = fc
  .record(
    {
      do: fc.constant('hold_best' as const),
      who,
      ip,
      others: fc.constantFrom(1, 1, 2, 2, 3),
      wheelchair: fc.constantFrom(0, 0, 0, 1),
      companions: fc.constantFrom(0, 1),
      zone: fc.constantFrom(STALLS, LOGE),
      together: fc.constantFrom(true, false, null),
    },
    { requiredKeys: ['do', 'who', 'ip', 'others', 'wheelchair', 'companions', 'together'] },
  )
  .map(({ others, wheelchair, companions, ...rest }) => {
    const beside = wheelchair === 0 ? 0 : companions
    const quantity = wheelchair === 0 ? others : others - 1 + wheelchair + beside
    return { ...rest, wheelchair, companions: beside, quantity }
  })

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('hold_seats'), who, ip, seats }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('hold_places'),
      who,
      ip,
      zone: fc.constantFrom(FLOOR, FLOOR, FLOOR, CREW),
      quantity: fc.constantFrom(1, 1, 2, 2, 3, 4),
    }),
  },
  { weight: 5, arbitrary: holdBest },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait'),
      ms: fc.constantFrom(1, 999, MINUTE, MINUTE, 4 * MINUTE, 5 * MINUTE, 9 * MINUTE),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait_for_expiry'), ms: fc.constantFrom(-1, 0, 1) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('extend'), who, of, hold }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('reduce'), who, of, hold, quantity: fc.constantFrom(1, 1, 2, 3) }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('transfer'), who, from: who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('give_back'), who, of, holds }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('payment_failed'), checkout, of, holds }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end_payment'), who, checkout, of, holds }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('staff_release'), holds, force: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('start_payment'),
      ...{ who, checkout, of, holds, guest },
      ended: fc.boolean(),
      allowStranding: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('sell'),
      ...{ who, checkout, of, holds, guest },
      ended: fc.constantFrom(false, false, true),
      allowStranding: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('void_tickets'),
      tickets: fc.constantFrom<number[]>([0], [0], [1], [0, 1], [0, 2, 3]),
      whole: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('move_tickets'),
      tickets: fc.constantFrom<number[]>([0], [0], [1], [0, 1], [0, 2, 3]),
      seats,
      checkout,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('expire'), limit: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: endHolds },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('block'), seats }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('unblock'), seats }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('change_event'), update }) },
  { weight: 2, arbitrary: fc.constant({ do: 'restart' } as const) },
)

/** Cancelled events refuse nearly everything: this one is soon on sale again. */
const cancelled = endHolds.map((step): Step[] => [
  { do: 'change_event', update: { status: 'cancelled' } },
  { ...step, why: 'cancelled' },
  { do: 'change_event', update: { status: 'live' } },
])

/** Few others meet in the loge: two of its seats in one checkout, with a guest or without. */
const party = guest.map((guest): Step[] => [
  { do: 'hold_seats', who: 'ben', ip: null, seats: [6, 7] },
  {
    do: 'start_payment',
    who: 'ben',
    checkout: 'checkout-1',
    of: 'own',
    holds: [0, 1],
    guest,
    ended: false,
    allowStranding: false,
  },
])

export const history: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      { weight: 80, arbitrary: step.map(one => [one]) },
      { weight: 1, arbitrary: cancelled },
      { weight: 1, arbitrary: party },
    ),
    { minLength: 10, maxLength: 60, size: 'max' },
  )
  .map(parts => parts.flat())
