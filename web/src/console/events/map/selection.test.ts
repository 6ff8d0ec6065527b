import { expect, it } from 'vitest'
import { decodeMap } from '../../../map/index.ts'
import { compiled, encodeLayout } from '../../../map/test/encode-layout.ts'
import { byStatus, rowSeats, seatsInside, zoneSeats } from './selection.ts'

const seats = (row: string, y: number) =>
  Array.from({ length: 5 }, (_, x) => ({ row, number: x + 1, coordinates: { x: 10 * x, y } }))
const model = decodeMap(
  encodeLayout(
    compiled({
      zones: [
        { name: 'Stalls', zone_type: 'reserved_seating', seats: [...seats('A', 0), ...seats('B', 10)] },
        { name: 'Balcony', zone_type: 'reserved_seating', seats: seats('A', 40) },
      ],
    }),
  ),
)

it('a lasso takes the seats inside its line, also where the line bends inwards', () => {
  const around = [
    { x: -5, y: -5 },
    { x: 15, y: -5 },
    { x: 15, y: 15 },
    { x: -5, y: 15 },
  ]
  expect(seatsInside(model, around)).toEqual([0, 1, 5, 6])
  // The notch leaves out the first two seats of row B.
  const bent = [
    { x: -5, y: -5 },
    { x: 45, y: -5 },
    { x: 45, y: 15 },
    { x: 15, y: 15 },
    { x: 15, y: 5 },
    { x: -5, y: 5 },
  ]
  expect(seatsInside(model, bent)).toEqual([0, 1, 2, 3, 4, 7, 8, 9])
  expect(seatsInside(model, around.slice(0, 2))).toEqual([])
})

it('a row is of its zone alone, and a section is all its seats', () => {
  expect(rowSeats(model, 2)).toEqual([0, 1, 2, 3, 4])
  expect(rowSeats(model, 12)).toEqual([10, 11, 12, 13, 14])
  expect(zoneSeats(model, 0)).toHaveLength(10)
  expect(zoneSeats(model, 9)).toEqual([])
})

it('seats are parted by what they are now', () => {
  expect(byStatus([0, 1, 2, 3, 4], Uint8Array.of(0, 1, 2, 3, 0))).toEqual([[0, 4], [1], [2], [3]])
})
