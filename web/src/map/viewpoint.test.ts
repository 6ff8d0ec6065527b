import { generateVenue } from '@voelgoed/core/layout/generate'
import { describe, expect, it } from 'vitest'
import { KeyWalk } from './key-walk.ts'
import type { Stop } from './neighbour.ts'
import { SeatGrid } from './seat-grid.ts'
import { modelOf } from './test/encode-layout.ts'
import { Viewpoint } from './viewpoint.ts'

const WIDE = { width: 800, height: 600 }
const NARROW = { width: 390, height: 400 }
const model = modelOf(generateVenue({ kind: 'theatre', seats: 1_200 }))
const still = () => new Viewpoint(model, WIDE, true, () => {})

describe('the viewpoint', () => {
  it('has the whole hall in view in every size, until the buyer moves the map', () => {
    const viewpoint = still()
    viewpoint.resize(NARROW)
    expect(viewpoint.camera).toEqual(viewpoint.whole)
    viewpoint.zoomBy(4)
    const { scale } = viewpoint.camera
    viewpoint.resize(WIDE)
    expect(viewpoint.camera.scale).toBe(scale)
    viewpoint.fit()
    viewpoint.resize(NARROW)
    expect(viewpoint.camera).toEqual(viewpoint.whole)
  })

  it('is there at once with reduced motion; else on its way, with the end of the way as its rest', () => {
    const viewpoint = still()
    viewpoint.travelTo(viewpoint.onZone(0))
    expect(viewpoint.isMoving).toBe(false)
    const there = viewpoint.camera
    const moving = new Viewpoint(model, WIDE, false, () => {})
    const before = moving.camera
    moving.travelTo(moving.onZone(0))
    expect(moving.camera).toEqual(before)
    expect(moving.rest).toEqual(there)
    moving.advance(performance.now() + 60_000)
    expect(moving.camera).toEqual(there)
    expect(moving.isMoving).toBe(false)
  })

  it('asks for a frame whenever the buyer moves it', () => {
    let frames = 0
    const viewpoint = new Viewpoint(model, WIDE, true, () => {
      frames += 1
    })
    viewpoint.drag(10, 0)
    viewpoint.turn({ x: 400, y: 300 }, 2)
    viewpoint.zoomAt({ x: 400, y: 300 }, 2)
    viewpoint.fling(1, 1)
    viewpoint.fit()
    expect(frames).toBe(5)
  })
})

describe('a walk by keys', () => {
  it('starts in the middle of the view, shows its stop, and goes on from a seat that was pressed', () => {
    const said: (Stop | null)[] = []
    const keys = new KeyWalk({ model, grid: new SeatGrid(model) }, still(), stop => said.push(stop))
    keys.begin()
    expect(keys.shown).toEqual(said.at(-1))
    keys.putAway()
    expect(keys.shown).toBe(null)
    expect(said.at(-1)).toBe(null)
    const row = model.zones[0]!.rows[2]!
    keys.begin()
    keys.putAt(row.firstOrdinal + 1)
    keys.toRowEnd('first')
    expect(keys.shown).toEqual({ kind: 'seat', ordinal: row.firstOrdinal })
    keys.leave()
    expect(said.at(-1)).toBe(null)
  })
})
