import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PaymentId, RefundId, TicketId, UserId } from '../ids.ts'
import { applyOrder } from './apply-order.ts'
import { type BookOrder, decideOrder, type OrderCommand } from './decide-order.ts'
import {
  ORDER_MOVES,
  ORDER_STATUSES,
  type Order,
  type OrderChange,
  PAYMENT_MOVES,
  PAYMENT_STATUSES,
  STAFF_METHODS,
} from './order.ts'

const SEED = 20_261_116
const STAFF = 'dan' as UserId

const booking = fc
  .record({
    method: fc.constantFrom(...STAFF_METHODS),
    amounts: fc.array(fc.nat(100_000), { minLength: 1, maxLength: 6 }),
    isPriced: fc.boolean(),
    extras: fc.nat(5_000),
  })
  .map(({ method, amounts, isPriced, extras }): BookOrder => {
    return {
      kind: 'book',
      paymentId: 'p1' as PaymentId,
      method,
      currency: isPriced ? 'ZAR' : null,
      extras: isPriced ? extras : 0,
      lines: amounts.map((amount, n) => ({
        ticketId: `t${n}` as TicketId,
        amount: isPriced ? amount : null,
      })),
      by: STAFF,
    }
  })
const refunds = fc.array(
  fc.option(fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 4 }), { nil: null }),
  { maxLength: 6 },
)

function run(order: Order | null, command: OrderCommand) {
  const decided = decideOrder(order, command)
  if (!decided.ok) return { order, changes: [] as readonly OrderChange[], problem: decided.problem }
  let after = order
  for (const change of decided.value) after = applyOrder(after, change)
  return { order: after, changes: decided.value, problem: null }
}

function book(command: Partial<BookOrder> = {}): Order {
  const lines = [
    { ticketId: 't0' as TicketId, amount: 8_000 },
    { ticketId: 't1' as TicketId, amount: 4_000 },
  ]
  const whole: BookOrder = {
    ...{ kind: 'book', paymentId: 'p1' as PaymentId, method: 'cash', currency: 'ZAR', lines, by: STAFF },
    extras: 0,
    ...command,
  }
  return run(null, whole).order!
}

function refund(order: Order, ticketIds: string[] | null, refundId = 'r1') {
  return run(order, {
    kind: 'refund',
    refundId: refundId as RefundId,
    ticketIds: ticketIds as TicketId[] | null,
    by: STAFF,
  })
}

describe('any order, refunded in any parts', () => {
  it('keeps the money: captures less refunds are the lines of valid tickets, and no ticket is refunded twice', () => {
    const seen = new Map<string, number>()
    const property = fc.property(booking, refunds, (command, parts) => {
      let order = run(null, command).order!
      let given = 0
      const refunded = new Set<string>()
      for (const [n, part] of parts.entries()) {
        const before = order
        const named = part?.map(number => `t${number}`) ?? null
        const { order: after, changes, problem } = refund(order, named, `r${n}`)
        seen.set(problem?.kind ?? after!.status, (seen.get(problem?.kind ?? after!.status) ?? 0) + 1)
        if (problem) expect(after).toBe(before)
        order = after!
        for (const change of changes) {
          if (change.kind === 'lines_voided') {
            for (const id of change.ticketIds) {
              expect(refunded.has(id)).toBe(false)
              refunded.add(id)
            }
          }
          if (change.kind === 'payment_refunded') given += change.amount ?? 0
        }
        check(order, given)
      }
    })
    fc.assert(property, { seed: SEED, numRuns: 500 })
    for (const kind of [
      'refunded',
      'partly_refunded',
      'ticket_void',
      'ticket_not_found',
      'invalid_transition',
    ]) {
      expect(seen.get(kind) ?? 0).toBeGreaterThan(10)
    }
  })

  function check({ status, lines, payments, currency, total }: Order, given: number): void {
    const valid = lines.filter(line => line.refundId === null)
    const [payment] = payments
    expect(payments).toHaveLength(1)
    expect(payment!.refunded).toBe(given)
    const cost = (some: typeof lines) => some.reduce((sum, line) => sum + (line.amount ?? 0), 0)
    // Fees go back with the last ticket.
    const kept = valid.length > 0 ? total! - cost(lines) + cost(valid) : 0
    if (currency !== null) expect(payment!.amount! - given).toBe(kept)
    else expect([payment!.amount, given]).toEqual([null, 0])
    const expected =
      valid.length === lines.length ? 'paid' : valid.length > 0 ? 'partly_refunded' : 'refunded'
    expect(status).toBe(expected)
    expect(payment!.status).toBe(expected === 'refunded' ? 'refunded' : 'captured')
  }
})

