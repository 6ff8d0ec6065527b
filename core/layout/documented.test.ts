import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runsOf } from './fixtures/runs-of.ts'
import { compiled } from './fixtures/small-theatre.ts'
import { loneWheelchairs } from './lone-wheelchairs.ts'

test('the example in docs/guide/layouts.md is a layout without faults, with its aisle and its companions', () => {
  const text = readFileSync(new URL('../../docs/guide/layouts.md', import.meta.url), 'utf8')
  const layout = compiled(JSON.parse(text.split('```json')[1]!.split('```')[0]!))
  expect(runsOf(layout)).toEqual(['A: 1 2 | 3 4 5', 'T1: 1 2'])
  expect(layout.seats.map(seat => seat.companionOrdinal)).toEqual([null, null, 3, 2, 3, null, null])
  expect(loneWheelchairs(layout)).toEqual([])
})
