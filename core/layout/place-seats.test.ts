import { expect, test } from 'vitest'
import { runsOf } from './fixtures/runs-of.ts'
import { compiled, faultsAfter, smallTheatre, stallsSeat } from './fixtures/small-theatre.ts'

test('seats without coordinates are laid out row by row, below everything that was drawn', () => {
  const places = compiled(smallTheatre()).seats.map(({ x, y }) => [x, y])
  expect(places).toEqual([
    [0, 2],
    [1, 2],
    [2, 2],
    [0, 3],
    [0, 5],
  ])
})

test('the outline of a zone is drawn too', () => {
  const config = smallTheatre()
  config.zones[1]!.outline = [
    { x: -3, y: 0 },
    { x: 9, y: 0 },
    { x: 9, y: 40 },
  ]
  expect(compiled(config).seats[0]).toMatchObject({ x: -3, y: 42 })
})

test('the first row is at the origin when nothing was drawn', () => {
  const config = smallTheatre()
  const { seats } = compiled({ ...config, outlines: [], focal_point: null })
  expect(seats[0]).toMatchObject({ x: 0, y: 0 })
})

test('a seat added at the end of a row, or of the last zone, moves no other', () => {
  const config = smallTheatre()
  const before = compiled(config).seats
  config.zones[0]!.seats!.push({ row: 'A', number: 4 })
  config.zones[2]!.seats!.push({ row: 'B', number: 1 })
  const after = new Map(compiled(config).seats.map(seat => [seat.seatId, seat]))
  for (const { seatId, x, y } of before) expect(after.get(seatId)).toMatchObject({ x, y })
})

test('a seat with coordinates keeps them, and the others stay out of its way', () => {
  const config = smallTheatre()
  stallsSeat(config, 2).coordinates = { x: 70, y: 80 }
  const { seats } = compiled(config)
  expect(seats[2]).toMatchObject({ x: 70, y: 80 })
  const others = seats.filter(({ ordinal }) => ordinal !== 2)
  expect(Math.min(...others.map(({ y }) => y))).toBeGreaterThan(80)
})

test('no two seats share a place', () => {
  const places = compiled(smallTheatre()).seats.map(({ x, y }) => `${x} ${y}`)
  expect(new Set(places).size).toBe(places.length)
})

test.each([
  ['one after the other', [1, 2, 3, 4], '1 2 3 4'],
  ['with a number left out', [1, 2, 3, 5, 6], '1 2 3 | 5 6'],
  ['with many left out', [1, 2, 101, 102, 103], '1 2 | 101 102 103'],
  ['with half of the steps wider', [1, 2, 4, 5, 7], '1 2 | 4 5 | 7'],
  ['from high to low', [12, 11, 10, 7, 6], '12 11 10 | 7 6'],
  ['odd', [1, 3, 5, 7], '1 3 5 7'],
  ['odd, with one left out', [1, 3, 7, 9, 11], '1 3 | 7 9 11'],
  ['even, with one left out', [2, 4, 6, 10, 12], '2 4 6 | 10 12'],
  ['odd to the left, even to the right', [5, 3, 1, 2, 4, 6], '5 3 1 2 4 6'],
  ['odd first, then even', [1, 3, 5, 7, 2, 4, 6, 8], '1 3 5 7 | 2 4 6 8'],
  ['in tens', [10, 20, 30, 50], '10 20 30 | 50'],
  ['with the same number twice', [1, 1, 1, 2], '1 1 1 2'],
  ['by text', ['1A', '1B', '9C'], '1A 1B 9C'],
  ['partly by text', [1, 2, '2A', 9], '1 2 2A 9'],
  ['alone', [7], '7'],
])('a row that is numbered %s has its aisles', (_how, numbers, expected) => {
  const seats = numbers.map((number, index) => ({ row: 'A', number, label: `seat ${index}` }))
  const layout = compiled({ zones: [{ name: 'Stalls', zone_type: 'reserved_seating', seats }] })
  expect(runsOf(layout)).toEqual([`A: ${expected}`])
})

test('an aisle that is said leaves a gap, whatever the numbers; one that is denied leaves none', () => {
  const seats = [1, 2, 3, 4, 7, 8].map(number => ({
    row: 'A',
    number,
    ...(number === 2 && { aisle_after: true }),
    ...(number === 4 && { aisle_after: false }),
  }))
  const layout = compiled({ zones: [{ name: 'Stalls', zone_type: 'reserved_seating', seats }] })
  expect(layout.seats.map(({ x }) => x)).toEqual([0, 1, 3, 4, 5, 6])
  expect(runsOf(layout)).toEqual(['A: 1 2 | 3 4 7 8'])
})

test('refused: seats for which no room is left', () => {
  const points = [
    { x: 0, y: 1e9 },
    { x: 1, y: 1e9 },
  ]
  const found = faultsAfter(config => {
    config.outlines[0]!.points = points
  })
  expect(found).toEqual([['/zones/0/seats', 'no_room_for_seats']])
})
