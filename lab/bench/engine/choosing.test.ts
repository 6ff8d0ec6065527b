import { expect, it } from 'vitest'
import type { ScenarioInput } from '../scenario.ts'
import { measureChoosing } from './choosing.ts'
import { engine } from './engine.ts'

it('npm run bench -- allocation times deciding, and sells a hall out in four ways', () => {
  const list = (option: string) => engine.options[option]!.quick.split(',').map(Number)
  const input = { list, number: (option: string) => list(option)[0]!, seed: 1, say: () => {} }
  const { tables, chart } = measureChoosing(input as unknown as ScenarioInput)
  const [times, ways, groups] = tables.map(({ rows }) => rows) as [
    (typeof tables)[0]['rows'],
    (typeof tables)[0]['rows'],
    (typeof tables)[0]['rows'],
  ]
  expect(groups.map(({ figures }) => figures.searches)).toEqual([22])
  expect(times).toHaveLength(4)
  for (const { figures } of times) {
    expect(Number(figures.together) + Number(figures.split) + Number(figures.nothing)).toBe(20)
  }
  const by = Object.fromEntries(ways.map(({ what, figures }) => [what, figures]))
  expect(by.rules!.standAlone).toBeLessThan(Number(by.free!.standAlone))
  expect(by['under rule']!.standAlone).toBeLessThan(Number(by.free!.standAlone))
  expect(by.rules!.soldPercent).toBeGreaterThan(Number(by.free!.soldPercent))
  expect(chart!.series).toHaveLength(4)
})
