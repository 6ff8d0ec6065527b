import { expect, it } from 'vitest'
import type { VerbInput } from '../verb.ts'
import type { DecideFigures } from './decide-time.ts'
import type { LargeGroups } from './large-groups.ts'
import { allocation } from './main.ts'
import type { SellOut } from './sell-out.ts'

it('npm run bench -- allocation times deciding, and sells a hall out in four ways', async () => {
  const list = (option: string) => allocation.options[option]!.quick.split(',').map(Number)
  const input = { list, number: (option: string) => list(option)[0]!, seed: 1, say: () => {} }
  const { figures, chart, table } = await allocation.run(input as unknown as VerbInput)
  const { times, ways, groups } = figures as {
    times: DecideFigures[]
    ways: SellOut[]
    groups: LargeGroups[]
  }
  expect(groups).toMatchObject([{ seats: 1_200, searches: 22 }])
  expect(times.map(({ sold, quantity }) => [sold, quantity])).toEqual([
    [0, 1],
    [0, 4],
    [90, 1],
    [90, 4],
  ])
  for (const { outcomes } of times) expect(outcomes.together + outcomes.split + outcomes.nothing).toBe(20)
  const by = Object.fromEntries(ways.map(way => [way.way, way]))
  expect(by.rules!.alone).toBeLessThan(by.free!.alone)
  expect(by['under rule']!.alone).toBeLessThan(by.free!.alone)
  expect(by.rules!.sold).toBeGreaterThan(by.free!.sold)
  expect(chart!.series).toHaveLength(4)
  expect(table).toContain('when the first group is sent away')
})
