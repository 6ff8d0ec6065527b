import { expect, it } from 'vitest'
import { fitCounts, mostOfType, typesOfPlaces } from './place-counts.ts'

const types = [{ key: 'adult' }, { key: 'child' }]

it('asks for no more places than there are, the first type first', () => {
  expect(fitCounts([2, 1], 5)).toEqual([2, 1])
  expect(fitCounts([2, 2], 3)).toEqual([2, 1])
  expect(fitCounts([2, 2], 0)).toEqual([0, 0])
})

it('more places than have a type each are of one type', () => {
  expect(mostOfType([2, 0], 0, 40)).toBe(40)
  expect(mostOfType([2, 1], 0, 40)).toBe(9)
  expect(mostOfType([12, 0], 1, 40)).toBe(0)
  expect(mostOfType([2, 1], 1, 3)).toBe(1)
})

it('keeps a type for each place, or one for all of them; the usual one is not kept', () => {
  expect(typesOfPlaces({ hold_id: 'h', quantity: 3 }, [3, 0], types)).toEqual({})
  expect(typesOfPlaces({ hold_id: 'h', quantity: 3 }, [3], [])).toEqual({})
  expect(typesOfPlaces({ hold_id: 'h', quantity: 3 }, [1, 2], types)).toEqual({
    'h 1': 'adult',
    'h 2': 'child',
    'h 3': 'child',
  })
  expect(typesOfPlaces({ hold_id: 'h', quantity: 1 }, [0, 1], types)).toEqual({ 'h all': 'child' })
  expect(typesOfPlaces({ hold_id: 'h', quantity: 12 }, [0, 12], types)).toEqual({ 'h all': 'child' })
})
