import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cameraAt, glide, type Motion } from '../view/motion.ts'
import {
  between,
  type Camera,
  clampCamera,
  fitBounds,
  panBy,
  toScreen,
  toWorld,
  viewOf,
  zoomTo,
} from './camera.ts'

const SEED = 4
const size = { width: 800, height: 600 }
const number = fc.double({ min: -1e4, max: 1e4, noNaN: true })
const scale = fc.double({ min: 0.01, max: 50, noNaN: true })
const cameras = fc.record({ x: number, y: number, scale })
const places = fc.record({
  x: fc.double({ min: 0, max: 800, noNaN: true }),
  y: fc.double({ min: 0, max: 600, noNaN: true }),
})
const camera: Camera = { x: 10, y: 20, scale: 2 }

describe('the camera', () => {
  it('finds the way from the screen to the hall and back', () => {
    fc.assert(
      fc.property(cameras, places, (from, at) => {
        const back = toScreen(from, size, toWorld(from, size, at))
        expect(Math.hypot(back.x - at.x, back.y - at.y)).toBeLessThan(1e-3)
      }),
      { seed: SEED },
    )
  })

  it('leaves what is under the finger where it is while it zooms', () => {
    fc.assert(
      fc.property(cameras, places, scale, (from, at, to) => {
        const before = toWorld(from, size, at)
        const after = toWorld(zoomTo(from, size, at, to), size, at)
        expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(1e-3)
      }),
      { seed: SEED },
    )
  })

  it('moves the hall with the finger', () => {
    const place = toWorld(camera, size, { x: 100, y: 100 })
    expect(toScreen(panBy(camera, 30, -10), size, place)).toEqual({ x: 130, y: 90 })
  })

  it('shows the whole of what it is to show, in the middle, with a margin', () => {
    const bounds = { minX: -100, minY: 0, maxX: 300, maxY: 100 }
    const whole = fitBounds(bounds, size, 20)
    expect(whole).toEqual({ x: 100, y: 50, scale: (800 - 40) / 400 })
    const view = viewOf(whole, size)
    expect(view.minX).toBeLessThan(bounds.minX)
    expect(view.maxY).toBeGreaterThan(bounds.maxY)
  })

  it('never loses the hall, nor comes nearer or goes farther than it may', () => {
    const limits = { minScale: 1, maxScale: 4, bounds: { minX: 0, minY: 0, maxX: 100, maxY: 50 } }
    expect(clampCamera({ x: -7, y: 99, scale: 9 }, limits)).toEqual({ x: 0, y: 50, scale: 4 })
    expect(clampCamera({ x: 7, y: 9, scale: 0.1 }, limits)).toEqual({ x: 7, y: 9, scale: 1 })
  })

  it('begins and ends a journey where it should', () => {
    const to = { x: 500, y: -40, scale: 16 }
    expect(between(camera, to, 0)).toEqual(camera)
    const end = between(camera, to, 1)
    expect(end.x).toBeCloseTo(to.x)
    expect(end.scale).toBeCloseTo(to.scale)
    expect(between(camera, { ...to, scale: camera.scale }, 0.5).x).toBeCloseTo(255)
  })
})

describe('motion', () => {
  it('of a journey ends exactly at its end', () => {
    const motion: Motion = { kind: 'journey', from: camera, to: { x: 1, y: 2, scale: 3 }, startedAt: 1_000 }
    expect(cameraAt(motion, 1_000)).toMatchObject({ isOver: false })
    expect(cameraAt(motion, 9_000)).toEqual({ camera: { x: 1, y: 2, scale: 3 }, isOver: true })
  })

  it('of a hall that was thrown goes on in the same direction and comes to rest', () => {
    const motion = glide(camera, 1, 0, 0)!
    const soon = cameraAt(motion, 100)
    const late = cameraAt(motion, 5_000)
    expect(soon.camera.x).toBeLessThan(camera.x)
    expect(late.camera.x).toBeLessThan(soon.camera.x)
    expect([soon.isOver, late.isOver]).toEqual([false, true])
    expect(late.camera.y).toBe(camera.y)
  })

  it('needs a push', () => {
    expect(glide(camera, 0.05, 0.05, 0)).toBeNull()
  })
})
