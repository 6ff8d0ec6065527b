import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PaymentId, RefundId, TicketId, UserId } from '../ids.ts'
import { applyOrder } from './apply-order.ts'
import { whatCapturedMeans } from './decide-checkout.ts'
import { decideOrder, type OrderCommand } from './decide-order.ts'
import type { Order, OrderChange } from './order.ts'

const SEED = 20_261_117
const TICKETS = [
  { ticketId: 't0' as TicketId, amount: 8_000 },
  { ticketId: 't1' as TicketId, amount: 4_000 },
]
/** With a fee of 500. */
const TOTAL = 12_500

type Step = 'pay' | News | 'cancel' | 'replace' | 'expire' | 'refund' | 'settle' | 'refund_fails' | OldNews
/** News of the attempt before the present one. */
type OldNews = 'settle_before' | 'refund_failed_before'
type News =
  | 'captured'
  | 'captured_gone'
  | 'declined'
  | 'declined_gone'
  | 'unknown'
  | 'step'
  | 'step_gone'
  | 'pending'

/** As the server does it: whether places can be sold is asked of the event, here said by the step. */
function commandOf(order: Order, step: Step, n: number): OrderCommand {
  const refundId = `r${n}` as RefundId
  switch (step) {
    case 'pay':
      return { kind: 'pay', paymentId: `p${n}` as PaymentId }
    case 'captured':
    case 'captured_gone': {
      const isSold = step === 'captured' && whatCapturedMeans(order) === 'sell'
      return { kind: 'captured', sold: isSold ? TICKETS : null, refundId }
    }
    case 'declined':
    case 'declined_gone':
      return { kind: 'declined', areHeld: step === 'declined' }
    case 'step':
    case 'step_gone':
      return { kind: 'waits', forBuyer: true, areHeld: step === 'step' }
    case 'pending':
      return { kind: 'waits', forBuyer: false, areHeld: true }
    case 'refund':
      return { kind: 'refund', refundId, ticketIds: null, by: 'dan' as UserId }
    case 'settle':
    case 'refund_fails':
    case 'settle_before':
    case 'refund_failed_before': {
      const { refundId: last, attempt: present } = order.refunds.at(-1) ?? {
        ...{ refundId: 'none' as RefundId, attempt: 0 },
      }
      const attempt = step.endsWith('_before') ? present - 1 : present
      const outcome = step.startsWith('settle') ? 'done' : 'failed'
      return { kind: 'refund_settled', refundId: last, attempt, outcome }
    }
    default:
      return { kind: step }
  }
}

function take(
  order: Order,
  step: Step,
  n = 0,
): { order: Order; changes: readonly OrderChange[]; code: string } {
  const decided = decideOrder(order, commandOf(order, step, n))
  if (!decided.ok) return { order, changes: [], code: decided.problem.kind }
  return { order: decided.value.reduce(applyOrder, order), changes: decided.value, code: 'ok' }
}

function change(order: Order, command: OrderCommand): Order {
  const decided = decideOrder(order, command)
  return decided.ok ? decided.value.reduce(applyOrder, order) : order
}

const opened = applyOrder(null, { kind: 'opened', currency: 'ZAR', total: TOTAL })
const after = (...steps: Step[]) => steps.reduce((order, step, n) => take(order, step, n).order, opened)

/** Every status that a checkout can have, with every state of its payment. */
const STATES: Readonly<Record<string, Order>> = {
  open: opened,
  'open, declined': after('pay', 'declined'),
  'paying, created': after('pay'),
  'paying, waits for the buyer': after('pay', 'step'),
  'paying, unknown': after('pay', 'unknown'),
  paid: after('pay', 'captured'),
  'refunded, on its way': after('pay', 'captured', 'refund'),
  'refunded, failed': after('pay', 'captured', 'refund', 'refund_fails'),
  refunded: after('pay', 'captured', 'refund', 'settle'),
  'not sold, on its way': after('pay', 'captured_gone'),
  'not sold, refunded': after('pay', 'captured_gone', 'settle'),
  'cancelled before payment': after('cancel'),
  'cancelled while unknown': after('pay', 'unknown', 'cancel'),
  'cancelled, declined': after('pay', 'unknown', 'cancel', 'declined_gone'),
  'expired before payment': after('expire'),
  'expired, declined': after('pay', 'declined_gone'),
  'expired, waits for the buyer': after('pay', 'step_gone'),
}
const STEPS: readonly Step[] = [
  ...([
    'pay',
    'captured',
    'captured_gone',
    'declined',
    'declined_gone',
    'unknown',
    'step',
    'step_gone',
  ] as const),
  ...(['pending', 'cancel', 'replace', 'expire', 'refund', 'settle', 'refund_fails'] as const),
  ...(['settle_before', 'refund_failed_before'] as const),
]

