import { generateVenue } from '@voelgoed/core/layout/generate'
import { describe, expect, it } from 'vitest'
import { isInside } from '../document/geometry.ts'
import { AVAILABLE, BLOCKED, HELD, SOLD, UNKNOWN } from '../document/model.ts'
import { roomIn } from '../document/room.ts'
import { SeatStates } from '../document/seat-states.ts'
import { modelOf } from '../test/encode-layout.ts'
import { canAim, detailOf, showsNumbers } from './detail.ts'
import { Stamps, shapeOf } from './stamps.ts'
import { contrast, darkTheme, inkOn, lightTheme, type MapTheme, parseColor, priceColor } from './theme.ts'

const model = modelOf(generateVenue({ kind: 'arena', seats: 600, standing: 200 }))

describe('how much is drawn', () => {
  it('follows from how large a seat is on the screen', () => {
    expect([1, 2.9, 3, 12, 13, 60].map(px => detailOf(px, 1_200))).toEqual([
      'zones',
      'zones',
      'dots',
      'dots',
      'seats',
      'seats',
    ])
    expect([4, 5.9, 6].map(px => detailOf(px, 20_000))).toEqual(['zones', 'zones', 'dots'])
    expect([13, 21, 22, 60].map(showsNumbers)).toEqual([false, false, true, true])
  })

  it('a finger needs larger seats than a mouse', () => {
    expect([canAim(10, 'mouse'), canAim(10, 'touch'), canAim(20, 'touch'), canAim(5, 'mouse')]).toEqual([
      true,
      false,
      true,
      false,
    ])
  })
})

describe('the state of a seat', () => {
  const shapes = [AVAILABLE, HELD, SOLD, BLOCKED, UNKNOWN].map(status => shapeOf(status, 'standard'))

  it('has a shape of its own, so that no colour is needed to tell it', () => {
    expect(new Set(shapes).size).toBe(5)
    const kinds = ['standard', 'wheelchair', 'companion', 'restricted_view'] as const
    const free = [...kinds.map(kind => shapeOf(AVAILABLE, kind)), shapeOf(AVAILABLE, 'standard', true)]
    expect(new Set(free).size).toBe(5)
  })

  it.each([1.5, 3, 6])('covers other pixels than any other state, at a radius of %d pixels', radius => {
    const pictures = shapes.map(shape => {
      const pixels = new Uint32Array(400)
      new Stamps(radius).stamp(
        pixels,
        20,
        20,
        { x: 10.2, y: 9.7 },
        { shape, turn: 0, rgb: 0x123456, opacity: 1 },
      )
      return pixels.join()
    })
    expect(new Set(pictures).size).toBe(5)
  })

  it('is stamped up to the edge of a tile and not beyond it', () => {
    const pixels = new Uint32Array(100)
    new Stamps(4).stamp(
      pixels,
      10,
      10,
      { x: 0, y: 9.5 },
      { shape: 'seat', turn: 3, rgb: 0xffffff, opacity: 1 },
    )
    expect(pixels.some(pixel => pixel !== 0)).toBe(true)
    expect(pixels.filter((_, index) => index % 10 > 4).every(pixel => pixel === 0)).toBe(true)
  })
})

