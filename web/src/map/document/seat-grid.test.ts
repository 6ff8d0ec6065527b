import { generateVenue } from '@voelgoed/core/layout/generate'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { modelOf } from '../test/encode-layout.ts'
import { NO_ZONE } from './model.ts'
import { SeatGrid } from './seat-grid.ts'

const SEED = 12
const model = modelOf(generateVenue({ kind: 'arena', seats: 1_500 }))
const grid = new SeatGrid(model)

describe('picking a seat', () => {
  it('gives the nearest one, or none when none is near enough: the same as looking at all of them', () => {
    const { minX, minY, maxX, maxY } = model.bounds
    fc.assert(
      fc.property(
        fc.double({ min: minX - 50, max: maxX + 50, noNaN: true }),
        fc.double({ min: minY - 50, max: maxY + 50, noNaN: true }),
        fc.double({ min: 1, max: 60, noNaN: true }),
        (x, y, within) => {
          const distanceTo = (ordinal: number) => Math.hypot(model.x[ordinal]! - x, model.y[ordinal]! - y)
          const nearest = [...model.x.keys()].reduce((a, b) => (distanceTo(b) < distanceTo(a) ? b : a))
          const found = grid.nearest(x, y, within)
          if (distanceTo(nearest) > within) expect(found).toBeNull()
          else expect(distanceTo(found!)).toBe(distanceTo(nearest))
        },
      ),
      { seed: SEED, numRuns: 60 },
    )
  })

  it('visits every seat of a part of the hall once, and of parts that overlap', () => {
    const part = { minX: -300, minY: -200, maxX: 150, maxY: 400 }
    const visited: number[] = []
    grid.forEachIn(part, ordinal => visited.push(ordinal))
    const wanted = [...model.x.keys()].filter(ordinal => {
      const [x, y] = [model.x[ordinal]!, model.y[ordinal]!]
      return x >= part.minX && x <= part.maxX && y >= part.minY && y <= part.maxY
    })
    expect(visited.sort((a, b) => a - b)).toEqual(wanted)
    const halves = [
      { ...part, maxX: 0 },
      { ...part, minX: -100 },
    ]
    const again: number[] = []
    grid.forEachInAny(halves, ordinal => again.push(ordinal))
    expect(again.sort((a, b) => a - b)).toEqual(wanted)
  })

  it('knows nothing of ordinals without a seat, and bears one seat on the moon', () => {
    const odd = new SeatGrid({
      x: Float32Array.of(0, 1e9, 5),
      y: Float32Array.of(0, 1e9, 5),
      zoneOf: Uint16Array.of(0, 0, NO_ZONE),
      seatCount: 2,
      pitch: 10,
    })
    expect(odd.nearest(1, 1, 5)).toBe(0)
    expect(odd.nearest(1e9, 1e9, 5)).toBe(1)
    expect(odd.nearest(500, 500, 5)).toBeNull()
  })

  it('of a hall without seats finds none', () => {
    const none = { x: new Float32Array(), y: new Float32Array(), zoneOf: new Uint16Array() }
    expect(new SeatGrid({ ...none, seatCount: 0, pitch: 10 }).nearest(0, 0, 100)).toBeNull()
  })
})
