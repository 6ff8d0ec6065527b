import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apply } from './apply.ts'
import { copyState } from './copy-state.ts'
import { decide } from './decide.ts'
import { restoreState } from './restore.ts'
import { createState } from './state.ts'
import { plans } from './test/hall.ts'
import { logicalImageOf } from './test/image.ts'
import { play } from './test/play.ts'
import { history } from './test/steps.ts'

const machine = { decide, apply, restore: restoreState }

test('a copy means the same at any point of a history, goes on alike, and does not touch its original', () => {
  const property = fc.property(
    fc.constantFrom(...plans),
    history,
    fc.double({ min: 0, max: 1, noNaN: true }),
    (plan, steps, part) => {
      const withoutRestarts = steps.filter(step => step.do !== 'restart')
      const { changes, now } = play(withoutRestarts, plan, machine)
      const half = Math.floor(changes.length * part)
      const state = createState(plan)
      for (const change of changes.slice(0, half)) apply(state, change)
      const before = logicalImageOf(state, now)
      const copy = copyState(state)
      expect(logicalImageOf(copy, now)).toBe(before)
      for (const change of changes.slice(half)) apply(copy, change)
      expect(logicalImageOf(state, now)).toBe(before)
      for (const change of changes.slice(half)) apply(state, change)
      expect(logicalImageOf(copy, now)).toBe(logicalImageOf(state, now))
    },
  )
  fc.assert(property, { seed: 20_260_801, numRuns: 150 })
})
