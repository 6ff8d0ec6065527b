import { expect, it } from 'vitest'
import { createFormat } from '../../kit/words/format.ts'
import { consoleEn } from '../kit/words/en.ts'
import { type AuditEntry, historyOf, type Order } from './order-history.ts'

const order = {
  created_at: '2027-03-01T10:00:00.000Z',
  sold_by_name: 'annelie@karoo.example',
  payments: [{ method: 'cash', status: 'captured', amount: 50_000, refunded_amount: 0 }],
  refunds: [
    {
      ...{ refund_id: 'r1', amount: 12_500, status: 'done', reason: 'No view', by_hand: true },
      ...{ asked_amount: null, told: null, given_up: false, created_at: '2027-03-01T12:00:00.000Z' },
    },
  ],
  refunded_at_gateway: [],
  disputes: [],
} as unknown as Order
const entry = (id: string, action: string, changes: object, name: string | null = 'thabo@karoo.example') =>
  ({ id, action, changes, user_name: name, at: `2027-03-01T1${id}:00:00.000Z` }) as unknown as AuditEntry
const audit = [
  entry('1', 'order_moved', { moves: [{ from: 'Stalls A-9', to: 'Stalls D-11' }], reason: 'his wife' }),
  entry('2', 'order_refunded', { refund_id: 'r1' }),
  entry('3', 'order_contact_changed', {
    ...{ by: 'staff', reissued: 2, before: { email: 'a@x.org', phone: null } },
    after: { email: 'b@x.org', phone: '082' },
  }),
  entry('4', 'order_contact_changed', { by: 'buyer', reissued: 0 }, 'pieter@x.org'),
  entry('5', 'order_sold', {}),
]

it('the history of an order says who did what, newest first', () => {
  const told = historyOf(
    { order, mails: [], audit },
    consoleEn(createFormat('en')),
    cents => `R ${cents! / 100}`,
  )
  expect(told.map(({ title, note }) => [title, note])).toEqual([
    ['Contact changed', 'by the buyer'],
    [
      'Email address a@x.org → b@x.org, Telephone none → 082',
      'by thabo@karoo.example · 2 tickets issued again',
    ],
    ['Refunded R 125', 'by thabo@karoo.example · “No view”'],
    ['Moved Stalls A-9 → Stalls D-11', 'by thabo@karoo.example · “his wife”'],
    ['Ordered', 'Sold by annelie@karoo.example'],
    ['Received R 500', 'Cash'],
  ])
})
