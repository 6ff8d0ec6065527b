import { describe, expect, it } from 'vitest'
import { plainHall } from '../../allocation/fixtures/plain-hall.ts'
import { SEAT_CATEGORIES } from '../../layout/model.ts'
import { assert } from '../../result.ts'
import { FLOOR, MINUTE, openPolicy, people, planOf, STALLS, seatRules, withTable } from '../test/hall.ts'
import { granted, kinds, Scene } from '../test/scene.ts'
import { seatStatusFor } from '../view.ts'
import { cartWarning } from './stranding.ts'

function refusal(outcome: ReturnType<Scene['sell']>) {
  return outcome.ok ? null : outcome.problem
}

const seen = (scene: Scene, ordinal: number) =>
  seatStatusFor(scene.state, { ordinal, userId: people.cat.userId }, scene.now)

describe('a sale', () => {
  it('turns the holds of a buyer into tickets, by the hand of staff', () => {
    const scene = new Scene(planOf({ policy: openPolicy }))
    granted(scene.holdSeats('ann', [0, 1]))
    granted(scene.holdPlaces('ann', FLOOR, 2))
    expect(kinds(scene.sell('ann', ['h1', 'h2', 'h3']))).toEqual(Array(3).fill('seat_converted'))
    expect(scene.changes.at(-1)).toMatchObject({ userId: people.ann.userId, ticketIds: ['t3', 't4'] })
    expect([seen(scene, 0), seen(scene, 1)]).toEqual(['sold', 'sold'])
    expect(scene.state.zones[FLOOR]).toMatchObject({ held: 0, sold: 2 })
  })

  it('is judged like any order', () => {
    const scene = new Scene(planOf({ policy: seatRules }))
    granted(scene.holdSeats('ann', [1]))
    expect(refusal(scene.sell('ann', ['h1']))).toMatchObject({ kind: 'would_strand_seats' })
    granted(scene.sell('ann', ['h1'], { allowStranding: true }))
    granted(scene.holdSeats('ben', [6, 7]))
    expect(refusal(scene.sell('ben', ['h4', 'h5']))).toMatchObject({ kind: 'guests_not_named' })
    const former = { ...people.ben, membershipStatus: 'expired' as const }
    expect(refusal(scene.sell(former, ['h4']))).toMatchObject({ kind: 'zone_access_denied' })
  })
})

describe('a bug in the rule about single seats', () => {
  const { hall, ...seats } = planOf().seats
  const broken = {
    ...hall,
    get offer(): never {
      throw new Error('planted')
    },
  }
  const stranding = (outcome: ReturnType<Scene['sell']>) => (outcome.ok ? outcome.value.stranding : null)

  it('stops neither a hold nor a payment nor a sale: they say what happened', () => {
    const begin = () => new Scene({ ...planOf({ policy: seatRules }), seats: { ...seats, hall: broken } })
    const scene = begin()
    const fault = { excuse: 'fault', stranded: [], fault: new Error('planted') }
    expect(stranding(scene.holdSeats('ann', [1]))).toMatchObject(fault)
    expect(stranding(scene.startPayment('ann', ['h1'], 'checkout'))).toMatchObject(fault)
    expect(cartWarning(scene.state, people.ann.userId, scene.now)).toMatchObject(fault)
    const other = begin()
    granted(other.holdSeats('ann', [1]))
    expect(stranding(other.sell('ann', ['h1']))).toMatchObject(fault)
  })
})

