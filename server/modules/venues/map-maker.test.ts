import { afterEach, expect, it, vi } from 'vitest'
import { MapMaker } from './map-maker.ts'

const maker = new MapMaker()
afterEach(async () => {
  vi.useRealTimers()
  await maker.close()
})

const EMPTY = {
  layoutId: '00000000-0000-7000-8000-000000000000',
  version: 1,
  ordinals: 0,
  zones: [],
  priceCategories: [],
  focalPoint: null,
  outlines: [],
  groups: [],
}

async function* noPages(): AsyncGenerator<string> {}

it('does not give a map to a thread that is being ended because it had nothing to do', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const make = () => maker.make('ours', async encode => (await encode(EMPTY, noPages())).encoded)
  const first = await make()
  vi.advanceTimersByTime(60_000)
  expect(await make()).toEqual(first)
})
