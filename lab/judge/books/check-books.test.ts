import { describe, expect, it } from 'vitest'
import type { Books, Heard, HeardScan } from './books.ts'
import { checkBooks } from './check-books.ts'
import { countWays } from './ways.ts'

type Row<Name extends keyof Books> = Books[Name][number]

const intent: Row<'intents'> = {
  ...{ id: 'i1', order: 'o1', amount: 250, currency: 'ZAR', status: 'captured', refunded: 0 },
}
const order: Row<'orders'> = {
  ...{ id: 'o1', event: 'e1', user: 'u1', status: 'paid', currency: 'ZAR', total: 250, reference: null },
  ...{ soldBy: null, lateStep: null, isCheckout: true, holds: ['h1', 'h2'] },
}
const payment: Row<'payments'> = {
  ...{ id: 'p1', order: 'o1', method: 'gateway', status: 'captured', amount: 250, refunded: 0 },
  ...{ intent: 'i1', recordedBy: null },
}
const lines: Row<'lines'>[] = [
  { order: 'o1', ticket: 't1', amount: 100, refund: null },
  { order: 'o1', ticket: 't2', amount: 120, refund: null },
]
const ticket = (n: number, change: Partial<Row<'tickets'>> = {}): Row<'tickets'> => ({
  ...{
    id: `t${n}`,
    event: 'e1',
    user: 'u1',
    hold: `h${n}`,
    order: 'o1',
    ordinal: n,
    zone: 0,
    issuedAt: 0,
    voidedAt: null,
  },
  ...change,
})
const hold = (n: number, change: Partial<Row<'holds'>> = {}): Row<'holds'> => ({
  ...{ id: `h${n}`, event: 'e1', user: 'u1', ordinal: n, zone: 0, quantity: 1, status: 'converted' },
  ...{ heldUntil: 2_000, endedAt: 1_000 },
  ...change,
})
const entry: Row<'entries'> = {
  ...{ id: 'n1', ticket: 't1', day: '2027-03-01', direction: 'in', at: 5_000, recordedAt: 5_001, perDay: 1 },
  ...{ reentry: false, device: 'north', scan: 's1', conflict: null },
}
const news: Row<'news'> = { id: 'g1', message: 'g1', state: 'done' }

/** Two seats for 100 and 120 and a fee of 30, paid with one card; the first of them has been let in. */
const SOUND: Books = {
  intents: [intent],
  gatewayRefunds: [],
  news: [news],
  orders: [order],
  payments: [payment],
  refunds: [],
  lines,
  tickets: [ticket(1), ticket(2)],
  moves: [],
  holds: [hold(1), hold(2)],
  entries: [entry],
  zones: [{ event: 'e1', zone: 0, capacity: 10 }],
}

const said = (change: Partial<Heard>): Heard => ({
  ...{
    kind: 'pay',
    node: 0,
    user: 'u1',
    event: 'e1',
    from: 10,
    to: 20,
    outcome: 'ok',
    status: 200,
    order: 'o1',
  },
  ...change,
})
const PAID = said({ card: 'good', orderStatus: 'paid' })
const scan = (change: Partial<HeardScan> = {}): HeardScan => ({
  ...{ ticket: 't1', device: 'north', scan: 's1', result: 'admitted', code: null, entry: 'n1' },
  ...change,
})

function found(change: Partial<Books>, heard: readonly Heard[] = [PAID]): string[] {
  const { all } = checkBooks({ ...SOUND, ...change }, heard)
  return all.map(({ violation }) => `${violation.invariant}: ${violation.rule}`)
}

