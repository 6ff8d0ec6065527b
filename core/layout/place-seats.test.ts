import { expect, test } from 'vitest'
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
