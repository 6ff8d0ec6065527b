import { describe, expect, it } from 'vitest'
import type { MapModel } from '../../../map/index.ts'
import { VIEW, viewFrom } from './section-view.ts'

/** Ten rows of eleven seats, one apart, before a stage of nine seats; `turn`: the whole plan by so much. */
function hall(turn = 0, more: Partial<MapModel> = {}): MapModel {
  const [sin, cos] = [Math.sin(turn), Math.cos(turn)]
  const place = (x: number, y: number) => ({ x: x * cos - y * sin, y: x * sin + y * cos })
  const seats = Array.from({ length: 110 }, (_, index) => place((index % 11) - 5, 4 + Math.floor(index / 11)))
  const points = [place(-4.5, -3), place(4.5, -3), place(4.5, 1), place(-4.5, 1)]
  return {
    x: Float32Array.from(seats, ({ x }) => x),
    y: Float32Array.from(seats, ({ y }) => y),
    ordinalCount: seats.length,
    pitch: 1,
    shapes: [{ kind: 'stage', label: null, points }],
    focalPoint: null,
    zoneOf: new Uint16Array(seats.length),
    zones: [{ level: 'Stalls' }],
    levels: [],
    has: () => true,
    ...more,
  } as unknown as MapModel
}

const [FIRST_MIDDLE, LAST_MIDDLE, FIRST_LEFT, FIRST_RIGHT] = [5, 104, 0, 10]

function edges(model: MapModel, ordinal: number) {
  const points = viewFrom(model, ordinal)!.surfaces.find(({ kind }) => kind === 'floor')!.points
  const across = points.map(([x]) => x)
  return { left: Math.min(...across), right: Math.max(...across) }
}

describe('the stage from a seat', () => {
  it('is even from the middle, and smaller from further away', () => {
    const { left, right } = edges(hall(), FIRST_MIDDLE)
    expect(left + right).toBeCloseTo(VIEW.width, 0)
    const far = edges(hall(), LAST_MIDDLE)
    expect(far.right - far.left).toBeLessThan(0.6 * (right - left))
    expect(viewFrom(hall(), FIRST_MIDDLE)!.metres).toBeLessThan(viewFrom(hall(), LAST_MIDDLE)!.metres)
  })

  it('says from which side, also where the plan is turned', () => {
    for (const turn of [0, 1, Math.PI / 2, Math.PI, 5]) {
      const sides = [FIRST_LEFT, FIRST_MIDDLE, FIRST_RIGHT].map(seat => viewFrom(hall(turn), seat)!.side)
      expect(sides).toEqual(['left', 'middle', 'right'])
    }
  })

  it('has its nearer wing larger', () => {
    const heights = viewFrom(hall(), FIRST_LEFT)!
      .surfaces.filter(({ kind }) => kind === 'wing')
      .map(({ points }) => Math.max(...points.map(([, y]) => y)) - Math.min(...points.map(([, y]) => y)))
    expect(heights[0]).toBeGreaterThan(heights[1]!)
  })

  it('is seen from above on a balcony', () => {
    const floors = { zones: [{ level: 'Balcony' }], levels: ['Stalls', 'Balcony'] } as unknown as MapModel
    const front = (model: MapModel) =>
      viewFrom(model, LAST_MIDDLE)!.surfaces.find(({ kind }) => kind === 'floor')!.points
    const deep = (model: MapModel) => {
      const down = front(model).map(([, y]) => y)
      return Math.max(...down) - Math.min(...down)
    }
    expect(deep(hall(0, floors))).toBeGreaterThan(deep(hall()))
  })

  it('has heads before it, except from the first row', () => {
    expect(viewFrom(hall(), FIRST_MIDDLE)!.heads.length).toBeLessThan(
      viewFrom(hall(), LAST_MIDDLE)!.heads.length,
    )
  })

  it('is drawn from the point that all look at where no stage is drawn, and not at all without one', () => {
    expect(viewFrom(hall(0, { shapes: [], focalPoint: { x: 0, y: 0 } }), LAST_MIDDLE)!.side).toBe('middle')
    expect(viewFrom(hall(0, { shapes: [] }), LAST_MIDDLE)).toBeNull()
  })
})
