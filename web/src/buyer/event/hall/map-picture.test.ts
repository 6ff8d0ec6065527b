import { generateVenue } from '@voelgoed/core/layout/generate'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SeatStates } from '../../../map/document/seat-states.ts'
import { fitBounds } from '../../../map/paint/camera.ts'
import { Picture } from '../../../map/paint/picture.ts'
import { type MapWords, Scene } from '../../../map/paint/scene.ts'
import { lightTheme } from '../../../map/paint/theme.ts'
import { BAND_PX, TILE_PX } from '../../../map/paint/tiles.ts'
import { modelOf } from '../../../map/test/encode-layout.ts'

/** Notes by name what a context was asked to do, and does nothing. */
class FakeContext {
  readonly calls: { readonly name: string; readonly args: readonly unknown[] }[] = []
  readonly context = new Proxy({} as Record<string, unknown>, {
    get: (known, name: string) =>
      known[name] ??
      ((...args: unknown[]) => {
        this.calls.push({ name, args })
        return name === 'measureText' ? { width: 100 } : undefined
      }),
  }) as unknown as CanvasRenderingContext2D
}

const fakes: FakeContext[] = []

beforeEach(() => {
  fakes.length = 0
  const createElement = () => {
    const fake = new FakeContext()
    fakes.push(fake)
    return { getContext: () => fake.context }
  }
  vi.stubGlobal('document', { createElement })
  vi.stubGlobal(
    'Path2D',
    class {
      moveTo() {}
      lineTo() {}
      quadraticCurveTo() {}
      closePath() {}
    },
  )
  vi.stubGlobal('ImageData', class {})
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const words = { free: (count: number) => `${count} free`, soldOut: 'Full' } as MapWords
const model = modelOf(generateVenue({ kind: 'theatre', seats: 600 }))
const SIZE = { width: 400, height: 400 }
const whole = fitBounds(model.bounds, SIZE, 24)

function pictureOf() {
  const picture = new Picture(new Scene(model, lightTheme, words, new SeatStates(model)))
  const screen = new FakeContext()
  const draw = (budgetMs: number) =>
    picture.draw(screen.context, {
      ...{ camera: whole, rest: whole, overview: whole, isZooming: false },
      ...{ size: SIZE, ratio: 1, budgetMs, onlyWhole: false },
    })
  const shown = () => screen.calls.filter(({ name }) => name === 'drawImage').length
  /** The parts of the picture that were painted: each begins with its own clip. */
  const painted = () =>
    fakes
      .flatMap(({ calls }) => calls)
      .filter(({ name }) => name === 'rect')
      .map(({ args }) => args)
  const written = () => fakes.flatMap(({ calls }) => calls).filter(({ name }) => name === 'fillText').length
  return { draw, shown, painted, written }
}

it('of a hall that a tile has room for is one tile', () => {
  const { draw, shown } = pictureOf()
  expect(draw(Infinity)).toBe('hall')
  expect(shown()).toBe(1)
})

it('is begun in bands, which take one frame each when time is short, and is shown when all are there', () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
  const { draw, shown, painted } = pictureOf()
  const bands = TILE_PX / BAND_PX
  for (let band = 1; band < bands; band += 1) {
    expect(draw(5)).toBe('less')
    expect(painted()).toHaveLength(band)
    expect(shown()).toBe(0)
  }
  expect(draw(5)).toBe('hall')
  expect(painted()).toEqual(Array.from({ length: bands }, (_, at) => [0, at * BAND_PX, TILE_PX, BAND_PX]))
  expect(shown()).toBe(1)
})

it('gets its names after the hall is there, and stays on the screen meanwhile', () => {
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
  const { draw, shown, painted, written } = pictureOf()
  while (draw(5) !== 'hall') expect(shown()).toBe(0)
  expect(written()).toBe(0)
  const before = painted().length
  // First it reads the hall for the names, then it places them.
  for (const frames of [2, 3]) {
    expect(draw(5)).toBe('less')
    expect(shown()).toBe(frames)
  }
  expect(painted()).toHaveLength(before)
  expect(draw(5)).toBe('all')
  expect(written()).toBeGreaterThan(0)
  // Nothing is left to paint.
  const named = painted().length
  expect(draw(5)).toBe('all')
  expect(painted()).toHaveLength(named)
})