/** The first ticket went back: its 100, and the fee stays. */
const PART: Partial<Books> = {
  intents: [{ ...intent, refunded: 100 }],
  gatewayRefunds: [{ key: 'r1', intent: 'i1', amount: 100 }],
  orders: [{ ...order, status: 'partly_refunded' }],
  payments: [{ ...payment, refunded: 100 }],
  refunds: [{ id: 'r1', order: 'o1', amount: 100, status: 'done', key: 'r1', byHand: false, byChoice: 0 }],
  lines: [{ ...lines[0]!, refund: 'r1' }, lines[1]!],
  tickets: [ticket(1, { voidedAt: 6_000 }), ticket(2)],
}
/** The gateway did not give it back, so staff did. */
const BY_HAND: Partial<Books> = {
  ...PART,
  intents: [intent],
  gatewayRefunds: [],
  refunds: PART.refunds!.map(refund => ({ ...refund, byHand: true })),
}
/** Staff kept 40 of the first ticket, and gave 10 for the second, which stays. */
const BY_CHOICE: Partial<Books> = {
  ...PART,
  intents: [{ ...intent, refunded: 70 }],
  gatewayRefunds: [
    { key: 'r1', intent: 'i1', amount: 60 },
    { key: 'r2', intent: 'i1', amount: 10 },
  ],
  payments: [{ ...payment, refunded: 70 }],
  refunds: [
    { id: 'r1', order: 'o1', amount: 60, status: 'done', key: 'r1', byHand: false, byChoice: -40 },
    { id: 'r2', order: 'o1', amount: 10, status: 'done', key: 'r2', byHand: false, byChoice: 10 },
  ],
}
/** All of the money went back with the first ticket; the second was free, and stays. */
const FREE_STAYS: Partial<Books> = {
  ...PART,
  intents: [{ ...intent, refunded: 250 }],
  gatewayRefunds: [{ key: 'r1', intent: 'i1', amount: 250 }],
  payments: [{ ...payment, refunded: 250 }],
  refunds: PART.refunds!.map(refund => ({ ...refund, amount: 250 })),
  lines: [
    { ...lines[0]!, amount: 250, refund: 'r1' },
    { ...lines[1]!, amount: 0 },
  ],
}
const TAKEN_BACK = said({ kind: 'refund', user: 'staff', tickets: ['t1'], from: 30, to: 40 })

/** The second ticket went to the third seat. */
const MOVED: Partial<Books> = {
  tickets: [ticket(1), ticket(2, { voidedAt: 4_000 }), ticket(3)],
  holds: [hold(1), hold(2), hold(3)],
  lines: [lines[0]!, { ...lines[1]!, ticket: 't3' }],
  moves: [{ order: 'o1', from: 't2', to: 't3', at: 4_000 }],
}
/** By a gate without a network, before the move; it became known afterwards. */
const UPLOADED: Row<'entries'> = { ...entry, ticket: 't2', at: 3_000, recordedAt: 5_000 }
const MOVE = said({
  ...{
    kind: 'move',
    user: 'staff',
    tickets: ['t2'],
    moves: [{ ticket: 't2', ordinal: 3 }],
    from: 30,
    to: 40,
  },
})

/** All of the money came too late, and went back. */
const LATE: Partial<Books> = {
  intents: [{ ...intent, refunded: 250 }],
  gatewayRefunds: [{ key: 'o1', intent: 'i1', amount: 250 }],
  orders: [{ ...order, status: 'refunded', lateStep: 'refund' }],
  payments: [{ ...payment, status: 'refunded', refunded: 250 }],
  refunds: [{ id: 'r1', order: 'o1', amount: 250, status: 'done', key: 'o1', byHand: false, byChoice: 0 }],
  ...{ lines: [], tickets: [], holds: [], entries: [] },
}
const PENDING = said({ card: 'late', orderStatus: 'paying' })

const NEVER: Partial<Books> = {
  ...{ intents: [], payments: [], lines: [], tickets: [], holds: [], entries: [] },
  orders: [{ ...order, status: 'expired' }],
}

/** The buyer wanted another cart. */
const MADE_WAY: Partial<Books> = {
  ...{ lines: [], tickets: [], holds: [], entries: [] },
  intents: [{ ...intent, status: 'declined' }],
  orders: [{ ...order, status: 'cancelled' }],
  payments: [{ ...payment, status: 'declined' }],
}
const REPLACED = said({ kind: 'replace', orderStatus: 'cancelled' })
const LOST = said({ card: 'good', outcome: 'unknown', status: 0 })
const LATE_AND_BACK: Partial<Books> = {
  ...LATE,
  orders: [{ ...order, status: 'refunded', lateStep: 'refund' }],
}

