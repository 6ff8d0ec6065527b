import { expect, test } from 'vitest'
import type { SeatId } from '../ids.ts'
import { SeatIds } from './seat-ids.ts'

const uuid = (n: number) => `018f3c2a-9b7d-7c1e-8f00-${n.toString(16).padStart(12, '0')}` as SeatId

test('a seat is found by its id and named by its ordinal, whatever the seed and the form of the id', () => {
  const ids = Array.from({ length: 3000 }, (_, n) => (n % 100 === 7 ? (`seat-${n}` as SeatId) : uuid(n)))
  for (const seed of [0, 1, 2 ** 32 - 1]) {
    const seats = new SeatIds(ids, { count: ids.length, seed })
    expect([...seats]).toEqual(ids)
    expect(ids.map(id => seats.ordinalOf(id))).toEqual(ids.map((_, ordinal) => ordinal))
    expect([uuid(3000), 'seat-3000', ''].map(id => seats.ordinalOf(id))).toEqual(Array(3).fill(undefined))
  }
})

test('a seat that the layout does not have, an id used twice and an ordinal left out are bugs', () => {
  const seats = new SeatIds([uuid(0), uuid(1)])
  for (const ordinal of [-1, 2, Number.NaN]) expect(() => seats.at(ordinal)).toThrow('a seat of the layout')
  expect(() => seats.add(uuid(1), 2)).toThrow('a seat id used twice')
  expect(() => seats.add(uuid(2), 3)).toThrow('in the order of their ordinals')
})

test('packed ids are a copy, and only of ids that can be packed', () => {
  const seats = new SeatIds([uuid(0), uuid(0xabc)])
  const packed = seats.packed()
  expect(packed).toHaveLength(8)
  packed.fill(0)
  expect([...seats]).toEqual([uuid(0), uuid(0xabc)])
  expect(() => new SeatIds(['seat-0' as SeatId]).packed()).toThrow('keys that are all packed')
})
