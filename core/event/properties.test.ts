import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apply } from './apply.ts'
import { decide } from './decide.ts'
import { restoreState } from './restore.ts'
import { createState } from './state.ts'
import { plans } from './test/hall.ts'
import { logicalImageOf, watched } from './test/image.ts'
import { play } from './test/play.ts'
import { history } from './test/steps.ts'

const machine = { decide, apply, restore: restoreState }
const plan = fc.constantFrom(...plans)
const seed = 20_260_801

const everyKind = [
  'seat_reserved',
  'seat_hold_extended',
  'payment_started',
  'payment_ended',
  'hold_reduced',
  'hold_transferred',
  'seat_hold_expired',
  'seat_released user_cancelled',
  'seat_released payment_failed',
  'seat_released admin_override',
  'seat_released event_cancelled',
  'seat_converted',
  'ticket_voided',
  'sold',
  'sold late',
  'moved',
  'seat_blocked',
  'seat_unblocked',
  'companions_released',
  'event_changed',
  'event_not_available',
  'event_sales_closed',
  'too_many_seats',
  'zone_access_denied',
  'zone_not_sold',
  'seat_not_available',
  'seat_held_by_another_user',
  'zone_at_capacity',
  'quota_exceeded max_holds_per_user',
  'quota_exceeded max_holds_per_ip',
  'quota_exceeded max_wheelchair_seats_per_booking',
  'quota_exceeded holds_per_window',
  'rate_limited',
  'hold_not_found',
  'hold_expired',
  'hold_in_payment',
  'hold_not_reducible',
  'guest_not_allowed',
  'guests_not_named',
  'companion_reserved',
  'seats_differ',
  'sold_as_a_whole',
  'would_strand_seats',
  'no_suitable_seats',
]

test('any history gets the answers of the naive model and keeps the invariants', () => {
  const seen = new Map<string, number>()
  const property = fc.property(plan, history, (plan, steps) => {
    for (const [kind, times] of play(steps, plan, machine).seen) {
      seen.set(kind, times + (seen.get(kind) ?? 0))
    }
  })
  fc.assert(property, { seed, numRuns: 1000 })

  // Histories in which nothing happens prove nothing.
  const rare = everyKind.filter(kind => (seen.get(kind) ?? 0) < 10)
  expect(rare).toEqual([])
  // A thousand histories take 6 s on an idle core, and much longer beside other work.
})

test('deciding changes nothing, whether it grants or refuses', () => {
  const property = fc.property(plan, history, (plan, steps) => {
    play(steps, plan, { ...machine, decide: watched(decide) })
  })
  fc.assert(property, { seed, numRuns: 60 })
})

test('replaying the journal gives the same state, to the last field', () => {
  const property = fc.property(plan, history, (plan, steps) => {
    const withoutRestarts = steps.filter(step => step.do !== 'restart')
    const { state, changes } = play(withoutRestarts, plan, machine)
    const replayed = createState(plan)
    for (const change of changes) apply(replayed, JSON.parse(JSON.stringify(change)))
    expect(isDeepStrictEqual(replayed, state)).toBe(true)
  })
  fc.assert(property, { seed, numRuns: 200 })
})

test('restoring from the tables gives the same state, but for the order inside queues', () => {
  const property = fc.property(plan, history, (plan, steps) => {
    const { state, tables, now } = play(steps, plan, machine)
    const restored = restoreState(tables.plan, tables.rows(now))
    expect(logicalImageOf(restored, now)).toBe(logicalImageOf(state, now))
  })
  fc.assert(property, { seed, numRuns: 200 })
})