describe('a booked order', () => {
  it('is paid at once, by a named member of staff', () => {
    const decided = decideOrder(null, {
      kind: 'book',
      paymentId: 'p1' as PaymentId,
      method: 'external',
      currency: null,
      extras: 0,
      lines: [{ ticketId: 't0' as TicketId, amount: null }],
      by: STAFF,
    })
    expect(decided.ok && decided.value.map(change => change.kind)).toEqual([
      'opened',
      'payment_created',
      'payment_captured',
      'tickets_issued',
    ])
    expect(decided.ok && decided.value[1]).toMatchObject({ by: STAFF, amount: null })
  })

  it('costs nothing when it is complimentary', () => {
    const order = book({ method: 'complimentary' })
    expect(order.lines.map(line => line.amount)).toEqual([0, 0])
    expect(order.payments[0]!.amount).toBe(0)
  })

  it('has lines, amounts in one currency, and a seller', () => {
    const line = { ticketId: 't0' as TicketId, amount: 1 }
    expect(() => book({ lines: [] })).toThrow('has lines')
    expect(() => book({ currency: null })).toThrow('amounts')
    expect(() => book({ lines: [{ ...line, amount: null }] })).toThrow('amounts')
    expect(() => book({ lines: [{ ...line, amount: -1 }] })).toThrow('amounts')
    expect(() => book({ lines: [{ ...line, amount: 0.5 }] })).toThrow('amounts')
    expect(() => book({ by: '' as UserId })).toThrow('a named member of staff')
  })

  it('is refunded in parts, and each ticket once', () => {
    const first = refund(book(), ['t1'])
    expect(first.order).toMatchObject({ status: 'partly_refunded', payments: [{ refunded: 4_000 }] })
    expect(refund(first.order!, ['t1'], 'r2').problem).toEqual({ kind: 'ticket_void', ticketIds: ['t1'] })
    expect(refund(first.order!, ['t0', 'other'], 'r2').problem).toEqual({ kind: 'ticket_not_found' })
    const rest = refund(first.order!, null, 'r2')
    expect(rest.order).toMatchObject({
      status: 'refunded',
      payments: [{ status: 'refunded', refunded: 12_000 }],
    })
    expect(refund(rest.order!, null, 'r3').problem).toMatchObject({ kind: 'invalid_transition' })
  })
})

