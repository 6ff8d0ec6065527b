import { describe, expect, test } from 'vitest'
import type { Person } from '../access.ts'
import type { NamedGuests } from '../guests/guest-rule.ts'
import type { HoldId, ZoneId } from '../ids.ts'
import type { PolicyFields } from '../policy.ts'
import type { HoldRefusal } from '../refusal.ts'
import type { Outcome } from './decision.ts'
import {
  CREW,
  FLOOR,
  LOGE,
  MINUTE,
  NOW,
  people,
  planOf,
  SECOND,
  STALLS,
  seatId,
  seatRules,
  withTable as tableMap,
  tightPolicy,
} from './test/hall.ts'
import { Scene } from './test/scene.ts'

const gold = { mode: 'membership_tier', membershipTier: 'gold' } as const
const stranger = people.ann
function withGuest({ membershipTier, membershipStatus }: Person): NamedGuests {
  const guest = { membershipTier, membershipStatus, isOnWhitelist: false }
  return { byHold: { h2: [guest] }, hasOwnTicket: false }
}
function withLogeOfBen(act: (scene: Scene) => Outcome): (scene: Scene) => Outcome {
  return scene => {
    scene.holdSeats('ben', [6, 7])
    return act(scene)
  }
}
const TABLE = [seatId(6), seatId(7)]

