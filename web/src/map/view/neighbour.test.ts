import { festival, generateVenue } from '@voelgoed/core/layout/generate'
import { describe, expect, it } from 'vitest'
import { SeatGrid } from '../document/seat-grid.ts'
import { modelOf } from '../test/encode-layout.ts'
import { type Direction, nearestStop, neighbour, rowEnd, rowStep, type Stop } from './neighbour.ts'

const theatre = modelOf(generateVenue({ kind: 'theatre', seats: 1_200 }))
const inTheatre = new SeatGrid(theatre)
const seat = (ordinal: number): Stop => ({ kind: 'seat', ordinal })
const stalls = theatre.zones[0]!
const row = stalls.rows[4]!
const middle = row.firstOrdinal + (row.seatCount >> 1)

const walk = (from: Stop, ...way: Direction[]): Stop =>
  way.reduce((at, direction) => neighbour(theatre, inTheatre, at, direction) ?? at, from)

describe('arrows', () => {
  it('go along the row, over aisles, and back to where they came from', () => {
    const there = walk(seat(middle), 'right', 'right', 'right')
    expect(there.kind === 'seat' && theatre.rowOf(there.ordinal)).toBe(row.label)
    expect(there).not.toEqual(seat(middle))
    expect(walk(there, 'left', 'left', 'left')).toEqual(seat(middle))
  })

  it('go to the next row, and from the last row of a section into the next section', () => {
    const below = walk(seat(middle), 'down') as { ordinal: number }
    expect(theatre.rowOf(below.ordinal)).toBe(stalls.rows[5]!.label)
    expect(Math.abs(theatre.x[below.ordinal]! - theatre.x[middle]!)).toBeLessThan(theatre.pitch)
    let at: Stop = seat(middle)
    for (let step = 0; step < stalls.rows.length; step += 1) at = walk(at, 'down')
    expect(at.kind === 'seat' && theatre.zones[theatre.zoneOf[at.ordinal]!]!.name).toBe('Circle')
  })

  it('stay inside the hall, and reach every section from any seat', () => {
    const reached = new Set<number>()
    for (const direction of ['up', 'down', 'left', 'right'] as const) {
      let at: Stop = seat(middle)
      for (let step = 0; step < 300; step += 1) {
        const next = neighbour(theatre, inTheatre, at, direction)
        if (!next) break
        at = next
        if (at.kind === 'seat') reached.add(theatre.zoneOf[at.ordinal]!)
      }
      expect(neighbour(theatre, inTheatre, at, direction)).toBe(null)
    }
    expect(reached.size).toBe(theatre.zones.length)
  })

  it('follow a row that runs upright, and cross it with the other two', () => {
    const arena = modelOf(generateVenue({ kind: 'arena', seats: 2_000 }))
    const grid = new SeatGrid(arena)
    // The seat farthest to the right: its row runs from top to bottom.
    let far = 0
    for (let at = 0; at < arena.ordinalCount; at += 1) if (arena.x[at]! > arena.x[far]!) far = at
    const down = neighbour(arena, grid, seat(far), 'down') as { ordinal: number }
    const inwards = neighbour(arena, grid, seat(far), 'left') as { ordinal: number }
    expect(arena.rowOf(down.ordinal)).toBe(arena.rowOf(far))
    expect(arena.rowOf(inwards.ordinal)).not.toBe(arena.rowOf(far))
    expect(neighbour(arena, grid, seat(far), 'right')).toBe(null)
  })

  it('reach places without seats, and go on from there', () => {
    const ground = modelOf(festival())
    const grid = new SeatGrid(ground)
    const zoneOf = (name: string): Stop => ({
      kind: 'zone',
      zoneIndex: ground.zones.findIndex(zone => zone.name === name),
    })
    expect(neighbour(ground, grid, zoneOf('Pit'), 'down')).toEqual(zoneOf('Floor'))
    expect(neighbour(ground, grid, zoneOf('Floor'), 'up')).toEqual(zoneOf('Pit'))
    const seated = neighbour(ground, grid, zoneOf('Floor'), 'down') as { ordinal: number }
    expect(ground.zones[ground.zoneOf[seated.ordinal]!]!.name).toBe('Orchestra')
    expect(neighbour(ground, grid, seated as unknown as Stop, 'up')).toEqual(zoneOf('Floor'))
    expect(nearestStop(ground, grid, { x: 0, y: 140 })).toEqual(zoneOf('Pit'))
  })

  it('look at few seats of a large hall, also where nothing is near', () => {
    const stadium = modelOf(generateVenue({ kind: 'stadium', seats: 20_000 }))
    const grid = new SeatGrid(stadium)
    let visited = 0
    const counting = {
      forEachIn: (bounds: Parameters<SeatGrid['forEachIn']>[0], visit: (ordinal: number) => void) =>
        grid.forEachIn(bounds, ordinal => {
          visited += 1
          visit(ordinal)
        }),
    } as SeatGrid
    let steps = 0
    for (let from = 0; from < stadium.ordinalCount; from += 199) {
      for (const direction of ['up', 'down', 'left', 'right'] as const) {
        neighbour(stadium, counting, seat(from), direction)
        steps += 1
      }
    }
    expect(visited / steps).toBeLessThan(1_000)
  })
})

describe('rows', () => {
  it('have ends', () => {
    expect(rowEnd(theatre, seat(middle), 'first')).toEqual(seat(row.firstOrdinal))
    expect(rowEnd(theatre, seat(middle), 'last')).toEqual(seat(row.firstOrdinal + row.seatCount - 1))
  })

  it('are stepped through by pages, and end at the first and the last', () => {
    const next = rowStep(theatre, seat(middle), 1) as { ordinal: number }
    expect(theatre.rowOf(next.ordinal)).toBe(stalls.rows[5]!.label)
    expect(rowStep(theatre, seat(next.ordinal), -1)).toEqual(seat(middle))
    const first = seat(stalls.rows[0]!.firstOrdinal)
    expect(rowStep(theatre, first, -1)).toEqual(first)
  })
})

it('the keyboard begins at the seat nearest to the middle of the view', () => {
  expect(nearestStop(theatre, inTheatre, { x: theatre.x[middle]!, y: theatre.y[middle]! })).toEqual(
    seat(middle),
  )
  expect(nearestStop(theatre, inTheatre, { x: 1e5, y: 1e5 })).not.toBe(null)
})
