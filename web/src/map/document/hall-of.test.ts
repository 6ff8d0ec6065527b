import { compileHall, type Hall } from '@voelgoed/core/allocation/hall'
import { generateVenue } from '@voelgoed/core/layout/generate'
import type { Layout } from '@voelgoed/core/layout/model'
import { EMPTY_OVERLAY } from '@voelgoed/core/layout/overlay'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compiled, encodeLayout } from '../test/encode-layout.ts'
import { wildHall } from '../test/wild-hall.ts'
import { decodeMap } from './decode.ts'
import { hallOf } from './hall-of.ts'

const SEED = 20_261_116

describe('the hall of a map document', () => {
  it.each([
    ['theatre', 1_200],
    ['arena', 5_000],
    ['stadium', 6_000],
  ] as const)('is that of the layout, number for number: %s of %i seats', (kind, seats) => {
    const layout = compiled(generateVenue({ kind, seats }))
    expect(hallOf(decodeMap(encodeLayout(layout)))).toStrictEqual(compileHall(layout))
  })

  it('is that of the layout for whatever people write into layouts', () => {
    fc.assert(
      fc.property(wildHall, ({ config }) => {
        const layout = compiled(config)
        expect(hallOf(decodeMap(encodeLayout(layout)))).toStrictEqual(compileHall(layout))
      }),
      { seed: SEED, numRuns: 100 },
    )
  })

  it('has the same runs, companions and groups in the zones that are open', () => {
    fc.assert(
      fc.property(wildHall, ({ config, overlayOf }) => {
        const layout = compiled(config)
        const model = decodeMap(encodeLayout(layout, overlayOf(layout)))
        const isShown = (ordinal: number) => model.has(ordinal)
        expect(shape(hallOf(model), isShown)).toEqual(shape(compileHall(layout), isShown))
      }),
      { seed: SEED, numRuns: 100 },
    )
  })

  it('is made once for a map', () => {
    const model = decodeMap(encodeLayout(smallLayout(), EMPTY_OVERLAY))
    expect(hallOf(model)).toBe(hallOf(model))
  })
})

function smallLayout(): Layout {
  return compiled(generateVenue({ kind: 'theatre', seats: 100 }))
}

/** By ordinal, of the seats that are shown. */
function shape({ rows, offer, companions, wholes, families }: Hall, isShown: (ordinal: number) => boolean) {
  const ordinalsOf = (positions: Iterable<number>) =>
    Array.from(positions, at => rows.ordinals[at]!).filter(isShown)
  const runs = Array.from(rows.rowOfRun, (_, run) =>
    ordinalsOf(
      Array.from(
        { length: rows.runStarts[run + 1]! - rows.runStarts[run]! },
        (_, along) => rows.runStarts[run]! + along,
      ),
    ),
  )
  const byFirst = (a: readonly number[], b: readonly number[]) => a[0]! - b[0]!
  return {
    runs: runs.filter(run => run.length > 0).sort(byFirst),
    offer: Array.from(rows.positions, at => offer[at]!).filter((_, ordinal) => isShown(ordinal)),
    pairs: Array.from(companions.placeOf, pair => ordinalsOf(pair))
      .filter(pair => pair.length > 0)
      .sort(byFirst),
    groups: [...wholes, ...families]
      .map(ordinalsOf)
      .filter(group => group.length > 0)
      .sort(byFirst),
  }
}