/** Every refusal a command can meet. The compiler asks for a row when a kind is added. */
type Kind = HoldRefusal['kind']
type Row<K extends Kind> = [
  when: string,
  act: (scene: Scene) => Outcome,
  refusal: Omit<Extract<HoldRefusal, { kind: K }>, 'kind'>,
]
const table: { [K in Kind]: [Row<K>, ...Row<K>[]] } = {
  companion_reserved: [
    [
      'the buyer pays for the companion seat and only holds its wheelchair place',
      withRules(scene => {
        scene.holdSeats('ann', [3, 4])
        return scene.startPayment('ann', ['h1'])
      }),
      { seatIds: [seatId(3)] },
    ],
    [
      'the companion seat is sold to a buyer who only holds its wheelchair place',
      withRules(scene => {
        scene.holdSeats('ann', [3, 4])
        return scene.sell('ann', ['h1'])
      }),
      { seatIds: [seatId(3)] },
    ],
    [
      'the companion seat is asked for without its wheelchair place',
      withRules(scene => scene.holdSeats('ann', [2, 3])),
      { seatIds: [seatId(3)] },
    ],
    [
      'another buyer has the wheelchair place',
      withRules(scene => {
        scene.holdSeats('ben', [4])
        return scene.holdSeats('ann', [3])
      }),
      { seatIds: [seatId(3)] },
    ],
    [
      'the wheelchair place was given back before the payment',
      withRules(scene => {
        scene.holdSeats('ann', [3, 4])
        scene.giveBack('ann', ['h2'])
        return scene.startPayment('ann', ['h1'])
      }),
      { seatIds: [seatId(3)] },
    ],
  ],
  seats_differ: [
    [
      'a ticket of the stalls is moved to a seat for members',
      scene => {
        scene.holdSeats('ben', [0])
        scene.sell('ben', ['h1'])
        return scene.moveTickets('ben', [{ ticketId: 't1', ordinal: 0, zoneIndex: STALLS }], [6])
      },
      { seatIds: [seatId(6)], reason: 'members_zone' },
    ],
  ],
  sold_as_a_whole: [
    ['one seat of the table is wanted', withTable(scene => scene.holdSeats('ben', [7])), { seatIds: TABLE }],
    [
      'one seat of the table is paid for',
      withTable(scene => {
        scene.holdSeats('ben', [6, 7])
        return scene.startPayment('ben', ['h1'])
      }),
      { seatIds: TABLE },
    ],
    [
      'one seat of the table is sold, of a payment for all of them',
      withTable(scene => {
        scene.holdSeats('ben', [6, 7])
        scene.startPayment('ben', ['h1', 'h2'], 'c1', withGuest(people.ben))
        return scene.sell('ben', ['h1'])
      }),
      { seatIds: TABLE },
    ],
  ],
  no_suitable_seats: [
    [
      'there are not so many',
      withRules(scene => scene.holdBest('ann', { quantity: 4 })),
      { reason: 'not_enough_seats', alternatives: [{ kind: 'fewer', quantity: 3 }] },
    ],
    [
      'they are not side by side',
      withRules(scene => {
        scene.holdSeats('dan', [1])
        return scene.holdBest('ann', { quantity: 2, together: true })
      }),
      { reason: 'not_together', alternatives: [{ kind: 'fewer', quantity: 1 }, { kind: 'apart' }] },
    ],
    [
      'all wheelchair places are taken',
      withRules(scene => {
        scene.holdSeats('dan', [4, 5])
        return scene.holdBest('ann', { quantity: 1, wheelchair: 1 })
      }),
      { reason: 'no_wheelchair_place', alternatives: [] },
    ],
    [
      'all wheelchair places are taken, and the other zones have none',
      withRules(scene => {
        scene.holdSeats('dan', [4, 5])
        return scene.holdBest('ben', { quantity: 1, wheelchair: 1, zoneIndexes: [STALLS] })
      }),
      { reason: 'no_wheelchair_place', alternatives: [] },
    ],
    [
      'only another zone has wheelchair places',
      withRules(scene => scene.holdBest('ben', { quantity: 2, wheelchair: 1, zoneIndexes: [LOGE] })),
      { reason: 'no_wheelchair_place', alternatives: [{ kind: 'zone', zoneId: 'stalls' as ZoneId }] },
    ],
    [
      'the friends of a wheelchair user are not side by side',
      withRules(scene => {
        scene.holdSeats('dan', [1])
        return scene.holdBest('ann', { quantity: 3, wheelchair: 1, together: true })
      }),
      { reason: 'not_together', alternatives: [{ kind: 'fewer', quantity: 2 }, { kind: 'apart' }] },
    ],
    [
      'another zone has them',
      withTable(scene => {
        scene.holdSeats('dan', [1])
        return scene.holdBest('ben', { quantity: 2, together: true, zoneIndexes: [STALLS] })
      }),
      { reason: 'not_together', alternatives: [{ kind: 'fewer', quantity: 1 }, { kind: 'apart' }] },
    ],
  ],
  would_strand_seats: [
    [
      'the buyer holds the seats beside the order and does not pay for them',
      withRules(scene => {
        scene.holdSeats('ann', [0, 1, 2])
        return scene.startPayment('ann', ['h2'])
      }),
      {
        seatIds: [seatId(0), seatId(2)],
        alternatives: [
          { change: 'add', seatIds: [0, 1, 2].map(seatId) },
          { change: 'shift', seatIds: [seatId(0)] },
        ],
      },
    ],
    [
      'the seats left and right of the order stay alone',
      withRules(scene => {
        scene.holdSeats('ann', [1])
        return scene.startPayment('ann', ['h1'])
      }),
      {
        seatIds: [seatId(0), seatId(2)],
        alternatives: [
          { change: 'add', seatIds: [0, 1, 2].map(seatId) },
          { change: 'shift', seatIds: [seatId(0)] },
        ],
      },
    ],
    [
      'it is sold without a payment',
      withRules(scene => {
        scene.holdSeats('ann', [1])
        return scene.sell('ann', ['h1'])
      }),
      {
        seatIds: [seatId(0), seatId(2)],
        alternatives: [
          { change: 'add', seatIds: [0, 1, 2].map(seatId) },
          { change: 'shift', seatIds: [seatId(0)] },
        ],
      },
    ],
  ],
  event_not_available: [
    ['the event is a draft', closedAs('draft'), { status: 'draft' }],
    ['the event is over', closedAs('completed'), { status: 'completed' }],
    [
      'the event was cancelled while the buyer was paying',
      scene => {
        scene.holdSeats('ann', [0])
        scene.changeEvent({ status: 'cancelled' })
        return scene.sell('ann', ['h1'])
      },
      { status: 'cancelled' },
    ],
    [
      'the event is archived while there are holds',
      withHoldOfAnn(scene => {
        scene.changeEvent({ status: 'archived' })
        return scene.extend('ann', 'h1')
      }),
      { status: 'archived' },
    ],
  ],
  event_sales_closed: [
    [
      'it is a millisecond too early',
      scene => {
        scene.changeEvent({ saleStart: NOW + 1 })
        return scene.holdSeats('ann', [0])
      },
      { saleStart: NOW + 1, saleEnd: null },
    ],
    [
      'it is a millisecond too late',
      scene => {
        scene.changeEvent({ saleEnd: NOW - 1 })
        return scene.holdPlaces('ann', FLOOR, 1)
      },
      { saleStart: null, saleEnd: NOW - 1 },
    ],
  ],
  too_many_seats: [
    [
      'what is mine already makes the booking too large, seats and places alike',
      scene => {
        scene.holdSeats('ann', [0])
        scene.holdPlaces('ann', FLOOR, 2)
        return scene.holdSeats('ann', [0, 1, 2])
      },
      { limit: 4 },
    ],
    [
      'more seats are asked for than one booking may have, whether they are free or not',
      scene => {
        scene.holdSeats('ben', [0])
        return scene.holdSeats('ann', [0, 1, 2, 3, 4])
      },
      { limit: 4 },
    ],
    [
      'more places are asked for than one booking may have',
      scene => scene.holdPlaces('ann', FLOOR, 5),
      { limit: 4 },
    ],
    [
      'the carts of a guest and an account are too large together',
      scene => {
        scene.holdSeats('ann', [0, 1])
        scene.holdPlaces('ben', FLOOR, 3)
        return scene.transfer('ann', 'ben')
      },
      { limit: 4 },
    ],
  ],
  zone_access_denied: [
    [
      'a zone is for members',
      scene => scene.holdSeats('ann', [0, 6]),
      { required: { mode: 'membership_tier', membershipTier: 'gold' } },
    ],
    [
      'a membership is suspended',
      scene => scene.holdSeats('cat', [6]),
      { required: { mode: 'membership_tier', membershipTier: 'gold' } },
    ],
    [
      'an admin is not a member',
      scene => scene.holdSeats('dan', [6]),
      { required: { mode: 'membership_tier', membershipTier: 'gold' } },
    ],
    [
      'a membership ended before the payment began',
      scene => {
        scene.holdSeats('ben', [6])
        return scene.startPayment(withoutMembership, ['h1'])
      },
      { required: { mode: 'membership_tier', membershipTier: 'gold' } },
    ],
    [
      'a membership ended before the holds were sold',
      scene => {
        scene.holdSeats('ben', [6])
        scene.startPayment('ben', ['h1'])
        return scene.sell(withoutMembership, ['h1'])
      },
      { required: { mode: 'membership_tier', membershipTier: 'gold' } },
    ],
    [
      'a guest holds what the account may not have',
      scene => {
        scene.holdSeats('ben', [6])
        return scene.transfer('ann', 'ben')
      },
      { required: { mode: 'membership_tier', membershipTier: 'gold' } },
    ],
    [
      'a zone is for staff',
      scene => scene.holdPlaces('ann', CREW, 1),
      { required: { mode: 'role_based', allowedRoles: ['organizer', 'admin'] } },
    ],
  ],
  seat_not_available: [
    [
      'seats are sold, also if others are blocked or held',
      scene => {
        scene.holdSeats('ann', [0])
        scene.sell('ann', ['h1'])
        scene.block([2])
        scene.holdSeats('cat', [1])
        return scene.holdSeats('ben', [0, 1, 2])
      },
      { seatIds: [seatId(0), seatId(2)], currentStatus: 'sold' },
    ],
    [
      'a seat is blocked',
      scene => {
        scene.block([2])
        return scene.holdSeats('ben', [1, 2])
      },
      { seatIds: [seatId(2)], currentStatus: 'blocked' },
    ],
    [
      'the zone is disabled',
      scene => {
        disable(scene, STALLS)
        return scene.holdSeats('ben', [6, 1])
      },
      { seatIds: [seatId(1)], currentStatus: 'blocked' },
    ],
    [
      'staff want to block a seat that a buyer holds',
      scene => {
        scene.holdSeats('ann', [0])
        return scene.block([0, 1])
      },
      { seatIds: [seatId(0)], currentStatus: 'held' },
    ],
    [
      'staff want to block a seat that is sold',
      scene => {
        scene.holdSeats('ann', [0, 1])
        scene.sell('ann', ['h1'])
        return scene.block([0, 1])
      },
      { seatIds: [seatId(0), seatId(1)], currentStatus: 'sold' },
    ],
  ],
  seat_held_by_another_user: [
    [
      'another buyer was first: the seconds are those of the hold that lasts longest',
      scene => {
        scene.holdSeats('ann', [0])
        scene.now += 90 * SECOND - 1
        scene.holdSeats('cat', [1])
        return scene.holdSeats('ben', [0, 1, 2])
      },
      { seatIds: [seatId(0), seatId(1)], expiresIn: 600 },
    ],
    [
      'the hold of another has a millisecond to live',
      scene => {
        scene.holdSeats('ann', [0])
        scene.now += 10 * MINUTE - 1
        return scene.holdSeats('ben', [0])
      },
      { seatIds: [seatId(0)], expiresIn: 1 },
    ],
  ],
  zone_not_sold: [
    [
      'the policy sells no VIP zones',
      underPolicy({ allow_vip_zones: false }, 'seat'),
      { rule: 'allow_vip_zones' },
    ],
    [
      'the policy sells no numbered seats',
      underPolicy({ allow_reserved_seating: false }, 'seat'),
      { rule: 'allow_reserved_seating' },
    ],
    [
      'the policy sells no general admission',
      underPolicy({ allow_ga_seating: false }, 'place'),
      { rule: 'allow_ga_seating' },
    ],
    [
      'the policy sells no general admission beside seats',
      underPolicy({ allow_hybrid_ga_reserved: false }, 'place'),
      { rule: 'allow_hybrid_ga_reserved' },
    ],
    [
      'the policy does not allow the access mode of a zone',
      underPolicy({ allowed_access_modes: ['public'] }, 'seat'),
      { rule: 'allowed_access_modes' },
    ],
  ],
  zone_at_capacity: [
    [
      'fewer places are left than asked for',
      scene => {
        scene.holdPlaces('ann', FLOOR, 3)
        scene.holdPlaces('ben', FLOOR, 2)
        scene.sell('ben', ['h2'])
        return scene.holdPlaces('cat', FLOOR, 2)
      },
      { available: 1 },
    ],
    [
      'the zone is disabled',
      scene => {
        disable(scene, FLOOR)
        return scene.holdPlaces('ann', FLOOR, 1)
      },
      { available: 0 },
    ],
    [
      'staff want to make a zone smaller than what is taken',
      scene => {
        scene.holdPlaces('ann', FLOOR, 3)
        const { access } = planOf().zones[FLOOR]!
        return scene.changeEvent({ zones: [{ zoneIndex: FLOOR, capacity: 2, access, disabled: false }] })
      },
      { available: 3 },
    ],
  ],
  quota_exceeded: [
    [
      'a user has as much as one may, in places',
      scene => {
        scene.holdPlaces('ann', FLOOR, 3)
        return scene.holdSeats('ann', [2])
      },
      { limit: 3, quota: 'max_holds_per_user' },
    ],
    [
      'an address holds as much as one may',
      scene => {
        scene.holdPlaces('ann', FLOOR, 3, '10.0.0.1')
        scene.holdSeats('ben', [2], '10.0.0.1')
        return scene.holdPlaces('cat', FLOOR, 1, '10.0.0.1')
      },
      { limit: 4, quota: 'max_holds_per_ip' },
    ],
    [
      'a user holds a wheelchair seat already',
      scene => {
        scene.holdSeats('ann', [4])
        return scene.holdSeats('ann', [3, 5])
      },
      { limit: 1, quota: 'max_wheelchair_seats_per_booking' },
    ],
    [
      'two wheelchair seats are asked for at once',
      scene => scene.holdSeats('ann', [4, 5]),
      { limit: 1, quota: 'max_wheelchair_seats_per_booking' },
    ],
    [
      'more is asked for than any window allows',
      scene => {
        scene.changeEvent({ policy: { ...tightPolicy, holds_per_window: 2 } })
        return scene.holdPlaces('ann', FLOOR, 3)
      },
      { limit: 2, quota: 'holds_per_window' },
    ],
  ],
  rate_limited: [
    [
      'holds are made and given back too fast: the seconds are those until the new ones fit',
      scene => {
        for (let i = 1; i <= 6; i++) {
          scene.holdSeats('ann', [0])
          scene.giveBack('ann', [`h${i}`])
          scene.now += 10 * SECOND
        }
        return scene.holdSeats('ann', [0, 1])
      },
      { retryAfterSeconds: 300 - 60 + 10 },
    ],
    [
      'places are taken and given back too fast: each counts, also those of one hold',
      scene => {
        for (let i = 1; i <= 2; i++) {
          scene.holdPlaces('ann', FLOOR, 3)
          scene.giveBack('ann', [`h${i}`])
          scene.now += 10 * SECOND
        }
        return scene.holdSeats('ann', [0])
      },
      { retryAfterSeconds: 300 - 20 },
    ],
    [
      'fewer places later do not undo that they were taken',
      scene => {
        scene.holdPlaces('ann', FLOOR, 3)
        scene.reduce('ann', 'h1', 1)
        scene.holdSeats('ann', [0, 1])
        scene.giveBack('ann', ['h2', 'h3'])
        return scene.holdSeats('ann', [0, 1])
      },
      { retryAfterSeconds: 300 },
    ],
  ],
  hold_not_found: [
    ['there is no such hold', scene => scene.extend('ann', 'h1'), {}],
    ['another wants to extend it', withHoldOfAnn(scene => scene.extend('ben', 'h1')), {}],
    ['another wants to give it back', withHoldOfAnn(scene => scene.giveBack('ben', ['h1'])), {}],
    ['another wants to pay for it', withHoldOfAnn(scene => scene.startPayment('ben', ['h1'])), {}],
    ['it is sold to another', withHoldOfAnn(scene => scene.sell('ben', ['h1'])), {}],
    ['a checkout has no holds', scene => scene.startPayment('ann', []), {}],
    ['there is no such hold to sell', scene => scene.sell('ann', ['h1']), {}],
    ['nothing is to be sold', scene => scene.sell('ann', []), {}],
    [
      'one of the holds has ended',
      scene => {
        scene.holdSeats('ann', [0, 1])
        scene.giveBack('ann', ['h1'])
        return scene.giveBack('ann', ['h2', 'h1'])
      },
      {},
    ],
  ],
  hold_expired: [
    ['it ran out this very millisecond: extend', withHoldThatRanOut(scene => scene.extend('ann', 'h1')), {}],
    ['it ran out: start payment', withHoldThatRanOut(scene => scene.startPayment('ann', ['h1'])), {}],
    [
      'it ran out, and is sold when another buyer has its seat',
      withHoldThatRanOut(scene => {
        scene.holdSeats('ben', [0])
        return scene.sell('ann', ['h1'], { ended: { ordinal: 0, zoneIndex: STALLS, quantity: 1 } })
      }),
      { holdIds: ['h1'] as HoldId[], alternatives: [{ kind: 'seats', seatIds: [seatId(1)] }] },
    ],
    [
      'one of several ran out',
      withHoldThatRanOut(scene => {
        scene.holdSeats('ann', [1])
        return scene.startPayment('ann', ['h2', 'h1'])
      }),
      {},
    ],
  ],
  hold_not_reducible: [
    ['as many places are asked for as there are', withPlacesOfAnn(2), { quantity: 2 }],
    ['more places are asked for than there are', withPlacesOfAnn(3), { quantity: 2 }],
    ['the hold is for a seat', withHoldOfAnn(scene => scene.reduce('ann', 'h1', 1)), { quantity: 1 }],
  ],
  hold_changed: [
    ['places were given back after the tickets were counted', withTicketsFor(3, 2), { quantity: 2 }],
    ['there are fewer tickets than places', withTicketsFor(1, 2), { quantity: 2 }],
    [
      'all places of several holds count',
      scene => {
        scene.holdPlaces('ann', FLOOR, 2)
        scene.holdSeats('ann', [0])
        return scene.sell('ann', ['h1', 'h2'], { places: 2 })
      },
      { quantity: 3 },
    ],
  ],
  guest_not_allowed: [
    [
      'a guest has no membership',
      withLogeOfBen(scene => scene.startPayment('ben', ['h1', 'h2'], 'c1', withGuest(stranger))),
      { holdId: 'h2' as HoldId, place: 0, required: gold },
    ],
    [
      'the membership of a guest ended while the buyer was paying',
      withLogeOfBen(scene => {
        scene.startPayment('ben', ['h1', 'h2'], 'c1', withGuest(people.ben))
        return scene.sell('ben', ['h1', 'h2'], { guests: withGuest(people.cat) })
      }),
      { holdId: 'h2' as HoldId, place: 0, required: gold },
    ],
  ],
  guests_not_named: [
    [
      'two places would be the own one of their buyer',
      withLogeOfBen(scene => scene.startPayment('ben', ['h1', 'h2'])),
      { holdIds: ['h1', 'h2'] as HoldId[], missing: 1 },
    ],
    [
      'the buyer has bought a place of their own',
      scene => {
        scene.holdSeats('ben', [6])
        return scene.sell('ben', ['h1'], { guests: { byHold: {}, hasOwnTicket: true } })
      },
      { holdIds: ['h1'] as HoldId[], missing: 1 },
    ],
    [
      'a guest was taken back while the buyer was paying',
      withLogeOfBen(scene => {
        scene.startPayment('ben', ['h1', 'h2'], 'c1', withGuest(people.ben))
        return scene.sell('ben', ['h1', 'h2'])
      }),
      { holdIds: ['h1', 'h2'] as HoldId[], missing: 1 },
    ],
  ],
  carts_end_too_far_apart: [
    [
      'the cap of the older cart comes before the end of the newer one',
      scene => {
        scene.holdSeats('ann', [0])
        scene.changeEvent({ policy: { ...tightPolicy, default_hold_ttl_seconds: 3600 } })
        scene.holdSeats('ben', [1])
        return scene.transfer('ann', 'ben')
      },
      {},
    ],
  ],
  hold_in_payment: [
    [
      'the buyer wants fewer of the places they are paying for',
      scene => {
        scene.holdPlaces('ann', FLOOR, 2)
        scene.startPayment('ann', ['h1'])
        return scene.reduce('ann', 'h1', 1)
      },
      {},
    ],
    [
      'a guest is paying for one of the holds that are to be transferred',
      scene => {
        scene.holdSeats('ben', [0, 1])
        scene.startPayment('ben', ['h1'])
        return scene.transfer('ann', 'ben')
      },
      {},
    ],
    [
      'the buyer wants to release what they are paying for',
      withHoldOfAnn(scene => {
        scene.startPayment('ann', ['h1'])
        scene.holdSeats('ann', [1])
        return scene.giveBack('ann', ['h2', 'h1'])
      }),
      {},
    ],
    [
      'another checkout has it',
      withHoldOfAnn(scene => {
        scene.startPayment('ann', ['h1'], 'c1')
        scene.holdSeats('ann', [1])
        return scene.startPayment('ann', ['h2', 'h1'], 'c2')
      }),
      {},
    ],
    [
      'another checkout wants to sell it',
      withHoldOfAnn(scene => {
        scene.startPayment('ann', ['h1'], 'c1')
        return scene.sell('ann', ['h1'], { checkoutId: 'c2' })
      }),
      {},
    ],
  ],
}

