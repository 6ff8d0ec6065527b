import { describe, expect, it } from 'vitest'
import { type ReadinessFacts, readinessOf } from './readiness.ts'

const DAY = 86_400_000
const NOW = Date.parse('2027-02-01T10:00:00Z')
const ready: ReadinessFacts = {
  now: NOW,
  startsAt: NOW + 28 * DAY,
  lastStart: NOW + 28 * DAY,
  endsAt: NOW + 28 * DAY + 7_200_000,
  saleStart: null,
  saleEnd: null,
  places: 630,
  prices: { isThere: true, unpriced: { places: 0, zones: [] }, fault: null },
  gateway: 'stripe',
  sendsMails: true,
  contact: 'help@example.org',
  timeZone: 'Africa/Johannesburg',
  layoutFault: null,
}
/** The points that are not right, as `check state reason`. */
const wrong = (facts: Partial<ReadinessFacts>) =>
  readinessOf({ ...ready, ...facts })
    .filter(({ state }) => state !== 'right')
    .map(({ check, state, reason }) => `${check} ${state} ${reason}`)

describe('what an organizer knows before an event is published', () => {
  it('an event with all of it is right in each point', () => {
    expect(wrong({})).toEqual([])
    expect(readinessOf(ready).map(({ check }) => check)).toEqual([
      ...[
        'date',
        'end',
        'sales_open',
        'sales_close',
        'prices',
        'payments',
        'mail',
        'contact',
        'time_zone',
        'layout',
      ],
    ])
  })

  it.each<[string, Partial<ReadinessFacts>, string[]]>([
    ['no date', { startsAt: null, lastStart: null }, ['date stops no_date']],
    ['a start in the past', { startsAt: NOW - DAY, lastStart: NOW - DAY }, ['date stops in_past']],
    ['a start that is this moment', { startsAt: NOW, lastStart: NOW }, ['date stops in_past']],
    ['a first day in the past and a last one to come', { startsAt: NOW - DAY }, []],
    ['no end', { endsAt: null }, ['end warns no_end']],
    ['sales that closed', { saleEnd: NOW - DAY }, ['sales_close stops closed']],
    [
      'sales that open when they close',
      { saleStart: NOW + 28 * DAY },
      ['sales_open stops opens_after_close'],
    ],
    ['sales that open later', { saleStart: NOW + DAY }, []],
    [
      'no prices',
      { prices: { ...ready.prices, isThere: false, unpriced: { places: 630, zones: ['Stalls'] } } },
      ['prices warns no_prices'],
    ],
    [
      'places without a price',
      { prices: { ...ready.prices, unpriced: { places: 4, zones: ['Box R3'] } } },
      ['prices warns unpriced'],
    ],
    [
      'an amount that the gateway does not take',
      { prices: { ...ready.prices, fault: 'Odd.' } },
      ['prices warns not_payable'],
    ],
    ['no gateway', { gateway: null }, ['payments warns no_gateway']],
    ['play money', { gateway: 'simulator' }, ['payments warns simulated']],
    ['no mail server', { sendsMails: false }, ['mail warns no_mail_server']],
    ['no contact', { contact: null }, ['contact warns no_contact']],
    ['clocks that were never chosen', { timeZone: 'UTC' }, ['time_zone warns utc']],
    ['a layout that the policy forbids', { layoutFault: 'No.' }, ['layout stops not_sellable']],
  ])('%s', (_, facts, expected) => {
    expect(wrong(facts)).toEqual(expected)
  })
})
