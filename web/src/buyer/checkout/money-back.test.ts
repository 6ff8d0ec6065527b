import { expect, it } from 'vitest'
import { moneyBackOf } from './money-back.ts'

type Order = Parameters<typeof moneyBackOf>[0]
const DAY = '2027-03-01T10:00:00.000Z'
const order = (total: number | null, method: string, refunds: object[]): Order =>
  ({
    total,
    payments: [{ method }],
    refunds: refunds.map(refund => ({ created_at: DAY, ...refund })),
  }) as unknown as Order
const part = { amount: 100, status: 'done' }

it.each<[string, Order, object]>([
  ['free tickets', order(0, 'gateway', []), { kind: 'free' }],
  ['money that the seller counts elsewhere', order(null, 'external', []), { kind: 'elsewhere' }],
  ['an organizer who has not begun', order(500, 'gateway', []), { kind: 'awaited' }],
  [
    'all of it, on its way to a card',
    order(500, 'gateway', [{ amount: 500, status: 'pending' }]),
    { kind: 'begun', amount: 500, isAll: true, isToCard: true, begunAt: DAY, by: '2027-03-15T10:00:00.000Z' },
  ],
  [
    'parts, the last of them later',
    order(500, 'gateway', [part, { ...part, created_at: '2027-03-02T10:00:00.000Z' }]),
    {
      ...{ kind: 'done', amount: 200, isAll: false, isToCard: true },
      ...{ begunAt: '2027-03-02T10:00:00.000Z', by: '2027-03-16T10:00:00.000Z' },
    },
  ],
  [
    'what a bank did not take',
    order(500, 'gateway', [part, { amount: 400, status: 'failed' }]),
    { kind: 'failed', amount: 500, isAll: true, isToCard: true, begunAt: DAY, by: null },
  ],
  [
    'cash',
    order(500, 'cash', [{ amount: 500, status: 'done' }]),
    { kind: 'done', amount: 500, isAll: true, isToCard: false, begunAt: DAY, by: null },
  ],
])('says of %s how much goes back, to where and by when', (_, given, said) => {
  expect(moneyBackOf(given)).toEqual(said)
})
