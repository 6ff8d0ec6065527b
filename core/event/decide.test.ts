import { describe, expect, test } from 'vitest'
import { plainHall } from '../allocation/fixtures/plain-hall.ts'
import type { HoldId } from '../ids.ts'
import { apply } from './apply.ts'
import { SeatIds } from './seat-ids.ts'
import {
  FLOOR,
  LOGE,
  MINUTE,
  NOW,
  openPolicy,
  people,
  planOf,
  SECOND,
  seatId,
  seatRules,
  tightPolicy,
} from './test/hall.ts'
import { granted, kinds, Scene } from './test/scene.ts'
import { seatStatusFor } from './view.ts'

describe('new holds', () => {
  test('a hold says everything that its rows need', () => {
    const scene = new Scene()
    const { changes, holds } = granted(scene.holdSeats('ben', [6], '10.0.0.1'))
    const heldUntil = NOW + 10 * MINUTE
    expect(changes).toEqual([
      {
        kind: 'seat_reserved',
        seq: 1,
        at: NOW,
        holdId: 'h1',
        ordinal: 6,
        version: 1,
        zoneIndex: LOGE,
        quantity: 1,
        userId: 'ben',
        ip: '10.0.0.1',
        cartToken: null,
        heldUntil,
        capUntil: heldUntil + 20 * MINUTE,
      },
    ])
    expect(holds).toEqual([
      { holdId: 'h1', ordinal: 6, zoneIndex: LOGE, quantity: 1, heldUntil, isNew: true },
    ])
  })

  test('the sale is open from its first to its last millisecond', () => {
    const scene = new Scene(planOf({ saleStart: NOW, saleEnd: NOW }))
    expect(scene.holdSeats('ann', [0]).ok).toBe(true)
  })

  test('the sale ends when the last day begins, unless the organizer says otherwise', () => {
    const atStart = new Scene(planOf({ lastStart: NOW }))
    expect(atStart.holdSeats('ann', [0]).ok).toBe(true)
    atStart.now += 1
    expect(atStart.holdSeats('ben', [1])).toMatchObject({
      problem: { kind: 'event_sales_closed', saleEnd: NOW },
    })
    // Seats that are held may be paid for.
    expect(atStart.sell('ann', ['h1']).ok).toBe(true)
    const atDoor = new Scene(planOf({ lastStart: NOW - MINUTE, saleEnd: NOW + MINUTE }))
    expect(atDoor.holdSeats('ann', [0]).ok).toBe(true)
  })

  test('my seats come back as they are, whatever the other rules say now', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 4])
    scene.changeEvent({ status: 'completed', policy: { ...tightPolicy, max_seats_per_booking: 1 } })
    scene.now += MINUTE
    const { changes, holds } = granted(scene.holdSeats('ann', [4, 0]))
    expect(changes).toEqual([])
    expect(holds.map(({ holdId, isNew }) => [holdId, isNew])).toEqual([
      ['h2', false],
      ['h1', false],
    ])
  })

  test('of several seats mine are kept and the others are new', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [1])
    const { changes, holds } = granted(scene.holdSeats('ann', [0, 1, 2]))
    expect(changes.map(change => 'ordinal' in change && change.ordinal)).toEqual([0, 2])
    expect(holds.map(({ holdId, isNew }) => [holdId, isNew])).toEqual([
      ['h2', true],
      ['h1', false],
      ['h4', true],
    ])
  })

  test('places asked for twice are two holds', () => {
    const scene = new Scene()
    scene.holdPlaces('ann', FLOOR, 1)
    scene.holdPlaces('ann', FLOOR, 2)
    expect(scene.state.zones[FLOOR]!.held).toBe(3)
    expect(scene.state.holds.size).toBe(2)
  })

  test('a seat asked for twice, or of another hall, is a bug of the caller', () => {
    const scene = new Scene()
    expect(() => scene.holdSeats('ann', [0, 0])).toThrow('impossible')
    expect(() => scene.holdSeats('ann', [8])).toThrow('impossible')
    expect(() => scene.holdSeats('ann', [])).toThrow('impossible')
  })
})

