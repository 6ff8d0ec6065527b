import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkPrices } from './check-prices.ts'
import { minorDigits } from './currency.ts'
import { HALL, PIT, PRICES, STALLS } from './fixtures/prices.ts'
import { type CartItem, type PricedCart, priceCart } from './price-cart.ts'
import { categoryOf, PRICE_LIMITS, type PriceList, priceFrom } from './price-list.ts'

const checked = checkPrices(PRICES, HALL)
if (!checked.ok) throw new Error(JSON.stringify(checked.problem))
const list: PriceList = checked.value
const gold = list.categories[0]!
const standing = list.categories[1]!

function priced(items: readonly CartItem[], from: PriceList = list): PricedCart {
  const cart = priceCart(from, items)
  if (!cart.ok) throw new Error(JSON.stringify(cart.problem))
  return cart.value
}

const item = (category: CartItem['category'], quantity = 1, ticketType?: string): CartItem => ({
  holdId: `${category?.key} ${quantity}`,
  category,
  quantity,
  ...(ticketType !== undefined && { ticketType }),
})

describe('a cart', () => {
  it('costs its tickets, its fees, and the tax on both', () => {
    const cart = priced([item(gold), item(gold, 1, 'child'), item(standing, 3)])
    expect(cart.lines.map(({ ticketType, amount }) => [ticketType.key, amount])).toEqual([
      ['adult', 80_000],
      ['child', 40_000],
      ['any', 0],
    ])
    expect(cart.fees).toEqual([
      { name: 'Booking fee', amount: 7_500 },
      { name: 'Postage', amount: 5_000 },
    ])
    expect(cart.total).toBe(132_500)
    // 132,500 × 15 / 115 = 17,282.6…
    expect(cart.tax).toEqual({ name: 'VAT', percent: 15, included: true, amount: 17_283 })
  })

  it('costs the tax more when it comes on top', () => {
    const tax = { name: 'VAT', percent: 15, included: false }
    const cart = priced([item(gold)], { ...list, tax })
    expect(cart.tax!.amount).toBe(12_975)
    expect(cart.total).toBe(80_000 + 1_500 + 5_000 + 12_975)
  })

  it('rounds half a minor unit up, once for the whole cart', () => {
    const tax = { name: 'VAT', percent: 50, included: false }
    const cents = { ...standing, ticket_types: [{ key: 'any', name: 'Any', amount: 1 }] }
    const cheap: PriceList = { ...list, categories: [cents], fees: [], tax }
    expect(priced([item(cents)], cheap).tax!.amount).toBe(1)
    expect(priced([item(cents), item(cents), item(cents)], cheap).tax!.amount).toBe(2)
    expect(priced([item(cents, 3)], cheap).total).toBe(5)
  })

  it('that is empty costs nothing, and has no fee', () => {
    expect(priced([])).toMatchObject({ lines: [], fees: [], total: 0, tax: { amount: 0 }, currency: 'ZAR' })
  })

  it('may be free: 0 is a price', () => {
    const free = { ...list, fees: [], tax: null }
    expect(priced([item(standing, 2)], free)).toMatchObject({ total: 0, tax: null, lines: [{ amount: 0 }] })
  })

  it('says what has no price, and which ticket is not known', () => {
    expect(priceCart(null, [item(gold), item(standing)])).toEqual({
      ok: false,
      problem: { kind: 'not_priced', holdIds: ['gold 1', 'standing 1'] },
    })
    expect(priceCart(list, [item(gold), item(null)])).toEqual({
      ok: false,
      problem: { kind: 'not_priced', holdIds: ['undefined 1'] },
    })
    expect(priceCart(list, [item(gold, 1, 'senior')])).toEqual({
      ok: false,
      problem: { kind: 'ticket_type_unknown', holdIds: ['gold 1'] },
    })
  })

  it('has no total that a number can not say exactly', () => {
    const dear = { ...gold, ticket_types: [{ key: 'a', name: 'A', amount: PRICE_LIMITS.amount }] }
    const bare = { ...list, fees: [], tax: null }
    expect(priced([item(dear, 900_000)], bare).total).toBe(9_000_000_000_000_000)
    expect(priceCart(bare, [item(dear, 1_000_000)])).toEqual({
      ok: false,
      problem: { kind: 'total_too_large' },
    })
  })
})

