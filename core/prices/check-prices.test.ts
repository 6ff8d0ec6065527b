import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_FAULTS } from '../layout/faults.ts'
import { checkPrices, type PriceListConfig } from './check-prices.ts'
import { HALL, PIT, PRICES, STALLS } from './fixtures/prices.ts'
import { PRICE_LIMITS } from './price-list.ts'

/** `path code` of every fault. */
function faultsOf(config: object, event = HALL): string[] {
  const checked = checkPrices({ ...PRICES, ...config } as PriceListConfig, event)
  return checked.ok ? [] : checked.problem.map(({ path, code }) => `${path} ${code}`)
}

const gold = PRICES.categories[0]!
const standing = PRICES.categories[1]!
const withGold = (change: object) => ({ categories: [{ ...gold, ...change }, standing] })
const withAdult = (change: object) => withGold({ ticket_types: [{ ...gold.ticket_types[0]!, ...change }] })
const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index))

describe('a price list', () => {
  it('is kept as it was sent, with what was left out emptied and ids and colours in small letters', () => {
    expect(checkPrices({ ...PRICES, zones: { [PIT.toUpperCase()]: 'standing' } }, HALL)).toEqual({
      ok: true,
      value: {
        ...PRICES,
        categories: [
          { ...gold, colour: '#7b3fa0' },
          { ...standing, colour: null },
        ],
      },
    })
    const least = { currency: 'JPY', categories: [] }
    expect(checkPrices(least, HALL)).toEqual({
      ok: true,
      value: { ...least, zones: {}, fees: [], tax: null, admission: {} },
    })
  })

  it('has a currency that people pay with', () => {
    for (const currency of ['ZAX', 'XAU', 'XXX', 'zar', 'DEM', '__proto__']) {
      expect(faultsOf({ currency })).toEqual(['/currency currency_unknown'])
    }
  })

  it('has every fault of it told at once', () => {
    expect(
      faultsOf({
        currency: 'ABC',
        categories: [
          { ...gold, name: ' ', colour: 'purple' },
          { ...gold, ticket_types: [] },
          { key: 'balcony', name: 'Balcony', ticket_types: [{ key: 'a', name: 'A', amount: -1 }] },
        ],
        zones: { [PIT]: 'standing', nowhere: 'gold' },
        fees: [{ name: 'Fee', amount: 0.5, per: 'head' }],
        tax: { name: 'VAT', percent: 101, included: true },
        admission: { silver: { days: ['2028-01-01'], entries_per_day: 0, reentry: true } },
      }),
    ).toEqual([
      '/currency currency_unknown',
      '/categories/0/name text_empty',
      '/categories/0/colour colour_invalid',
      '/categories/1/key duplicate_category',
      '/categories/1/ticket_types no_ticket_types',
      '/categories/2/ticket_types/0/amount amount_negative',
      `/zones/${PIT} unknown_category`,
      '/zones/nowhere unknown_zone',
      '/categories/2/key category_not_used',
      '/fees/0/amount amount_not_whole',
      '/fees/0/per fee_basis_unknown',
      '/tax/percent percent_out_of_range',
      '/admission/silver unknown_category',
      '/admission/silver/entries_per_day entries_out_of_range',
      '/admission/silver/days/0 unknown_day',
    ])
  })

  it.each([
    ['an amount that is no whole number', withAdult({ amount: 1.5 }), 'amount_not_whole'],
    ['an amount that is not a number', withAdult({ amount: Number.NaN }), 'amount_not_whole'],
    ['an amount below 0', withAdult({ amount: -1 }), 'amount_negative'],
    ['an amount too large', withAdult({ amount: PRICE_LIMITS.amount + 1 }), 'amount_too_large'],
    ['a long key', withAdult({ key: 'k'.repeat(101) }), 'text_too_long'],
    ['a long name', withAdult({ name: 'n'.repeat(201) }), 'text_too_long'],
    ['a long note', withAdult({ note: 'n'.repeat(201) }), 'text_too_long'],
    ['a note of two lines', withAdult({ note: 'up\nto 12' }), 'text_not_printable'],
    ['half a character', withGold({ name: 'Gold \ud800' }), 'text_not_printable'],
    [
      'a ticket type twice',
      withGold({ ticket_types: [gold.ticket_types[0], gold.ticket_types[0]] }),
      'duplicate_ticket_type',
    ],
    [
      'too many ticket types',
      withGold({ ticket_types: many(21, index => ({ key: `${index}`, name: 'A', amount: 1 })) }),
      'too_many_ticket_types',
    ],
    [
      'too many fees',
      { fees: many(11, index => ({ name: `Fee ${index}`, amount: 1, per: 'order' })) },
      'too_many_fees',
    ],
    ['a fee twice', { fees: [PRICES.fees[0], PRICES.fees[0]] }, 'duplicate_fee'],
    ['a fine percentage', { tax: { name: 'VAT', percent: 15.0001, included: true } }, 'percent_too_fine'],
    ['a tax without a name', { tax: { name: '', percent: 15, included: true } }, 'text_empty'],
    [
      'a zone twice, in other letters',
      { zones: { [PIT]: 'standing', [PIT.toUpperCase()]: 'standing' } },
      'duplicate_zone',
    ],
    [
      'no day of admission',
      { admission: { gold: { days: [], entries_per_day: 1, reentry: false } } },
      'no_days',
    ],
    [
      'a day twice',
      { admission: { gold: { days: ['2027-03-01', '2027-03-01'], entries_per_day: 1, reentry: false } } },
      'duplicate_day',
    ],
  ])('has a limit or a rule for %s', (_, config, code) => {
    expect(faultsOf(config).map(fault => fault.split(' ')[1])).toEqual([code])
  })

  it('allows what is on the limit', () => {
    expect(faultsOf(withAdult({ amount: PRICE_LIMITS.amount, key: 'k'.repeat(100) }))).toEqual([])
    expect(faultsOf({ tax: { name: 'VAT', percent: 8.875, included: false } })).toEqual([])
    expect(faultsOf({ tax: { name: 'VAT', percent: 14.55, included: false } })).toEqual([])
  })

  it('counts a category as used by the layout, by a zone of the list, or by a pricing rule of the overlay', () => {
    const zones = [{ zoneId: PIT, pricingRuleId: 'standing' }]
    expect(faultsOf({ zones: {} })).toEqual(['/categories/1/key category_not_used'])
    expect(faultsOf({ zones: {} }, { ...HALL, zones })).toEqual([])
    expect(faultsOf({}, { ...HALL, layoutCategories: [] })).toEqual(['/categories/0/key category_not_used'])
    const gilded = { zones: { ...PRICES.zones, [STALLS]: 'gold' } }
    expect(faultsOf(gilded, { ...HALL, layoutCategories: [] })).toEqual([])
  })

  it('may name any day while the event has none', () => {
    const admission = { gold: { days: ['2028-01-01'], entries_per_day: 1, reentry: false } }
    expect(faultsOf({ admission }, { ...HALL, days: [] })).toEqual([])
  })

  it('tells of a bounded number of faults, in bounded texts', () => {
    const zones = Object.fromEntries(many(3_000, index => [`${index}`.padStart(5_000, '/'), 'gold']))
    const checked = checkPrices({ ...PRICES, zones }, HALL)
    expect(checked.ok).toBe(false)
    if (checked.ok) return
    expect(checked.problem.length).toBe(MAX_FAULTS)
    expect(checked.problem.every(({ path, message }) => path.length < 200 && message.length < 300)).toBe(true)
  })

  it('is as good the second time, whatever was sent', () => {
    const text = fc.oneof(fc.constantFrom('gold', 'a', '', '~/'), fc.string({ unit: 'binary', maxLength: 3 }))
    const amount = fc.oneof(fc.integer({ min: -1, max: 9 }), fc.double())
    const config = fc.record({
      currency: fc.constantFrom('ZAR', 'JPY', 'QQQ'),
      categories: fc.array(
        fc.record({
          key: text,
          name: text,
          colour: fc.constantFrom(null, '#ABCDEF', 'red'),
          ticket_types: fc.array(fc.record({ key: text, name: text, amount }), { maxLength: 2 }),
        }),
        { maxLength: 2 },
      ),
      zones: fc.dictionary(fc.constantFrom(PIT, STALLS, PIT.toUpperCase(), '__proto__'), text, {
        maxKeys: 2,
      }),
      fees: fc.array(fc.record({ name: text, amount, per: fc.constantFrom('ticket', 'order') }), {
        maxLength: 2,
      }),
      tax: fc.option(fc.record({ name: text, percent: fc.double(), included: fc.boolean() })),
    })
    fc.assert(
      fc.property(config, given => {
        const checked = checkPrices(given as PriceListConfig, HALL)
        if (checked.ok) expect(checkPrices(checked.value, HALL)).toEqual(checked)
        else expect(checked.problem.length).toBeGreaterThan(0)
      }),
      { seed: 20_261_116, numRuns: 200 },
    )
  })
})