describe('a hold that has run out', () => {
  test('frees its seat at once: it expires and the seat is taken, in one decision', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 10 * MINUTE
    const { changes } = granted(scene.holdSeats('ben', [0]))
    expect(changes).toMatchObject([
      { kind: 'seat_hold_expired', seq: 2, holdId: 'h1', version: 2 },
      { kind: 'seat_reserved', seq: 3, holdId: 'h2', version: 3 },
    ])
  })

  test('is replaced by a new hold when its owner asks again', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 10 * MINUTE
    expect(granted(scene.holdSeats('ann', [0])).holds).toMatchObject([{ holdId: 'h2', isNew: true }])
  })

  test('frees its places, and only as many holds as needed are ended', () => {
    const scene = new Scene(planOf({ policy: openPolicy }))
    for (let i = 0; i < 6; i++) {
      scene.holdPlaces('ann', FLOOR, 1)
      scene.now += SECOND
    }
    scene.now += 10 * MINUTE
    const { changes } = granted(scene.holdPlaces('ben', FLOOR, 2))
    expect(changes.map(change => 'holdId' in change && change.holdId)).toEqual(['h1', 'h2', 'h7'])
  })

  test('counts against no limit', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 1, 4], '10.0.0.1')
    scene.holdPlaces('ann', FLOOR, 1)
    scene.now += 10 * MINUTE
    const outcome = scene.holdSeats('ann', [2, 3, 5], '10.0.0.1')
    expect(kinds(outcome).slice(-3)).toEqual(['seat_reserved', 'seat_reserved', 'seat_reserved'])
    expect(scene.state.users.get(people.ann.userId)!.all.size).toBeLessThanOrEqual(4)
  })

  test('does not make the next buyer pay for the others', () => {
    const count = 5000
    const { zones, settings } = planOf({ policy: openPolicy })
    const scene = new Scene({
      seats: {
        count,
        zoneOf: new Uint16Array(count),
        category: new Uint8Array(count),
        hall: plainHall({ zoneOf: new Uint16Array(count), category: new Uint8Array(count) }),
        seatIds: new SeatIds(Array.from({ length: count }, (_, ordinal) => seatId(ordinal))),
      },
      zones: zones.map(zone => ({ ...zone, capacity: count })),
      settings,
    })
    for (let ordinal = 0; ordinal < count; ordinal++) scene.holdSeats('ann', [ordinal])
    scene.now += 10 * MINUTE
    expect(kinds(scene.holdSeats('ben', [7]))).toEqual(['seat_hold_expired', 'seat_reserved'])
    expect(kinds(scene.holdPlaces('ben', FLOOR, 1))).toEqual(['seat_reserved'])
    expect(kinds(scene.expire(100))).toHaveLength(100)
  })

  test('is tidied up soonest first, and no more than asked', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 1
    scene.holdSeats('cat', [1])
    scene.holdSeats('ben', [2])
    scene.extend('ann', 'h1')
    scene.now = NOW + 10 * MINUTE
    expect(granted(scene.expire(5)).changes).toMatchObject([{ holdId: 'h1' }])
    scene.now += 1
    expect(granted(scene.expire(1)).changes).toMatchObject([{ holdId: 'h2' }])
    expect(granted(scene.expire(1)).changes).toMatchObject([{ holdId: 'h3' }])
    expect(granted(scene.expire(1)).changes).toEqual([])
  })

  test('cannot be released any more, it expires', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 10 * MINUTE
    const { changes, skipped } = granted(scene.giveBack('ann', ['h1']))
    expect(changes).toMatchObject([{ kind: 'seat_hold_expired', holdId: 'h1' }])
    expect(skipped).toEqual([{ holdId: 'h1', code: 'hold_expired' }])
  })
})

describe('an extension', () => {
  const heldUntil = (scene: Scene) => scene.state.holds.get('h1' as HoldId)!.heldUntil

  test('never shortens: with more than five minutes left it changes nothing', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 5 * MINUTE
    const { changes, holds } = granted(scene.extend('ann', 'h1'))
    expect(changes).toEqual([])
    expect(holds).toMatchObject([{ holdId: 'h1', heldUntil: NOW + 10 * MINUTE }])
  })

  test('reaches five minutes from now, and never past five minutes after the first end', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now = NOW + 9 * MINUTE
    expect(granted(scene.extend('ann', 'h1')).holds).toMatchObject([{ heldUntil: NOW + 14 * MINUTE }])
    scene.now = NOW + 13 * MINUTE
    scene.extend('ann', 'h1')
    expect(heldUntil(scene)).toBe(NOW + 15 * MINUTE)
    scene.now = NOW + 15 * MINUTE - 1
    expect(granted(scene.extend('ann', 'h1')).changes).toEqual([])
  })

  test('is possible after the sale has closed', () => {
    const scene = new Scene(planOf({ saleEnd: NOW }))
    scene.holdSeats('ann', [0])
    scene.now = NOW + 9 * MINUTE
    expect(kinds(scene.extend('ann', 'h1'))).toEqual(['seat_hold_extended'])
  })
})