describe('a refund of an amount that staff choose', () => {
  const give = (
    order: Order,
    amount: number,
    more: Partial<Extract<OrderCommand, { kind: 'refund' }>> = {},
  ) =>
    run(order, {
      ...{ kind: 'refund', refundId: `r${order.refunds.length}` as RefundId, ticketIds: null, by: STAFF },
      ...{ amount, ...more },
    })
  const keep = { keepsTickets: true } as const
  const t1 = ['t1' as TicketId]

  it('takes tickets back for less, and what is kept stays with the order', () => {
    const half = give(book(), 2_000, { ticketIds: t1 }).order!
    expect(half).toMatchObject({
      status: 'partly_refunded',
      payments: [{ refunded: 2_000 }],
      refunds: [{ amount: 2_000, byChoice: -2_000 }],
    })
    const rest = refund(half, null, 'rest').order!
    expect(rest).toMatchObject({ status: 'refunded', payments: [{ status: 'refunded', refunded: 10_000 }] })
    // The last part may still go back.
    expect(give(rest, 2_001, keep).problem).toEqual({ kind: 'refund_too_high', available: 2_000 })
    expect(give(rest, 2_000, keep).order).toMatchObject({
      payments: [{ status: 'refunded', refunded: 12_000 }],
    })
  })

  it('takes tickets back for nothing', () => {
    const { order, changes } = give(book(), 0)
    expect(order).toMatchObject({ status: 'refunded', payments: [{ status: 'refunded', refunded: 0 }] })
    expect(changes.map(change => change.kind)).toEqual(['lines_voided', 'refund_started', 'payment_refunded'])
  })

  it('leaves the tickets, and later refunds give what is left', () => {
    const kept = give(book(), 3_000, { ...keep, ticketIds: t1 })
    expect(kept.changes.map(change => change.kind)).toEqual(['refund_started', 'payment_refunded'])
    expect(kept.order).toMatchObject({ status: 'paid', payments: [{ status: 'captured', refunded: 3_000 }] })
    expect(give(book(), 4_001, { ...keep, ticketIds: t1 }).problem).toEqual({
      kind: 'refund_too_high',
      available: 4_000,
    })
    const rest = refund(kept.order!, null, 'rest').order!
    expect(rest).toMatchObject({
      payments: [{ status: 'refunded', refunded: 12_000 }],
      refunds: [{ byChoice: 3_000 }, { amount: 9_000, byChoice: -3_000 }],
    })
    expect(give(rest, 1, keep).problem).toEqual({ kind: 'refund_too_high', available: 0 })
  })

  it('waits at a gateway while the order stays paid', () => {
    const order = book()
    const gateway = {
      ...order,
      payments: order.payments.map(each => ({ ...each, method: 'gateway' as const })),
    }
    const { order: after } = give(gateway, 500, keep)
    expect(after).toMatchObject({ status: 'paid', payments: [{ status: 'refunding', refunded: 0 }] })
  })

  it('is never more than is left, of an order whose amounts are known', () => {
    expect(give(book(), 12_001).problem).toEqual({ kind: 'refund_too_high', available: 12_000 })
    const lines = [{ ticketId: 't0' as TicketId, amount: null }]
    const unknown = book({ currency: null, lines })
    expect(give(unknown, 1).problem).toEqual({ kind: 'refund_too_high', available: 0 })
    expect(() => give(book(), -1)).toThrow('an amount')
    expect(() => give(book(), 0, keep)).toThrow('money for tickets that stay')
  })

  it('in any sequence keeps the books: captures less refunds are valid tickets, and what staff chose', () => {
    const step = fc.record({
      tickets: fc.option(fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 3 }), { nil: null }),
      amount: fc.option(fc.nat(60_000), { nil: undefined }),
      keeps: fc.boolean(),
    })
    const seen = new Map<string, number>()
    const property = fc.property(booking, fc.array(step, { maxLength: 8 }), (command, steps) => {
      let order = run(null, { ...command, method: 'cash', currency: command.currency }).order!
      for (const [n, { tickets, amount, keeps }] of steps.entries()) {
        const keepsTickets = keeps && (amount ?? 0) > 0
        const { order: after, problem } = run(order, {
          ...{ kind: 'refund', refundId: `r${n}` as RefundId, by: STAFF, keepsTickets },
          ticketIds: tickets?.map(number => `t${number}` as TicketId) ?? null,
          ...(amount !== undefined && { amount }),
        })
        const what = problem?.kind ?? (keepsTickets ? 'kept' : 'void')
        seen.set(what, (seen.get(what) ?? 0) + 1)
        order = after!
        const [payment] = order.payments
        if (order.currency === null) continue
        const sum = (of: readonly (number | null)[]) => of.reduce<number>((all, each) => all + (each ?? 0), 0)
        const valid = order.lines.filter(line => line.refundId === null)
        const extras = order.total! - sum(order.lines.map(line => line.amount))
        const kept = valid.length > 0 ? sum(valid.map(line => line.amount)) + extras : 0
        const given = sum(order.refunds.map(each => each.amount))
        expect(given).toBe(payment!.refunded)
        expect(given).toBeLessThanOrEqual(payment!.amount!)
        expect(payment!.amount! - given).toBe(kept - sum(order.refunds.map(each => each.byChoice)))
      }
    })
    fc.assert(property, { seed: SEED, numRuns: 500 })
    for (const kind of ['void', 'kept', 'refund_too_high']) expect(seen.get(kind) ?? 0).toBeGreaterThan(20)
  })
})

