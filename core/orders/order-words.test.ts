import { expect, it } from 'vitest'
import { MAX_WORDS, type OrderFacts, searchTermsOf, wordsOfOrder } from './order-words.ts'

const BOTHA: OrderFacts = {
  number: 'G324D-HHSXF',
  reference: 'shop-2027-0042',
  name: 'Piéter Botha',
  email: 'J.PBotha@mweb.co.za',
  phone: '+27 82 555 0147',
  places: [
    { zone: 'Balcony', row: 'D', seat: 11, attendee: 'Zoë van Wyk' },
    { zone: 'Box seats', row: 'Box L1', seat: 3, attendee: null },
    { zone: 'Standing', row: null, seat: null, attendee: null },
  ],
}

function finds(query: string, facts: Partial<OrderFacts> = {}): boolean {
  const words = wordsOfOrder({ ...BOTHA, ...facts })
  const terms = searchTermsOf(query)
  const has = (low: string, high: string) => words.some(word => word >= low && word < high)
  return terms.length > 0 && terms.every(term => term.some(({ low, high }) => has(low, high)))
}

it.each([
  [
    'a name, whatever its case and its accents',
    ['Botha', 'pieter BOTHA', 'both', 'PIÉTER', 'zoe', 'Wyk van'],
  ],
  ['any part of an address', ['pbotha', 'otha', 'mweb', 'botha@mweb.co.za', 'j.pbotha@mweb.c', 'mweb.co.za']],
  [
    'a telephone number, however it is written',
    [
      ...['0825550147', '082 555 0147', '+27 82 555 0147', '(082) 555-0147', '27825550147'],
      ...['555 0147', '0147', '082555', '082'],
    ],
  ],
  [
    'a seat',
    [
      'D-11',
      'd 11',
      'D11',
      'Balcony D 11',
      'row D seat 11',
      'Ry D, sitplek 11',
      'L1-3',
      'box l1 3',
      'Box L1-3',
    ],
  ],
  ['an order number, and a reference', ['G324D-HHSXF', 'g324', 'hhsxf', 'shop-2027-0042', 'SHOP 2027']],
  ['words of any kind together', ['Botha, D-11', 'd-11 mweb pieter', 'G324D Balcony 0147']],
])('an order is found by %s', (_, queries) => {
  for (const query of queries) expect(finds(query), query).toBe(true)
})

it('an order is not found by what it has not', () => {
  const others = [
    'Bothma',
    'D-1',
    'D-111',
    'E 11',
    'Botha D-12',
    '0825550148',
    'za',
    '-',
    '  ',
    'pieter gmail',
  ]
  for (const query of others) expect(finds(query), query).toBe(false)
  expect(finds('D-11', { places: [] })).toBe(false)
})

it('letters of any language are words', () => {
  expect(finds('ΑΘΗΝΑ', { name: 'Αθηνά' })).toBe(true)
  expect(finds('李', { name: '李 小龙' })).toBe(true)
})

it('the words of an order, and of a search, are bounded', () => {
  const places = Array.from({ length: 3_000 }, (_, n) => ({
    ...{ zone: 'Hall', row: `R${n}`, seat: n, attendee: `Guest${n}` },
  }))
  const words = wordsOfOrder({ ...BOTHA, name: 'x'.repeat(200), places })
  expect(words).toHaveLength(MAX_WORDS)
  expect(Math.max(...words.map(word => word.length))).toBe(40)
  expect(finds('x'.repeat(200), { name: 'x'.repeat(200) })).toBe(true)
  expect(searchTermsOf('a b c d e f g h i j k l')).toHaveLength(8)
})