describe('a cart', () => {
  test('has one clock: what joins it ends with it', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 5 * MINUTE
    const { changes, holds } = granted(scene.holdPlaces('ann', FLOOR, 1))
    expect(changes).toMatchObject([{ heldUntil: NOW + 10 * MINUTE, capUntil: NOW + 30 * MINUTE }])
    expect(holds).toMatchObject([{ heldUntil: NOW + 10 * MINUTE }])
  })

  test('is lifted to two minutes when something joins it at the last moment, never past its cap', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now = NOW + 9 * MINUTE
    const { changes, holds } = granted(scene.holdSeats('ann', [0, 1]))
    const heldUntil = NOW + 11 * MINUTE
    expect(changes).toMatchObject([
      { kind: 'seat_hold_extended', holdId: 'h1', heldUntil, version: 2 },
      { kind: 'seat_reserved', holdId: 'h3', heldUntil, capUntil: NOW + 30 * MINUTE },
    ])
    expect(holds).toMatchObject([{ heldUntil }, { heldUntil }])
    scene.extend('ann', 'h1')
    scene.now = NOW + 13.5 * MINUTE
    scene.extend('ann', 'h1')
    scene.now = NOW + 14 * MINUTE
    scene.holdSeats('ann', [2])
    expect([...scene.state.holds.values()].map(hold => hold.heldUntil - NOW)).toEqual(
      [15, 15, 15].map(minutes => minutes * MINUTE),
    )
  })

  test('is lifted to half the time of a hold where that is less than two minutes', () => {
    const scene = new Scene(planOf({ policy: { ...tightPolicy, default_hold_ttl_seconds: 60 } }))
    scene.holdSeats('ann', [0])
    scene.now += 45 * SECOND
    expect(granted(scene.holdSeats('ann', [1])).holds).toMatchObject([{ heldUntil: NOW + 75 * SECOND }])
  })

  test('keeps its clock when the policy gets another one; the next cart has the new one', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.changeEvent({ policy: { ...tightPolicy, default_hold_ttl_seconds: 1200 } })
    expect(granted(scene.holdSeats('ann', [1])).holds).toMatchObject([{ heldUntil: NOW + 10 * MINUTE }])
    scene.giveBack('ann', ['h1', 'h2'])
    expect(granted(scene.holdSeats('ann', [1])).holds).toMatchObject([{ heldUntil: NOW + 20 * MINUTE }])
  })

  test('does not begin with holds that have run out and are not tidied up', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 10 * MINUTE
    expect(kinds(scene.holdSeats('ann', [1]))).toEqual(['seat_reserved'])
    expect(scene.state.holds.get('h2' as HoldId)!.heldUntil).toBe(NOW + 20 * MINUTE)
    scene.giveBack('ann', ['h2'])
    scene.now += MINUTE
    scene.holdSeats('ann', [2])
    expect(scene.state.holds.get('h3' as HoldId)!.heldUntil).toBe(NOW + 21 * MINUTE)
  })

  test('is extended as a whole by an extension or a payment of one of its holds', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 1])
    scene.now = NOW + 9 * MINUTE
    expect(kinds(scene.extend('ann', 'h1'))).toEqual(['seat_hold_extended', 'seat_hold_extended'])
    expect(kinds(scene.startPayment('ann', ['h2']))).toEqual(['payment_started', 'seat_hold_extended'])
    const ends = [...scene.state.holds.values()].map(({ heldUntil }) => heldUntil)
    expect(ends).toEqual([NOW + 24 * MINUTE, NOW + 24 * MINUTE])
  })

  test('ends thirty minutes after it began, however many payments are started', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    for (let i = 2; i <= 9; i++) {
      scene.holdSeats('ann', [1])
      scene.startPayment('ann', [`h${i}`], `c${i}`)
      scene.paymentFailed([`h${i}`], `c${i}`)
      if (scene.now < NOW + 28 * MINUTE) scene.now += 4 * MINUTE
    }
    expect(scene.state.holds.get('h1' as HoldId)!.heldUntil).toBe(NOW + 30 * MINUTE)
  })
})