describe('tickets that are moved', () => {
  const moves = [{ from: 't0' as TicketId, to: 't9' as TicketId }]

  it('keep their line, and no money moves', () => {
    const before = book()
    const { order, changes } = run(before, { kind: 'move', moves })
    expect(changes).toEqual([{ kind: 'tickets_moved', moves }])
    const [first, ...rest] = before.lines
    expect(order).toEqual({ ...before, lines: [{ ...first, ticketId: 't9' }, ...rest] })
  })

  it('are valid ones of the order', () => {
    const order = book()
    const refund = { kind: 'refund', refundId: 'r1' as RefundId, by: STAFF } as const
    const back = run(order, { ...refund, ticketIds: ['t0' as TicketId] }).order
    expect(run(back, { kind: 'move', moves }).problem).toEqual({ kind: 'ticket_void', ticketIds: ['t0'] })
    const moved = run(order, { kind: 'move', moves }).order
    expect(run(moved, { kind: 'move', moves }).problem).toEqual({ kind: 'ticket_not_found' })
    expect(run(moved, { ...refund, ticketIds: ['t9' as TicketId] }).order?.status).toBe('partly_refunded')
    expect(run(null, { kind: 'move', moves }).problem).toEqual({ kind: 'order_not_found' })
  })
})

describe('the two machines', () => {
  it('lead from the beginning to every status, and no further from an end', () => {
    expect(reached('open', ORDER_MOVES)).toEqual(new Set(ORDER_STATUSES))
    expect(reached('created', PAYMENT_MOVES)).toEqual(new Set(PAYMENT_STATUSES))
    expect([ORDER_MOVES.refunded, PAYMENT_MOVES.refunded]).toEqual([[], ['refunding']])
  })

  it('refuse changes that do not follow', () => {
    const order = book()
    const opened: OrderChange = { kind: 'opened', currency: null, total: null }
    expect(() => applyOrder(order, opened)).toThrow('opened once')
    const captured: OrderChange = { kind: 'payment_captured', paymentId: 'p1' as PaymentId }
    expect(() => applyOrder(order, captured)).toThrow('from captured to captured')
    const second: OrderChange = {
      ...{ kind: 'payment_created', paymentId: 'p2' as PaymentId, method: 'cash', amount: 1, by: STAFF },
    }
    expect(() => applyOrder(order, second)).toThrow('a second payment')
    const twice: OrderChange = {
      ...{ kind: 'refund_started', refundId: 'r1' as RefundId, paymentId: 'p1' as PaymentId },
      ...{ amount: 12_001, by: STAFF },
    }
    expect(() => applyOrder(order, twice)).toThrow('more given back')
    expect(() => applyOrder(order, { kind: 'tickets_issued', lines: [] })).toThrow('issued twice')
    const unpaid = applyOrder(null, { kind: 'opened', currency: 'ZAR', total: 1 })
    expect(() => applyOrder(unpaid, { kind: 'tickets_issued', lines: [] })).toThrow('without money')
  })

  function reached<Status extends string>(
    from: Status,
    moves: Readonly<Record<Status, readonly Status[]>>,
  ): Set<Status> {
    const found = new Set<Status>([from])
    for (const status of found) for (const next of moves[status]) found.add(next)
    return found
  }
})