describe('whatever the prices', () => {
  const amount = fc.oneof(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: PRICE_LIMITS.amount }))
  const percent = fc.integer({ min: 0, max: 100_000 }).map(thousandths => thousandths / 1_000)
  const anyCart = fc.record({
    amounts: fc.array(fc.record({ amount, quantity: fc.integer({ min: 1, max: 500 }) }), { maxLength: 8 }),
    fees: fc.array(fc.record({ name: fc.constant('Fee'), amount, per: fc.constantFrom('ticket', 'order') }), {
      maxLength: 4,
    }),
    percent,
  })
  type AnyCart = typeof anyCart extends fc.Arbitrary<infer Value> ? Value : never
  const cartOf = ({ amounts, fees, percent: tax }: AnyCart, included: boolean | null) => {
    const items = amounts.map((one, index) => ({
      holdId: `${index}`,
      quantity: one.quantity,
      category: { ...gold, ticket_types: [{ key: 'a', name: 'A', amount: one.amount }] },
    }))
    return priced(items, {
      ...list,
      fees: fees as PriceList['fees'],
      tax: included === null ? null : { name: 'Tax', percent: tax, included },
    })
  }
  const sum = (parts: readonly { amount: number }[]) => parts.reduce((all, part) => all + part.amount, 0)
  const options = { seed: 20_261_116, numRuns: 2_000 }

  it('lines and fees and tax on top are the total, to the minor unit', () => {
    fc.assert(
      fc.property(anyCart, given => {
        const cart = cartOf(given, false)
        expect(sum(cart.lines) + sum(cart.fees) + cart.tax!.amount).toBe(cart.total)
      }),
      options,
    )
  })

  it('tax that is included never changes the total, and is less than it', () => {
    fc.assert(
      fc.property(anyCart, given => {
        const cart = cartOf(given, true)
        expect(cart.total).toBe(cartOf(given, null).total)
        expect(cart.total).toBe(sum(cart.lines) + sum(cart.fees))
        expect(cart.tax!.amount).toBeLessThanOrEqual(cart.total)
      }),
      options,
    )
  })

  it('the tax is at most half a minor unit off', () => {
    fc.assert(
      fc.property(anyCart, fc.boolean(), (given, included) => {
        const { tax, total } = cartOf(given, included)
        const thousandths = BigInt(Math.round(given.percent * 1_000))
        const net = BigInt(included ? total : total - tax!.amount)
        // Tax × whole − net × percent, in units of 1 / whole: between −½ and +½.
        const whole = included ? 100_000n + thousandths : 100_000n
        const off = 2n * (BigInt(tax!.amount) * whole - net * thousandths)
        expect(off > -whole && off <= whole).toBe(true)
      }),
      options,
    )
  })

  it('two carts in one have the same lines and tickets, and one fee an order', () => {
    fc.assert(
      fc.property(anyCart, anyCart, (a, b) => {
        const both = cartOf({ ...a, amounts: [...a.amounts, ...b.amounts] }, null)
        const apart = [cartOf(a, null), cartOf({ ...b, fees: a.fees }, null)]
        expect(sum(both.lines)).toBe(apart.reduce((all, cart) => all + sum(cart.lines), 0))
        expect(both.total).toBeLessThanOrEqual(apart[0]!.total + apart[1]!.total)
      }),
      options,
    )
  })
})

describe('the category of a place', () => {
  const place = { ownCategory: null, zoneId: PIT, pricingRuleId: null }

  it('is the seat’s own, else its zone’s in the list, else what the overlay names', () => {
    expect(categoryOf(list, { ...place, ownCategory: 'gold', pricingRuleId: 'standing' })).toBe(gold)
    expect(categoryOf(list, { ...place, pricingRuleId: 'gold' })).toBe(standing)
    expect(categoryOf(list, { ...place, zoneId: STALLS, pricingRuleId: 'gold' })).toBe(gold)
  })

  it('is none for a seat whose own category the list has not, whatever its zone costs', () => {
    expect(categoryOf(list, { ...place, ownCategory: 'silver' })).toBe(null)
  })

  it('is none without a word of layout, list or overlay, and for a rule of another platform', () => {
    expect(categoryOf(list, { ...place, zoneId: STALLS })).toBe(null)
    expect(categoryOf(list, { ...place, zoneId: STALLS, pricingRuleId: 'rule-17' })).toBe(null)
    expect(categoryOf(list, { ...place, zoneId: 'constructor' })).toBe(null)
  })
})

it('the lowest price is that of any ticket type; a list without categories has none', () => {
  expect(priceFrom(list)).toBe(0)
  expect(priceFrom({ ...list, categories: [gold] })).toBe(40_000)
  expect(priceFrom({ ...list, categories: [] })).toBe(null)
})

it('amounts have the minor digits that ISO gives their currency', () => {
  expect(['ZAR', 'EUR', 'JPY', 'KWD'].map(minorDigits)).toEqual([2, 2, 0, 3])
  // Shops round these to whole units, and so does Intl; payment networks do not.
  expect(['RSD', 'LBP', 'ALL'].map(minorDigits)).toEqual([2, 2, 2])
})