describe('a transfer', () => {
  test('gives the cart to the account, clock and all, and nothing the second time', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.holdPlaces('ann', FLOOR, 2)
    scene.now += MINUTE
    const { changes, holds } = granted(scene.transfer('ben', 'ann'))
    const clock = { heldUntil: NOW + 10 * MINUTE, capUntil: NOW + 30 * MINUTE }
    expect(changes).toMatchObject([
      { kind: 'hold_transferred', holdId: 'h1', userId: 'ben', version: 2, ...clock },
      { kind: 'hold_transferred', holdId: 'h2', userId: 'ben', version: null, ...clock },
    ])
    expect(holds).toMatchObject([{ holdId: 'h1' }, { holdId: 'h2', quantity: 2 }])
    expect(seatStatusFor(scene.state, { ordinal: 0, userId: people.ben.userId }, scene.now)).toBe(
      'held_by_me',
    )
    expect(scene.extend('ann', 'h1')).toMatchObject({ problem: { kind: 'hold_not_found' } })
    expect(granted(scene.transfer('ben', 'ann'))).toEqual({ changes: [], holds: [], skipped: [] })
  })

  test('joins two carts: the later end, the earlier cap, for both', () => {
    const scene = new Scene()
    scene.holdSeats('ben', [0])
    scene.now += 4 * MINUTE
    scene.holdSeats('ann', [1])
    expect(kinds(scene.transfer('ben', 'ann'))).toEqual(['seat_hold_extended', 'hold_transferred'])
    const clocks = [...scene.state.holds.values()].map(hold => [hold.heldUntil - NOW, hold.capUntil - NOW])
    expect(clocks).toEqual([
      [14 * MINUTE, 30 * MINUTE],
      [14 * MINUTE, 30 * MINUTE],
    ])
  })

  test('leaves behind what has run out, and counts against no pace', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 10 * MINUTE
    scene.holdSeats('ann', [1])
    scene.changeEvent({ policy: { ...tightPolicy, holds_per_window: 1 } })
    expect(granted(scene.transfer('ben', 'ann')).holds).toMatchObject([{ ordinal: 1 }])
    expect(scene.holdSeats('ben', [2]).ok).toBe(true)
  })
})

test('a transfer ends holds of the receiver that have run out, before anything moves', () => {
  const scene = new Scene()
  scene.holdSeats('ben', [0])
  scene.holdPlaces('ben', FLOOR, 1)
  scene.now += 10 * MINUTE
  scene.holdSeats('ann', [1])
  const { changes } = granted(scene.transfer('ben', 'ann'))
  expect(changes.map(({ kind }) => kind)).toEqual([
    'seat_hold_expired',
    'seat_hold_expired',
    'hold_transferred',
  ])
  expect([...scene.state.holds.keys()]).toEqual(['h3'])
})

describe('fewer places', () => {
  test('are free for others at once', () => {
    const scene = new Scene()
    scene.holdPlaces('ann', FLOOR, 3)
    scene.holdPlaces('ben', FLOOR, 3)
    const { changes, holds } = granted(scene.reduce('ann', 'h1', 1))
    expect(changes).toMatchObject([{ kind: 'hold_reduced', holdId: 'h1', quantity: 1, freed: 2 }])
    expect(holds).toMatchObject([{ holdId: 'h1', quantity: 1, heldUntil: NOW + 10 * MINUTE }])
    expect(scene.holdPlaces('cat', FLOOR, 2).ok).toBe(true)
    expect(scene.state.zones[FLOOR]!.held).toBe(6)
  })
})

test('staff are not bound by the limits of buyers', () => {
  const scene = new Scene()
  expect(scene.holdSeats('dan', [0, 1, 2, 3, 4, 5], '10.0.0.1').ok).toBe(true)
  expect(scene.holdPlaces('dan', FLOOR, 6, '10.0.0.1').ok).toBe(true)
})

