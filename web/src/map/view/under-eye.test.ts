import { festival, generateVenue } from '@voelgoed/core/layout/generate'
import { expect, it } from 'vitest'
import { SeatGrid } from '../document/seat-grid.ts'
import { modelOf } from '../test/encode-layout.ts'
import { underEye } from './under-eye.ts'

const SIZE = { width: 390, height: 400 }
const theatre = modelOf(generateVenue({ kind: 'theatre', seats: 1_200 }))
const grid = new SeatGrid(theatre)

it('is the section of the seat in the middle of the view, with the rows in view', () => {
  const circle = theatre.zones.findIndex(zone => zone.name === 'Circle')
  const { rows } = theatre.zones[circle]!
  const row = rows[3]!
  const seat = row.firstOrdinal + (row.seatCount >> 1)
  const at = { x: theatre.x[seat]!, y: theatre.y[seat]! }
  const near = underEye(theatre, grid, { ...at, scale: 64 / theatre.pitch }, { width: 390, height: 120 })
  expect(near).toEqual({ zoneIndex: circle, rows: { first: row.label, last: row.label } })
  const wide = underEye(theatre, grid, { ...at, scale: 10 / theatre.pitch }, SIZE)
  expect(wide).toEqual({ zoneIndex: circle, rows: { first: rows[0]!.label, last: rows.at(-1)!.label } })
})

it('is the section around the middle where there are no seats, and none beside the hall', () => {
  const ground = modelOf(festival())
  const pit = ground.zones.findIndex(zone => zone.name === 'Pit')
  const seats = new SeatGrid(ground)
  expect(underEye(ground, seats, { x: 0, y: 140, scale: 20 }, SIZE)).toEqual({ zoneIndex: pit, rows: null })
  expect(underEye(ground, seats, { x: 9_000, y: 9_000, scale: 20 }, SIZE)).toBe(null)
})