describe('a sale that comes late', () => {
  it('takes the same seat again and sells it with one command, tidied up or not', () => {
    const scene = new Scene()
    granted(scene.holdSeats('ann', [0]))
    scene.now += 60 * MINUTE
    expect(kinds(scene.sell('ann', ['h1']))).toEqual(['seat_hold_expired', 'seat_reserved', 'seat_converted'])
    granted(scene.holdSeats('ann', [1]))
    scene.now += 60 * MINUTE
    granted(scene.expire())
    const ended = { ordinal: 1, zoneIndex: STALLS, quantity: 1 }
    expect(kinds(scene.sell('ann', ['h3'], { ended }))).toEqual(['seat_reserved', 'seat_converted'])
    expect([seen(scene, 0), seen(scene, 1)]).toEqual(['sold', 'sold'])
  })

  it('frees what ran out and is in its way', () => {
    const scene = new Scene(planOf({ policy: openPolicy }))
    granted(scene.holdPlaces('ann', FLOOR, 3))
    scene.now += 60 * MINUTE
    granted(scene.expire())
    granted(scene.holdPlaces('ben', FLOOR, 4))
    scene.now += 60 * MINUTE
    const ended = { ordinal: null, zoneIndex: FLOOR, quantity: 3 }
    expect(kinds(scene.sell('ann', ['h1'], { ended }))).toContain('seat_hold_expired')
    expect(scene.state.zones[FLOOR]).toMatchObject({ held: 0, sold: 3 })
  })

  it('finds the seat taken, and is told of others as good', () => {
    const scene = new Scene()
    granted(scene.holdSeats('ann', [0, 1]))
    scene.now += 60 * MINUTE
    granted(scene.holdSeats('ben', [1]))
    const late = refusal(
      scene.sell('ann', ['h1', 'h2'], { ended: { ordinal: 1, zoneIndex: STALLS, quantity: 1 } }),
    )
    expect(late).toMatchObject({ kind: 'hold_expired', alternatives: [{ kind: 'seats' }] })
    const [instead] = late?.kind === 'hold_expired' ? (late.alternatives ?? []) : []
    assert(instead?.kind === 'seats', 'other seats')
    expect(instead.seatIds).toHaveLength(2)
    expect(instead.seatIds).not.toContain(scene.state.seats.seatIds.at(1))
    expect(seen(scene, 0)).toBe('available')
  })

  it('leaves no single seat alone either', () => {
    const category = new Uint8Array(withTable.count).fill(SEAT_CATEGORIES.indexOf('standard'))
    const plain = { ...withTable, category, hall: plainHall({ zoneOf: withTable.zoneOf, category }) }
    const scene = new Scene(planOf({ policy: seatRules }, plain))
    granted(scene.holdSeats('ann', [0, 2]))
    scene.now += 60 * MINUTE
    const stranded = [scene.state.seats.seatIds.at(1)]
    // All of them are free again, and none of them is left for seat 1.
    expect(refusal(scene.sell('ann', ['h1', 'h2']))).toMatchObject({
      kind: 'would_strand_seats',
      seatIds: stranded,
    })
  })
})

describe('a ticket that becomes void', () => {
  it('frees its seat at once, and is the only way in which sold ends', () => {
    const scene = new Scene()
    granted(scene.holdSeats('ann', [0]))
    granted(scene.sell('ann', ['h1']))
    expect(refusal(scene.holdSeats('ben', [0]))).toMatchObject({ kind: 'seat_not_available' })
    expect(kinds(scene.voidTickets([{ ticketId: 't1', ordinal: 0, zoneIndex: STALLS }]))).toEqual([
      'ticket_voided',
    ])
    expect(scene.state.zones[STALLS]).toMatchObject({ held: 0, sold: 0 })
    granted(scene.holdSeats('ben', [0]))
    const again = () => scene.voidTickets([{ ticketId: 't1', ordinal: 0, zoneIndex: STALLS }])
    expect(again).toThrow('a seat that is not sold')
  })

  it('of a cancelled event is possible', () => {
    const scene = new Scene()
    granted(scene.holdPlaces('ann', FLOOR, 2))
    granted(scene.sell('ann', ['h1']))
    granted(scene.changeEvent({ status: 'cancelled' }))
    granted(scene.voidTickets([{ ticketId: 't1', ordinal: null, zoneIndex: FLOOR }]))
    expect(scene.state.zones[FLOOR]!.sold).toBe(1)
  })
})