describe('a payment', () => {
  test('gives fifteen minutes, once', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 1])
    scene.now += 9 * MINUTE
    const { changes, holds } = granted(scene.startPayment('ann', ['h2', 'h1']))
    const heldUntil = NOW + 24 * MINUTE
    expect(changes).toMatchObject([
      { kind: 'payment_started', holdId: 'h2', checkoutId: 'c1', heldUntil, version: 2 },
      { kind: 'payment_started', holdId: 'h1', checkoutId: 'c1', heldUntil, version: 2 },
    ])
    expect(holds).toMatchObject([{ heldUntil }, { heldUntil }])

    scene.now += MINUTE
    expect(granted(scene.startPayment('ann', ['h1', 'h2'])).changes).toEqual([])
    expect(granted(scene.extend('ann', 'h1')).changes).toEqual([])
  })

  test('that is over gives its holds back to the cart, with their clock', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 1])
    scene.startPayment('ann', ['h1', 'h2'])
    expect(scene.giveBack('ann', ['h1'])).toMatchObject({ problem: { kind: 'hold_in_payment' } })
    expect(granted(scene.endPayment('ben', ['h1', 'h2'])).changes).toEqual([])
    expect(granted(scene.endPayment('ann', ['h1', 'h2'], 'c2')).changes).toEqual([])

    const { changes, holds } = granted(scene.endPayment('ann', ['h1', 'h2', 'gone']))
    expect(changes).toMatchObject([
      { kind: 'payment_ended', holdId: 'h1', checkoutId: 'c1', version: 3 },
      { kind: 'payment_ended', holdId: 'h2', checkoutId: 'c1', version: 3 },
    ])
    const heldUntil = NOW + 15 * MINUTE
    expect(holds).toMatchObject([{ heldUntil }, { heldUntil }])
    expect(granted(scene.endPayment('ann', ['h1', 'h2'])).changes).toEqual([])
    expect(kinds(scene.giveBack('ann', ['h1']))).toEqual(['seat_released'])
    scene.now += 2 * MINUTE
    // Another payment lasts as long as any, and never past the cap of the cart.
    expect(granted(scene.startPayment('ann', ['h2'], 'c2')).holds).toMatchObject([
      { heldUntil: NOW + 17 * MINUTE },
    ])
  })

  test('does not shorten a long hold, and leaves its cap', () => {
    const scene = new Scene(planOf({ policy: { ...tightPolicy, default_hold_ttl_seconds: 7200 } }))
    scene.holdSeats('ann', [0])
    expect(granted(scene.startPayment('ann', ['h1'])).changes).toMatchObject([
      { heldUntil: NOW + 120 * MINUTE },
    ])
  })

  test('of a companion seat may follow the one of its wheelchair place', () => {
    const scene = new Scene(planOf({ policy: seatRules }))
    scene.holdSeats('ann', [3, 4])
    granted(scene.startPayment('ann', ['h2'], 'c1'))
    granted(scene.startPayment('ann', ['h1'], 'c2'))
  })

  test('takes a seat that is in payment with another checkout for taken', () => {
    const scene = new Scene(planOf({ policy: seatRules }))
    scene.holdSeats('ann', [0, 1, 2])
    granted(scene.startPayment('ann', ['h1'], 'c1'))
    granted(scene.startPayment('ann', ['h2', 'h3'], 'c2'))
  })

  test('that failed releases the holds of its checkout and of no other', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 1, 2])
    scene.startPayment('ann', ['h1'], 'c1')
    scene.startPayment('ann', ['h2'], 'c2')
    const { changes, holds, skipped } = granted(scene.paymentFailed(['h1', 'h2', 'h3'], 'c1'))
    expect(changes).toMatchObject([{ kind: 'seat_released', holdId: 'h1', reason: 'payment_failed' }])
    expect(holds).toMatchObject([{ holdId: 'h1' }])
    expect(skipped).toEqual([
      { holdId: 'h2', code: 'hold_not_found' },
      { holdId: 'h3', code: 'hold_not_found' },
    ])
  })
})

describe('selling', () => {
  test('sells seats and places, with a ticket for each', () => {
    const scene = new Scene()
    scene.holdPlaces('ann', FLOOR, 2)
    scene.holdSeats('ann', [0])
    scene.startPayment('ann', ['h1', 'h2'])
    scene.changeEvent({ saleEnd: NOW - 1 })
    const { changes } = granted(scene.sell('ann', ['h1', 'h2']))
    expect(changes).toMatchObject([
      { kind: 'seat_converted', holdId: 'h1', userId: 'ann', ticketIds: ['t1', 't2'], version: null },
      { kind: 'seat_converted', holdId: 'h2', userId: 'ann', ticketIds: ['t3'], version: 3 },
    ])
    expect(scene.state.zones[FLOOR]).toMatchObject({ held: 0, sold: 2 })
    expect(scene.state.holds.size).toBe(0)
  })

  test('is final: nothing makes a sold seat free again', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.sell('ann', ['h1'])
    const { seq } = scene.state
    scene.now += 60 * MINUTE
    scene.holdSeats('ben', [0])
    scene.giveBack('ann', ['h1'])
    scene.staffRelease(['h1'])
    scene.unblock([0])
    scene.block([0])
    scene.expire()
    expect(scene.state.seq).toBe(seq)
    expect(seatStatusFor(scene.state, { ordinal: 0, userId: null }, scene.now)).toBe('sold')
  })
})