describe('books that are sound', () => {
  it.each([
    ['paid', {}, [PAID]],
    ['taken back in part', PART, [PAID, TAKEN_BACK]],
    ['taken back in part, by hand', BY_HAND, [PAID, TAKEN_BACK]],
    ['taken back, but for a free ticket', FREE_STAYS, [PAID, TAKEN_BACK]],
    ['moved to another seat', MOVED, [PAID, MOVE]],
    ['moved, says no answer', MOVED, [PAID, { ...MOVE, outcome: 'unknown' }]],
    ['moved, before it was known that it let someone in', { ...MOVED, entries: [UPLOADED] }, [PAID, MOVE]],
    [
      'moved, before it was known that both let someone in',
      { ...MOVED, entries: [UPLOADED, { ...entry, id: 'n2', ticket: 't3', conflict: 'already_entered' }] },
      [PAID, MOVE],
    ],
    ['late, and given back', LATE, [PENDING]],
    ['never paid for', NEVER, []],
    ['declined, and made way for another', MADE_WAY, [REPLACED]],
    ['whose lost payment came later, and went back', LATE_AND_BACK, [LOST, REPLACED]],
  ] as const)('%s', (_, books, heard) => expect(found(books, heard)).toEqual([]))
})

const RULES: readonly (readonly [string, Partial<Books>, (readonly Heard[])?])[] = [
  [
    '15: the gateway takes money for orders that there are',
    { intents: [intent, { ...intent, id: 'i2', order: 'o2' }] },
  ],
  ['21: the gateway is asked for what the order costs', { intents: [{ ...intent, currency: 'EUR' }] }],
  ['15: an order is charged once', { intents: [intent, { ...intent, id: 'i2' }] }],
  ['15: no more goes back than was taken', { ...PART, intents: [intent] }],
  ['15: money that the gateway has taken is in the books', { ...NEVER, intents: [intent] }],
  ['15: no money without tickets or a refund', { ...LATE, intents: [intent], gatewayRefunds: [] }],
  [
    '21: no money is in the books that the gateway has not taken',
    { intents: [{ ...intent, status: 'declined' }] },
  ],
  [
    '15: the gateway gives back what the books say, once',
    {
      ...PART,
      intents: [{ ...intent, refunded: 200 }],
      gatewayRefunds: [
        { key: 'r1', intent: 'i1', amount: 100 },
        { key: 'r2', intent: 'i1', amount: 100 },
      ],
    },
  ],
  [
    '15: the gateway gives back what the books say, once',
    { ...BY_HAND, intents: [{ ...intent, refunded: 100 }], gatewayRefunds: PART.gatewayRefunds! },
  ],
  ['21: a payment has gone back as far as its refunds say', { ...PART, payments: [payment] }],
  [
    '21: no more goes back than was taken',
    { ...PART, refunds: PART.refunds!.map(refund => ({ ...refund, amount: 300, byChoice: 200 })) },
  ],
  [
    '21: captures less refunds are what valid tickets cost, and the fees that are kept',
    { ...BY_CHOICE, refunds: BY_CHOICE.refunds!.map(refund => ({ ...refund, byChoice: 0 })) },
  ],
  [
    '21: captures less refunds are what valid tickets cost, and the fees that are kept',
    { ...PART, lines: [{ ...lines[0]!, refund: 'r1', amount: 90 }, lines[1]!] },
  ],
  [
    '21: no ticket whose money went back',
    { intents: [{ ...intent, refunded: 250 }], gatewayRefunds: [{ key: 'o1', intent: 'i1', amount: 250 }] },
  ],
  ['21: no ticket without money, a price of 0, or a named member of staff', { intents: [], payments: [] }],
  [
    '21: no ticket without money, a price of 0, or a named member of staff',
    { intents: [], orders: [{ ...order, isCheckout: false }], payments: [{ ...payment, method: 'cash' }] },
  ],
  ['15: an order says what became of its money', { orders: [{ ...order, status: 'expired' }] }],
  ['15: an order says what became of its money', { ...NEVER, orders: [order] }],
  ['15: no order stays open', { ...NEVER, orders: [{ ...order, status: 'paying' }] }],
  [
    '15: no payment stays unknown',
    { ...NEVER, payments: [{ ...payment, status: 'unknown' }], intents: [{ ...intent, status: 'declined' }] },
  ],
  [
    '15: every refund is done',
    {
      ...PART,
      refunds: [
        { id: 'r1', order: 'o1', amount: 100, status: 'failed', key: 'r1', byHand: false, byChoice: 0 },
      ],
    },
  ],
  ['15: a message of the gateway is kept once', { news: [news, { ...news, id: 'g2' }] }],
  ['15: every message of the gateway is taken', { news: [{ ...news, state: 'given_up' }] }],
  [
    '3: a ticket comes from one converted hold of its buyer, event and seat',
    { holds: [hold(1), hold(2, { user: 'u2' })] },
  ],
  [
    '3: a ticket comes from one converted hold of its buyer, event and seat',
    { holds: [hold(1), hold(2, { ordinal: 7 })] },
  ],
  ['3: a ticket comes from one converted hold of its buyer, event and seat', { holds: [hold(1)] }],
  [
    '3: a ticket belongs to an order of its buyer and event',
    { tickets: [ticket(1), ticket(2, { order: 'o9' })] },
  ],
  [
    '3: a ticket has one line',
    { tickets: [ticket(1), ticket(2), ticket(3)], holds: [hold(1), hold(2), hold(3)] },
  ],
  ['21: a ticket is void when its line went back', { tickets: [ticket(1, { voidedAt: 1 }), ticket(2)] }],
  ['3: a hold that is sold has a ticket for each place', { holds: [hold(1), hold(2, { quantity: 2 })] }],
  ['6: nothing is sold on a hold that has run out', { holds: [hold(1), hold(2, { endedAt: 2_001 })] }],
  [
    '1: no seat is sold twice',
    { tickets: [ticket(1), ticket(2, { ordinal: 1 })], holds: [hold(1), hold(2, { ordinal: 1 })] },
  ],
  ['5: no more tickets than a zone has places', { zones: [{ event: 'e1', zone: 0, capacity: 1 }] }],
  ['9: an order that was answered is there', {}, [PAID, said({ order: 'o2', orderStatus: 'paid' })]],
  ['13: an order opens to its buyer alone', {}, [PAID, said({ user: 'u2', kind: 'read' })]],
  [
    '9: an answer says what is in the books',
    {},
    [PAID, said({ kind: 'read', orderStatus: 'paying', isAfterQuiet: true })],
  ],
  ['9: an order that was paid stays paid', NEVER, [PAID]],
  ['9: an order that was paid has tickets', LATE, [PAID]],
  [
    '15: a buyer who was told of a refund has the money',
    {},
    [PAID, said({ kind: 'read', orderStatus: 'refunded' })],
  ],
  [
    '15: a checkout that was cancelled is not sold',
    {},
    [PAID, said({ kind: 'cancel', orderStatus: 'cancelled' })],
  ],
  [
    '15: no money is kept of what was cancelled',
    {},
    [PAID, said({ kind: 'cancel', orderStatus: 'cancelled' })],
  ],
  ['9: tickets are taken back by staff alone', PART, [PAID]],
  ['9: a ticket that staff took back is void', {}, [PAID, TAKEN_BACK]],
  [
    '3: a ticket that was moved is void and has no line',
    { ...MOVED, tickets: [ticket(1), ticket(2), ticket(3)] },
    [PAID, MOVE],
  ],
  ['3: a ticket that was moved is void and has no line', { ...MOVED, lines }, [PAID, MOVE]],
  [
    '3: a ticket is moved once, to a seat of the same price, in its order',
    { ...MOVED, moves: [...MOVED.moves!, { order: 'o1', from: 't2', to: 't1', at: 4_000 }] },
    [PAID, MOVE],
  ],
  [
    '3: a ticket is moved once, to a seat of the same price, in its order',
    { ...MOVED, moves: [{ order: 'o2', from: 't2', to: 't3', at: 4_000 }] },
    [PAID, MOVE],
  ],
  ['9: tickets that were moved are where staff were told', {}, [PAID, MOVE]],
  ['9: a ticket that staff took back is void', {}, [PAID, MOVE]],
  [
    '9: all tickets of a move go, or none',
    MOVED,
    [
      PAID,
      {
        ...{ ...MOVE, outcome: 'unknown' },
        moves: [
          { ticket: 't1', ordinal: 9 },
          { ticket: 't2', ordinal: 3 },
        ],
      },
    ],
  ],
  ['9: tickets move as staff asked', MOVED, [PAID]],
  [
    '22: a ticket that let someone in is not moved',
    { ...MOVED, entries: [{ ...entry, ticket: 't2', recordedAt: 3_999 }] },
  ],
  [
    '22: a ticket is admitted as often as its admission says',
    { ...MOVED, entries: [UPLOADED, { ...entry, id: 'n2', ticket: 't3' }] },
    [PAID, MOVE],
  ],
  [
    '22: gates let a ticket in as often as its admission says',
    { ...MOVED, entries: [{ ...UPLOADED, ticket: 't3' }] },
    [
      PAID,
      said({ kind: 'scan', scans: [scan({ ticket: 't2' })], from: 10, to: 20 }),
      MOVE,
      said({ kind: 'scan', scans: [scan({ ticket: 't3', scan: 's2' })], from: 50, to: 60 }),
    ],
  ],
  ['15: an order that made way for another takes no money', LATE_AND_BACK, [REPLACED]],
  [
    '15: an order that made way for another takes no money',
    LATE_AND_BACK,
    [said({ kind: 'open', order: 'o2', replaces: 'o1' })],
  ],
  ['21: no other total is charged than the one that the buyer saw', {}, [{ ...PAID, total: 200 }]],
  [
    '22: no void ticket is admitted',
    { ...MOVED, entries: [{ ...entry, ticket: 't2' }] },
    [PAID, MOVE, said({ kind: 'scan', from: 50, to: 60, scans: [scan({ ticket: 't2' })] })],
  ],
  ['9: a ticket that was shown is there', {}, [PAID, said({ kind: 'order', tickets: ['t9'] })]],
  ['9: no request fails inside', {}, [PAID, said({ outcome: 'refused', status: 500 })]],
  [
    '15: a card that is declined takes no money',
    {},
    [said({ card: 'declined', isDeclined: true, orderStatus: 'open' })],
  ],
  [
    '15: no money is taken by a payment that was answered with declined',
    {},
    [said({ card: 'late', isDeclined: true, orderStatus: 'open' })],
  ],
  [
    '15: an order does not expire while the gateway decides',
    LATE,
    [PENDING, said({ kind: 'read', orderStatus: 'expired' })],
  ],
  ['15: declined is said when the gateway has said it', {}, [said({ card: 'good', isDeclined: true }), PAID]],
  [
    '15: a reference is one order',
    { orders: [order, { ...order, id: 'o2', status: 'expired' }] },
    [PAID, ...['o1', 'o2'].map(id => said({ kind: 'external', reference: 'shop-1', order: id }))],
  ],
  [
    '22: a ticket is admitted as often as its admission says',
    { entries: [entry, { ...entry, id: 'n2', scan: 's2' }] },
  ],
  ['22: an entry is not older than its ticket', { tickets: [ticket(1, { issuedAt: 906_000 }), ticket(2)] }],
  ['22: an entry is of a ticket', { entries: [{ ...entry, ticket: 't9' }] }],
  [
    '9: a person who was let in is in the list of entries',
    { entries: [] },
    [PAID, said({ kind: 'scan', scans: [scan()] })],
  ],
  [
    '22: gates let a ticket in as often as its admission says',
    {},
    [
      PAID,
      said({ kind: 'scan', scans: [scan()] }),
      said({ kind: 'scan', scans: [scan({ device: 'south', scan: 's2' })] }),
    ],
  ],
  [
    '10: a scan that is sent again is answered as it was',
    {},
    [
      PAID,
      said({ kind: 'scan', from: 10, to: 20, scans: [scan()] }),
      said({ kind: 'scan', from: 50, to: 60, scans: [scan({ result: 'refused', entry: null })] }),
    ],
  ],
  [
    '22: no void ticket is admitted',
    PART,
    [PAID, TAKEN_BACK, said({ kind: 'scan', from: 50, to: 60, scans: [scan()] })],
  ],
]

describe('books that are not', () => {
  it.each(RULES.map(([rule, books, heard]) => [rule, { books, heard }] as const))(
    '%s',
    (rule, { books, heard }) => expect(found(books, heard)).toContain(rule),
  )
})

it('a scan that is repeated, and one of a gate without a network that was wrong, are no violation', () => {
  const again = said({ kind: 'scan', from: 50, to: 60, scans: [scan()] })
  expect(found(PART, [PAID, said({ kind: 'scan', scans: [scan()] }), TAKEN_BACK, again])).toEqual([])
  const wrong = { ...entry, id: 'n2', scan: 's2', conflict: 'already_entered' }
  expect(found({ entries: [entry, wrong] })).toEqual([])
})

it('counts how many went each way', () => {
  const second = { ...SOUND, ...NEVER, orders: [...SOUND.orders, { ...order, id: 'o2', status: 'expired' }] }
  const { ways, checkouts } = countWays({ ...SOUND, orders: second.orders }, [PAID])
  expect([checkouts, [...ways]]).toEqual([
    2,
    [
      ['paid at once', 1],
      ['never paid for, expired', 1],
    ],
  ])
})