const told = ({ status, payments, lines }: Order) =>
  [status, payments[0]?.status ?? '–', lines.filter(line => line.refundId === null).length].join(' ')

describe('every status × every news', () => {
  it('leads where the table says', () => {
    const table = Object.fromEntries(
      Object.entries(STATES).map(([name, order]) => [
        name,
        Object.fromEntries(
          STEPS.flatMap(step => {
            const { order: next, code } = take(order, step, 9)
            const text = code === 'ok' ? told(next) : code
            return text === told(order) ? [] : [[step, text]]
          }),
        ),
      ]),
    )
    expect(table).toMatchSnapshot()
  })

  it.each([
    ['captured twice', ['pay', 'captured', 'captured'], 'paid captured 2'],
    ['declined after captured', ['pay', 'captured', 'declined'], 'paid captured 2'],
    ['unknown after captured', ['pay', 'captured', 'unknown'], 'paid captured 2'],
    ['captured after declined', ['pay', 'declined', 'captured'], 'paid captured 2'],
    [
      'captured after declined, the holds gone',
      ['pay', 'declined_gone', 'captured_gone'],
      'refunded refunding 0',
    ],
    ['captured after cancelled', ['pay', 'unknown', 'cancel', 'captured'], 'refunded refunding 0'],
    ['captured after expired, the seats free', ['pay', 'step_gone', 'captured'], 'paid captured 2'],
    [
      'captured after expired, the seats taken',
      ['pay', 'step_gone', 'captured_gone'],
      'refunded refunding 0',
    ],
    [
      'captured again after the refund',
      ['pay', 'captured', 'refund', 'settle', 'captured'],
      'refunded refunded 0',
    ],
    ['a time-out, then declined', ['pay', 'unknown', 'declined'], 'open declined 0'],
    ['a time-out does not expire', ['pay', 'unknown', 'expire'], 'paying unknown 0'],
    ['a payment that is decided does not expire', ['pay', 'pending', 'expire'], 'paying created 0'],
    ['another card', ['pay', 'declined', 'pay', 'captured'], 'paid captured 2'],
    ['pay while it is being paid', ['pay', 'unknown', 'pay'], 'paying unknown 0'],
    [
      'a refund that fails and is tried again',
      ['pay', 'captured', 'refund', 'refund_fails', 'settle'],
      'refunded refunded 0',
    ],
    [
      'a refund that came back from the bank',
      ['pay', 'captured', 'refund', 'settle', 'refund_fails'],
      'refunded refunding 0',
    ],
    [
      'a refund that came back, and is given again',
      ['pay', 'captured', 'refund', 'settle', 'refund_fails', 'settle'],
      'refunded refunded 0',
    ],
    [
      'the success of an attempt that failed, told late',
      ['pay', 'captured', 'refund', 'refund_fails', 'settle_before'],
      'refunded refunding 0',
    ],
  ] as const)('%s', (_, steps, text) => {
    expect(told(after(...steps))).toBe(text)
  })

  it('each attempt at a refund fails once, and the next has another name', () => {
    const attempts = (...steps: Step[]) => after('pay', 'captured', 'refund', ...steps).refunds[0]!
    expect(attempts()).toMatchObject({ status: 'pending', attempt: 0 })
    expect(attempts('refund_fails')).toMatchObject({ status: 'failed', attempt: 1 })
    expect(attempts('refund_fails', 'refund_failed_before')).toMatchObject({ status: 'failed', attempt: 1 })
    expect(attempts('refund_fails', 'refund_fails')).toMatchObject({ status: 'failed', attempt: 2 })
    const cameBack = ['settle', 'refund_fails'] as const
    expect(attempts(...cameBack)).toMatchObject({ status: 'failed', attempt: 1 })
    expect(attempts(...cameBack, 'refund_failed_before')).toMatchObject({ status: 'failed', attempt: 1 })
    expect(attempts(...cameBack, 'settle', 'refund_failed_before')).toMatchObject({
      status: 'done',
      attempt: 1,
    })
  })

  it('of two refunds, the one that came back is owed again, and the other stays', () => {
    const refund = (order: Order, n: number) => {
      const ticketIds = [TICKETS[n]!.ticketId]
      const command = {
        kind: 'refund',
        refundId: `r${n}` as RefundId,
        ticketIds,
        by: 'dan' as UserId,
      } as const
      return change(order, command)
    }
    const settle = (order: Order, refundId: string, outcome: 'done' | 'failed') =>
      change(order, { kind: 'refund_settled', refundId: refundId as RefundId, attempt: 0, outcome })
    const one = settle(refund(after('pay', 'captured'), 0), 'r0', 'done')
    expect([told(one), one.payments[0]!.refunded]).toEqual(['partly_refunded captured 1', 8_000])
    const back = settle(one, 'r0', 'failed')
    expect([told(back), back.payments[0]!.refunded]).toEqual(['partly_refunded refunding 1', 0])
    const both = settle(settle(refund(one, 1), 'r0', 'failed'), 'r1', 'done')
    expect([told(both), both.payments[0]!.refunded]).toEqual(['refunded refunding 0', 4_500])
    const again = change(both, {
      kind: 'refund_settled',
      refundId: 'r0' as RefundId,
      attempt: 1,
      outcome: 'done',
    })
    expect([told(again), again.payments[0]!.refunded]).toEqual(['refunded refunded 0', TOTAL])
  })

  it('what went back outside covers refunds that were lowered; what comes back of it is a refund of its own', () => {
    const refund = (order: Order, n: number, outside: number) => {
      const refundId = `r${n}` as RefundId
      const ticketIds = [TICKETS[n]!.ticketId]
      const begun = change(order, { kind: 'refund', refundId, ticketIds, by: 'dan' as UserId })
      return change(begun, { kind: 'refund_settled', refundId, attempt: 0, outcome: 'done', outside })
    }
    const count = (order: Order, amount: number, refundId = 'r9') =>
      change(order, { kind: 'outside_counted', amount, refundId: refundId as RefundId })
    const amounts = ({ refunds }: Order) => refunds.map(each => [each.amount, each.outside, each.status])
    const both = refund(refund(after('pay', 'captured'), 0, 1_000), 1, 4_500)
    expect([told(both), both.payments[0]!.refunded]).toEqual(['refunded refunded 0', TOTAL])
    expect(count(both, 5_500)).toEqual(both)
    expect(count(both, 6_000)).toEqual(both)
    const owed = count(both, 3_000)
    expect([told(owed), owed.payments[0]!.refunded]).toEqual(['refunded refunding 0', TOTAL - 2_500])
    expect(amounts(owed)).toEqual([
      [7_000, 0, 'done'],
      [3_000, 3_000, 'done'],
      [2_500, 0, 'pending'],
    ])
    expect(count(owed, 3_000)).toEqual(owed)
    // The rest of it as well, while that waits.
    const all = count(owed, 0, 'r10')
    expect(amounts(all).slice(1)).toEqual([
      [0, 0, 'done'],
      [2_500, 0, 'pending'],
      [3_000, 0, 'pending'],
    ])
    const settle = (order: Order, refundId: string, outcome: 'done' | 'failed') =>
      change(order, { kind: 'refund_settled', refundId: refundId as RefundId, attempt: 0, outcome })
    const over = settle(settle(all, 'r9', 'done'), 'r10', 'done')
    expect([told(over), over.payments[0]!.refunded]).toEqual(['refunded refunded 0', TOTAL])
    // One that comes back is owed whole: what it was lowered by says nothing of the next attempt.
    const back = settle(both, 'r1', 'failed')
    expect([amounts(back)[1], back.payments[0]!.refunded]).toEqual([[4_500, 0, 'failed'], 8_000])
    expect(count(back, 1_000)).toEqual(back)
    const part = { refundId: 'r0' as RefundId, amount: 1_001 }
    const { paymentId } = both.payments[0]!
    expect(() => applyOrder(both, { kind: 'outside_came_back', paymentId, parts: [part] })).toThrow(
      'a part that went back outside',
    )
  })

  it('what staff gave back by hand stays done, whatever the gateway says later', () => {
    const failed = after('pay', 'captured', 'refund', 'refund_fails')
    const { refundId, attempt } = failed.refunds[0]!
    const settled = { kind: 'refund_settled', refundId, attempt } as const
    const byHand = change(failed, { ...settled, outcome: 'done', isByHand: true })
    expect([told(byHand), byHand.payments[0]!.refunded]).toEqual(['refunded refunded 0', TOTAL])
    expect(change(byHand, { ...settled, outcome: 'failed' })).toEqual(byHand)
    expect(change(byHand, { ...settled, outcome: 'done' })).toEqual(byHand)
  })

  it('a buyer can not pay or cancel what is over', () => {
    expect(take(STATES.paid!, 'cancel').code).toBe('checkout_closed')
    expect(take(STATES['expired before payment']!, 'pay').code).toBe('checkout_closed')
    expect(take(STATES['cancelled before payment']!, 'pay').code).toBe('checkout_closed')
  })
})

