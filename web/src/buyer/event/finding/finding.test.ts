import { Refused } from '@voelgoed/client'
import { expect, it } from 'vitest'
import type { BestAvailable } from '../cart/holdings.svelte.ts'
import type { Seating } from '../seating.svelte.ts'
import { Finding } from './finding.svelte.ts'

/** Without a hall the page finds nothing by itself: it asks the server. */
function seatingOf(asked: BestAvailable[]): Seating {
  const takeBest = async (wish: BestAvailable) => {
    asked.push(wish)
    return { clusters: [] }
  }
  return {
    event: null,
    model: null,
    prices: null,
    holdings: { count: 0, all: [], takeBest },
    notices: { dismiss: () => {} },
    canAsk: () => true,
    asked: async (work: () => Promise<void>) => {
      await work()
      return null
    },
  } as unknown as Seating
}

it('two quick presses ask the server once, and a later one asks again', async () => {
  const asked: BestAvailable[] = []
  const finding = new Finding(seatingOf(asked))
  const first = finding.find()
  expect(finding.isBusy).toBe(true)
  await Promise.all([first, finding.find()])
  expect(asked).toHaveLength(1)
  expect(finding.isBusy).toBe(false)
  await finding.find()
  expect(asked).toHaveLength(2)
})

it('asks the server for a price as well, and has the remedies that it names', async () => {
  const asked: BestAvailable[] = []
  const seating = seatingOf(asked)
  const finding = new Finding(seating)
  finding.change({ mostAmount: 34_000 })
  await finding.find()
  expect(asked).toEqual([{ quantity: 2, together: 'preferred', max_amount: 34_000 }])
  const alternatives = [{ kind: 'fewer', quantity: 1 }, { kind: 'any_price' }]
  seating.asked = async () =>
    new Refused(
      { status: 409, code: 'no_suitable_seats', reason: 'none_within_price', alternatives } as never,
      null,
    )
  await finding.find()
  expect(finding.hasNews).toBe(true)
  expect(finding.alternatives).toEqual(alternatives)
  finding.accept({ kind: 'any_price' })
  expect(finding.wish).toMatchObject({ quantity: 2, mostAmount: null })
  expect(finding.refused).toBe(null)
})
