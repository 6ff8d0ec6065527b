import { generateVenue } from '@voelgoed/core/layout/generate'
import { describe, expect, it } from 'vitest'
import { onLevel } from '../document/levels.ts'
import type { Bounds } from '../document/model.ts'
import { SeatGrid } from '../document/seat-grid.ts'
import { toScreen } from '../paint/camera.ts'
import { modelOf } from '../test/encode-layout.ts'
import { KeyWalk } from './key-walk.ts'
import type { Stop } from './neighbour.ts'
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

  it('has the whole floor beside the choice of floors, which covers none of its seats', () => {
    const floor = onLevel(modelOf(generateVenue({ kind: 'theatre', seats: 640, levels: true })), 0)
    const covered = ({ camera, size }: Viewpoint, { minX, minY, maxX, maxY }: Bounds) => {
      const seats = [...floor.x.keys()].filter(ordinal => floor.has(ordinal))
      const places = seats.map(at => toScreen(camera, size, { x: floor.x[at]!, y: floor.y[at]! }))
      expect(places.every(({ x, y }) => x > 0 && y > 0 && x < size.width && y < size.height)).toBe(true)
      return places.filter(({ x, y }) => x >= minX && y >= minY && x <= maxX && y <= maxY).length
    }
    const plain = new Viewpoint(floor, WIDE, true, () => {})
    const viewpoint = new Viewpoint(floor, WIDE, true, () => {})
    // On a phone it is at the lower edge; a low map has no height to give, and makes way sideways.
    for (const [width, height] of [
      [390, 260],
      [340, 150],
    ] as const) {
      const cover = { minX: 16, minY: height - 60, maxX: 152, maxY: height - 16 }
      plain.resize({ width, height })
      viewpoint.resize({ width, height }, [cover])
      expect(covered(plain, cover)).toBeGreaterThan(0)
      expect(covered(viewpoint, cover)).toBe(0)
      expect(viewpoint.camera.scale).toBeGreaterThan(0.75 * plain.camera.scale)
    }
    // A hall that leaves the corner empty is as large as without it.
    const inCorner = { minX: 0, minY: 0, maxX: 40, maxY: 20 }
    plain.resize(WIDE)
    viewpoint.resize(WIDE, [inCorner])
    expect(viewpoint.camera).toEqual(plain.camera)
  })

  it('has the whole hall beside the buttons, and the choice of floors as well', () => {
    const arena = modelOf(generateVenue({ kind: 'arena', seats: 6_000 }))
    const viewpoint = new Viewpoint(arena, WIDE, true, () => {})
    const [width, height] = [390, 250]
    const levels = { minX: 12, minY: height - 56, maxX: 110, maxY: height - 12 }
    const buttons = { minX: width - 150, minY: height - 56, maxX: width - 12, maxY: height - 12 }
    const isBelow = ({ minX, minY, maxX, maxY }: Bounds) =>
      [...arena.x.keys()].some(at => {
        const { x, y } = toScreen(viewpoint.camera, { width, height }, { x: arena.x[at]!, y: arena.y[at]! })
        return x >= minX && y >= minY && x <= maxX && y <= maxY
      })
    viewpoint.resize({ width, height })
    const { scale } = viewpoint.camera
    expect(isBelow(buttons)).toBe(true)
    for (const covers of [[buttons], [levels, buttons]]) {
      viewpoint.resize({ width, height }, covers)
      expect(covers.some(isBelow)).toBe(false)
      expect(viewpoint.camera.scale).toBeGreaterThan(0.7 * scale)
    }
    // The hall keeps the room if there is hardly any.
    viewpoint.resize({ width: 160, height: 90 })
    const plain = viewpoint.camera
    viewpoint.resize({ width: 160, height: 90 }, [{ minX: 10, minY: 30, maxX: 150, maxY: 80 }])
    expect(viewpoint.camera).toEqual(plain)
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
    moving.advance(Number.MAX_SAFE_INTEGER)
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