describe('however often and in whatever order the news comes', () => {
  it('the result is one set of tickets or one refund, and the money of an order adds up', () => {
    const seen = new Map<string, number>()
    const property = fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 14 }), steps => {
      let order = opened
      let [issued, notSold, captures, done] = [0, 0, 0, 0]
      for (const [n, step] of ['pay' as const, ...steps].entries()) {
        const before = order
        const { order: next, changes, code } = take(order, step, n)
        if (code !== 'ok') expect(next).toBe(before)
        order = next
        for (const change of changes) {
          if (change.kind === 'tickets_issued') issued += 1
          if (change.kind === 'not_sold') notSold += 1
          if (change.kind === 'payment_captured') captures += 1
          if (change.kind === 'payment_refunded') done += change.amount!
          if (change.kind === 'refund_came_back') done -= change.amount!
        }
        seen.set(order.status, (seen.get(order.status) ?? 0) + 1)
        const [payment] = order.payments
        expect(issued + notSold).toBe(captures)
        expect(captures).toBeLessThanOrEqual(1)
        expect(order.payments.length).toBeLessThanOrEqual(1)
        expect(payment?.refunded ?? 0).toBe(done)
        const promised = order.refunds.reduce((sum, refund) => sum + refund.amount!, 0)
        const hasTickets = order.lines.some(line => line.refundId === null)
        if (captures === 1) expect(TOTAL - promised).toBe(hasTickets ? TOTAL : 0)
        else expect([promised, order.lines.length]).toEqual([0, 0])
        const isOver = order.status === 'refunded' && order.refunds.every(refund => refund.status === 'done')
        expect(payment?.status === 'refunded').toBe(isOver)
      }
    })
    fc.assert(property, { seed: SEED, numRuns: 600 })
    for (const status of ['open', 'paying', 'paid', 'refunded', 'cancelled', 'expired']) {
      expect(seen.get(status) ?? 0, `${status}, seed ${SEED}`).toBeGreaterThan(20)
    }
  })
})

describe('an order that costs nothing', () => {
  it('is paid without a gateway, and refunded at once', () => {
    const free = applyOrder(null, { kind: 'opened', currency: 'ZAR', total: 0 })
    const lines = [{ ticketId: 't0' as TicketId, amount: 0 }]
    const paid = [
      { kind: 'pay', paymentId: 'p' as PaymentId } as const,
      { kind: 'captured', sold: lines, refundId: 'r' as RefundId } as const,
    ].reduce((order, command) => {
      const decided = decideOrder(order, command)
      return decided.ok ? decided.value.reduce(applyOrder, order) : order
    }, free)
    expect(told(paid)).toBe('paid captured 1')
    expect(told(take(paid, 'refund').order)).toBe('refunded refunded 0')
  })
})
