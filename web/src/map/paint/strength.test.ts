import { expect, it } from 'vitest'
import { strengthOf } from './strength.ts'

it('a colour is as strong as there is much left, in four steps, and none where nothing is', () => {
  expect([0, 1, 25, 26, 50, 75, 76, 100].map(free => strengthOf(free, 100))).toEqual([
    0, 0.15, 0.15, 0.31, 0.31, 0.51, 1, 1,
  ])
  expect(strengthOf(5, 0)).toBe(0)
})
