import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HoldId } from '../ids.ts'
import { apply } from './apply.ts'
import { copyState } from './copy-state.ts'
import { decide } from './decide.ts'
import { type DigestedHold, digestOf, digestState, digestSteps, HoldsDigest } from './digest.ts'
import { restoreState } from './restore.ts'
import { seatBits, shownCode } from './seat-bits.ts'
import type { EventState } from './state.ts'
import { plans } from './test/hall.ts'
import { play } from './test/play.ts'
import { history } from './test/steps.ts'

const machine = { decide, apply, restore: restoreState }

test('a state, its copy, and what the rows restore have one digest at any point of a history', () => {
  const property = fc.property(fc.constantFrom(...plans), history, (plan, steps) => {
    const { state, tables, now } = play(steps, plan, machine)
    const restored = restoreState(tables.plan, tables.rows(now))
    const { digest, holds } = digestState(state)
    expect(digest).toMatch(/^[0-9a-f]{16}$/)
    expect(holds).toBe(state.holds.size)
    expect(digestState(copyState(state)).digest).toBe(digest)
    expect(digestState(restored).digest).toBe(digest)
  })
  fc.assert(property, { seed: 20_260_801, numRuns: 80 })
})

/** Damage or a bug may do this to a state, behind the back of `apply`. */
const damage: Readonly<Record<string, (state: EventState, which: number) => boolean>> = {
  'a seat has another status': (state, which) => {
    const { seatStatus } = state
    const ordinal = which % seatStatus.length
    const shown = shownCode(state, ordinal)
    seatStatus[ordinal] = (seatStatus[ordinal]! + 1) % 4
    // A seat that no buyer can have is shown as blocked, whether it is or not.
    return shownCode(state, ordinal) !== shown
  },
  'a counter of a zone': ({ zones }, which) => {
    const zone = zones[which % zones.length]!
    const counter = (['held', 'sold', 'blocked'] as const)[which % 3]!
    // A disabled zone shows all of its free places as blocked, whatever the counter says.
    if (counter === 'blocked' && zone.settings.disabled) return false
    zone[counter] += 1
    return true
  },
  'a hold runs out at another time': (state, which) => change(state, which, holds => holds.heldUntil),
  'a hold of another size': (state, which) => change(state, which, holds => holds.quantities),
  'a hold in another zone': (state, which) => change(state, which, holds => holds.zoneIndexes),
  'a hold of another seat': (state, which) => change(state, which, holds => holds.ordinals),
  'the status of the event': state => {
    const status = state.settings.status === 'completed' ? 'archived' : 'completed'
    state.settings = { ...state.settings, status }
    return true
  },
}

function change(
  state: EventState,
  which: number,
  column: (holds: EventState['holds']) => { [at: number]: number },
) {
  const found = [...state.holds.values()]
  if (found.length === 0) return false
  column(state.holds)[found[which % found.length]!.slot]! += 1
  return true
}

test('is another one when anything of it is another', () => {
  const harmed = new Map<string, number>()
  const property = fc.property(fc.constantFrom(...plans), history, fc.nat(1_000), (plan, steps, which) => {
    const { state } = play(steps, plan, machine)
    const { digest } = digestState(state)
    for (const [name, harm] of Object.entries(damage)) {
      const copy = copyState(state)
      if (!harm(copy, which)) continue
      harmed.set(name, (harmed.get(name) ?? 0) + 1)
      expect(digestState(copy).digest, name).not.toBe(digest)
    }
  })
  fc.assert(property, { seed: 20_260_801, numRuns: 80 })
  for (const name of Object.keys(damage)) expect(harmed.get(name), name).toBeGreaterThan(5)
})

test('the order of holds makes no difference, each of them does', () => {
  const event = { status: 'live', totals: ZERO, zones: [], seatBits: new Uint8Array(3) }
  const holds = Array.from(
    { length: 50 },
    (_, index): DigestedHold => ({
      holdId: `0197a000-0000-7000-8000-${String(index).padStart(12, '0')}` as HoldId,
      ordinal: index % 3 === 0 ? null : index,
      zoneIndex: index % 2,
      quantity: 1 + (index % 4),
      heldUntil: 1_800_000_000_000 + index,
    }),
  )
  const digest = (some: readonly DigestedHold[]) => {
    const sum = new HoldsDigest()
    for (const hold of some) sum.add(hold)
    return digestOf(event, sum).digest
  }
  const all = digest(holds)
  expect(digest([...holds].reverse())).toBe(all)
  const others = holds.map((_, index) => digest(holds.filter((_hold, at) => at !== index)))
  expect(new Set([all, ...others]).size).toBe(51)
  // Two holds that have exchanged one thing.
  const [a, b, ...rest] = holds
  expect(digest([{ ...a!, quantity: b!.quantity }, { ...b!, quantity: a!.quantity }, ...rest])).not.toBe(all)
})

const ZERO = { available: 0, held: 0, sold: 0, blocked: 0, total: 0 }

test('a state is digested in steps, and its seats are the bits that Redis has', () => {
  const { state } = play([], plans[0]!, machine)
  const steps = [...digestSteps(state)]
  expect(steps.length).toBeGreaterThan(0)
  state.seatStatus.set([0, 1, 2, 3, 3, 2, 1, 0])
  expect([...seatBits(state)]).toEqual([0b00011011, 0b11100100])
})