describe('what is free', () => {
  it('is counted from the seats until the server has told it, for seats and for places without seats', () => {
    const states = new SeatStates(model)
    const seated = model.zones.findIndex(zone => zone.seatCount > 0)
    const floor = model.zones.findIndex(zone => zone.seatCount === 0)
    const { firstOrdinal, seatCount } = model.zones[seated]!
    states.setAll(new Uint8Array(Math.ceil(model.ordinalCount / 4)))
    expect(states.freeIn(seated)).toBe(seatCount)
    expect(states.set(firstOrdinal, HELD)).toBe(true)
    expect(states.set(firstOrdinal, HELD)).toBe(false)
    expect(states.set(firstOrdinal, SOLD)).toBe(true)
    expect(states.set(999_999, SOLD)).toBe(false)
    expect(states.freeIn(seated)).toBe(seatCount - 1)
    expect(states.freeIn(floor)).toBe(null)
    const counts = model.zones.map(() => ({ available: 7, capacity: 200 }))
    expect(states.setPlaces(counts)).toEqual(model.zones.map((_, index) => index))
    expect(states.setPlaces(counts)).toEqual([])
    // With a seat that is kept for a companion, which is drawn as not free: all pages say the same number.
    expect([states.freeIn(floor), states.freeIn(seated)]).toEqual([7, 7])
  })

  it('is not known before the first snapshot: no seat is free then, and every seat looks neutral', () => {
    const states = new SeatStates(model)
    expect(model.zones.map((_, index) => states.freeIn(index))).toEqual(model.zones.map(() => null))
    expect(states.isKnown).toBe(false)
    expect(new Set(states.statuses)).toEqual(new Set([UNKNOWN]))
    expect(shapeOf(UNKNOWN, 'wheelchair')).toBe(shapeOf(UNKNOWN, 'standard'))
    states.setAll(new Uint8Array(0))
    expect(new Set(states.statuses)).toEqual(new Set([AVAILABLE]))
  })

  it('comes from a snapshot of two bits a seat, of which only the changes are told', () => {
    const states = new SeatStates(model)
    const bits = new Uint8Array(Math.ceil(model.ordinalCount / 4))
    bits[0] = HELD | (SOLD << 2) | (BLOCKED << 6)
    states.setAll(new Uint8Array(0))
    expect(states.setAll(bits)).toEqual([0, 1, 3])
    expect([...states.statuses.subarray(0, 5)]).toEqual([HELD, SOLD, AVAILABLE, BLOCKED, AVAILABLE])
    expect(states.setAll(bits)).toEqual([])
    expect(states.setAll(new Uint8Array(0))).toEqual([0, 1, 3])
  })
})

describe.each([
  ['light', lightTheme],
  ['dark', darkTheme],
] as const)('the %s theme', (_, theme: MapTheme) => {
  const between = (a: string, b: string) => contrast(parseColor(a)!, parseColor(b)!)

  it('has text that can be read', () => {
    for (const [ink, ground] of [
      [theme.text, theme.zone],
      [theme.text, theme.background],
      [theme.quiet, theme.zone],
      [theme.quiet, theme.shape],
      [theme.stageText, theme.stage],
      [theme.mineMark, theme.mine],
    ] as const) {
      expect(between(ink, ground)).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('shows free seats of every colour, and their numbers', () => {
    const colors = ['#ffffff', '#000000', '#ffff00', '#123', 'red', null]
    const priceCategories = colors.map((color, index) => ({ key: `${index}`, label: '', color }))
    for (const index of [-1, ...colors.keys()]) {
      const color = priceColor({ ...model, priceCategories }, index, theme)
      expect(between(color, theme.zone)).toBeGreaterThanOrEqual(3)
      expect(between(inkOn(color), color)).toBeGreaterThanOrEqual(4.5)
    }
  })
})

describe('where the name of a zone goes', () => {
  const front = { x: 0, y: 0 }
  const arc = (radius: number, from: number, to: number) =>
    Array.from({ length: 21 }, (_, step) => {
      const angle = from + ((to - from) * step) / 20
      return { x: radius * Math.sin(angle), y: radius * Math.cos(angle) }
    })

  it('is inside of it, also of a crescent, and its front is towards the stage', () => {
    const crescent = [...arc(100, -1.2, 1.2), ...arc(130, 1.2, -1.2)]
    const { middle, front: edge } = roomIn(crescent, front)
    expect(isInside(middle, crescent)).toBe(true)
    expect(middle.x).toBeCloseTo(0)
    expect(edge.y).toBeCloseTo(100)
  })

  it('is its middle when the stage is in its middle', () => {
    const square = [-1, 1, 1, -1].map((x, index) => ({ x, y: index < 2 ? -1 : 1 }))
    expect(roomIn(square, front).middle).toEqual({ x: 0, y: 0 })
  })
})