describe.each(Object.entries(table))('%s', (kind, rows) => {
  test.each(rows as Row<Kind>[])('when %s', (_when, act, refusal) => {
    const scene = new Scene()
    expect(act(scene)).toEqual({ ok: false, problem: { kind, ...refusal } })
  })
})

function closedAs(status: 'draft' | 'completed'): (scene: Scene) => Outcome {
  return scene => {
    scene.changeEvent({ status })
    return scene.holdSeats('ann', [0])
  }
}

function withHoldOfAnn(act: (scene: Scene) => Outcome): (scene: Scene) => Outcome {
  return scene => {
    scene.holdSeats('ann', [0])
    return act(scene)
  }
}

function withTicketsFor(tickets: number, places: number): (scene: Scene) => Outcome {
  return scene => {
    scene.holdPlaces('ann', FLOOR, places)
    return scene.sell('ann', ['h1'], { places: tickets })
  }
}

function withPlacesOfAnn(quantity: number): (scene: Scene) => Outcome {
  return scene => {
    scene.holdPlaces('ann', FLOOR, 2)
    return scene.reduce('ann', 'h1', quantity)
  }
}

const withoutMembership: Person = { ...people.ben, membershipStatus: 'expired' }

function withHoldThatRanOut(act: (scene: Scene) => Outcome): (scene: Scene) => Outcome {
  return withHoldOfAnn(scene => {
    scene.now += 10 * MINUTE
    return act(scene)
  })
}

/** Ben, who is a member, wants a seat in the loge or a place on the floor. */
function underPolicy(policy: Partial<PolicyFields>, wanted: 'seat' | 'place'): (scene: Scene) => Outcome {
  return scene => {
    scene.changeEvent({ policy: { ...tightPolicy, ...policy } })
    return wanted === 'seat' ? scene.holdSeats('ben', [6]) : scene.holdPlaces('ben', FLOOR, 1)
  }
}

function disable(scene: Scene, zoneIndex: number): void {
  const { capacity, access } = planOf().zones[zoneIndex]!
  scene.changeEvent({ zones: [{ zoneIndex, capacity, access, disabled: true }] })
}

function withRules(act: (scene: Scene) => Outcome): (scene: Scene) => Outcome {
  return () => act(new Scene(planOf({ policy: seatRules })))
}

function withTable(act: (scene: Scene) => Outcome): (scene: Scene) => Outcome {
  return () => act(new Scene(planOf({ policy: seatRules }, tableMap)))
}
