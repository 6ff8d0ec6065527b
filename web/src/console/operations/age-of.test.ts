import { expect, it } from 'vitest'
import { ageOf } from './age-of.ts'

it('an age is told in the largest unit that says enough', () => {
  const texts = [1_900, 59_999, 534_000, 7_200_000, 172_799_000, 260_000_000].map(ms => ageOf(ms).join(' '))
  expect(texts).toEqual(['1 s', '59 s', '8 min', '2 h', '47 h', '3 days'])
})
