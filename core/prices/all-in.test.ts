import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { allIn, allInFrom, splitCart } from './all-in.ts'
import { priceCart } from './price-cart.ts'
import type { PriceList } from './price-list.ts'

const onTop = { name: 'VAT', percent: 15, included: false }
const fees: PriceList['fees'] = [
  { name: 'Booking fee', amount: 1_500, per: 'ticket' },
  { name: 'Postage', amount: 5_000, per: 'order' },
]

describe('what has to be paid for places', () => {
  it('has the fee of each ticket, and none of the order', () => {
    expect(allIn({ fees, tax: null }, [48_000])).toEqual({ total: 49_500, fees: 1_500, taxOnTop: 0 })
    expect(allIn({ fees, tax: null }, [48_000, 0])).toEqual({ total: 51_000, fees: 3_000, taxOnTop: 0 })
    expect(allIn({ fees, tax: null }, [])).toEqual({ total: 0, fees: 0, taxOnTop: 0 })
  })

  it('has the tax on ticket and fee, unless the amounts include it', () => {
    expect(allIn({ fees, tax: { ...onTop, included: true } }, [48_000]).total).toBe(49_500)
    expect(allIn({ fees, tax: onTop }, [48_000])).toEqual({ total: 56_925, fees: 1_500, taxOnTop: 7_425 })
  })

  it('adds up to the total of a cart, with the fees of the order, however its places are grouped', () => {
    const amounts = fc.array(
      fc.array(fc.integer({ min: 0, max: 10_000_000_000 }), { minLength: 1, maxLength: 5 }),
      {
        maxLength: 5,
      },
    )
    const tax = fc.option(
      fc.record({
        name: fc.constant('VAT'),
        percent: fc.integer({ min: 0, max: 100_000 }).map(thousandths => thousandths / 1_000),
        included: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(amounts, tax, fc.integer({ min: 0, max: 9_999 }), (groups, tax, fee) => {
        const postage = { name: 'Postage', amount: fee + 7, per: 'order' } as const
        const list: PriceList = {
          currency: 'ZAR',
          categories: [],
          zones: {},
          fees: [{ name: 'Fee', amount: fee, per: 'ticket' }],
          tax,
          admission: {},
        }
        const items = groups.flat().map((amount, index) => ({
          holdId: String(index),
          quantity: 1,
          category: { key: 'k', name: 'K', colour: null, ticket_types: [{ key: 't', name: 'T', amount }] },
        }))
        const cart = priceCart(list, items)
        if (!cart.ok) throw new Error(cart.problem.kind)
        expect(allIn(list, groups.flat()).total).toBe(cart.value.total)
        const whole = { ...list, fees: [...list.fees, postage] }
        const both = priceCart(whole, items)
        if (!both.ok || items.length === 0) return
        const { groups: parts, orderFees } = splitCart(whole, groups)
        const sum = [...parts, ...orderFees.map(({ amount }) => amount)].reduce((all, part) => all + part, 0)
        expect(sum).toBe(both.value.total)
      }),
    )
  })
})

it('an event costs from what its cheapest place costs as the usual type of ticket', () => {
  expect(allInFrom({ fees, tax: null }, [48_000, 22_000, 65_000])).toBe(23_500)
  expect(allInFrom({ fees, tax: null }, [])).toBe(null)
})