describe('staff', () => {
  test('release what is there and are told what is not', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    scene.now += 5 * MINUTE
    scene.holdSeats('ben', [1])
    scene.now += 5 * MINUTE
    const { changes, skipped } = granted(scene.staffRelease(['h1', 'h9', 'h2'], { notes: 'phone call' }))
    expect(changes).toMatchObject([
      { kind: 'seat_hold_expired', holdId: 'h1' },
      { kind: 'seat_released', holdId: 'h2', reason: 'admin_override', notes: 'phone call' },
    ])
    expect(skipped).toEqual([
      { holdId: 'h1', code: 'hold_expired' },
      { holdId: 'h9', code: 'hold_not_found' },
    ])
  })

  test('pass over a hold that is being paid for, unless they insist', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0, 1])
    scene.startPayment('ann', ['h1'])
    const { changes, skipped } = granted(scene.staffRelease(['h1', 'h2']))
    expect(changes).toMatchObject([{ kind: 'seat_released', holdId: 'h2' }])
    expect(skipped).toEqual([{ holdId: 'h1', code: 'hold_in_payment' }])
    expect(kinds(scene.staffRelease(['h1'], { force: true }))).toEqual(['seat_released'])
  })

  test('block free seats, also those whose hold has run out; what is blocked stays so', () => {
    const scene = new Scene()
    scene.block([2])
    scene.holdSeats('ann', [0])
    scene.now += 10 * MINUTE
    const { changes } = granted(scene.block([0, 1, 2]))
    expect(changes).toMatchObject([
      { kind: 'seat_hold_expired', ordinal: 0, version: 2 },
      { kind: 'seat_blocked', ordinal: 0, version: 3, reason: 'a broken chair' },
      { kind: 'seat_blocked', ordinal: 1, version: 1 },
    ])
    expect(granted(scene.unblock([0, 3])).changes).toMatchObject([{ kind: 'seat_unblocked', ordinal: 0 }])
  })

  test('may make a zone smaller by the places of holds that have run out', () => {
    const scene = new Scene()
    scene.holdPlaces('ann', FLOOR, 3)
    scene.now += 10 * MINUTE
    const { access } = planOf().zones[FLOOR]!
    const zones = [{ zoneIndex: FLOOR, capacity: 1, access, disabled: false }]
    expect(kinds(scene.changeEvent({ zones }))).toEqual(['seat_hold_expired', 'event_changed'])
    expect(scene.holdPlaces('ann', FLOOR, 2)).toMatchObject({ problem: { available: 1 } })
  })
})

describe('apply', () => {
  test('refuses a change that does not follow the last one, and leaves the state as it was', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    const [first] = scene.changes
    expect(() => apply(scene.state, first!)).toThrow('a gap in the journal')
    expect(() => apply(scene.state, { ...first!, seq: 3 })).toThrow('a gap in the journal')
    expect(scene.state.seq).toBe(1)
  })

  test('refuses what no decision on this state can have made', () => {
    const scene = new Scene()
    scene.holdSeats('ann', [0])
    const taken = { ...scene.changes[0]!, seq: 2, version: 2, holdId: 'h2' }
    expect(() => apply(scene.state, taken as never)).toThrow('a transition that is not legal')
    const early = { kind: 'seat_hold_expired', seq: 2, at: NOW, holdId: 'h1', ordinal: 0, version: 2 }
    expect(() => apply(scene.state, early as never)).toThrow('before its time')
  })
})

test('a user is forgotten a window after their last hold, an address with it', () => {
  const scene = new Scene()
  scene.holdSeats('ann', [0], '10.0.0.1')
  scene.giveBack('ann', ['h1'])
  expect(scene.state.users.size).toBe(1)
  scene.now += 5 * MINUTE
  scene.holdSeats('ben', [0], '10.0.0.2')
  scene.giveBack('ben', ['h2'])
  expect([...scene.state.users.values()].map(user => user.key)).toEqual(['ben'])
  expect(scene.state.ips.size).toBe(0)
})
