import type { Mutant } from './mutant.ts'
import { APPLY, ROWS, SCHEMA } from './sources.ts'

const CHECKOUTS = 'server/modules/checkout/checkouts.ts'
const SETTLE_OUTCOME = 'server/modules/checkout/settle-outcome.ts'
const DECIDE_CHECKOUT = 'core/orders/decide-checkout.ts'
const DECIDE_ORDER = 'core/orders/decide-order.ts'
const SELL = 'core/event/rules/sell.ts'
const SELL_ORDER = 'server/modules/orders/sell-order.ts'
const SCAN = 'core/entry/scan.ts'
const SCAN_TICKET = 'server/modules/entry/scan-ticket.ts'
const ENTRIES = 'server/modules/entry/tables/entries.ts'

/** A run of checkouts shows these by its books: they prove that judge. Each has a test as well. */
const MUTANTS: readonly Omit<Mutant, 'scenario' | 'second'>[] = [
  {
    name: 'a ticket without money',
    about: 'an order is written without its payment',
    patches: [
      {
        file: SELL_ORDER,
        find: 'await insertPayment(tx, orderId, { id: paymentId, method, status, amount, recordedBy: by })',
        by: 'void insertPayment',
      },
    ],
  },
  {
    name: 'late money takes the seat of another',
    about: 'whether the seat of a hold that ran out is free is not looked at',
    patches: [{ file: SELL, find: 'if (statusAt(state, ordinal, now) !== AVAILABLE) return false', by: '' }],
  },
  {
    name: 'money for a hold that has run out',
    about: 'an order is sold on holds whose deadline has passed; the assertion in apply is gone as well',
    patches: [
      {
        file: SELL,
        find: 'again: isAlive(hold, now) ? null : again, hold',
        by: 'again: now < 0 ? again : null, hold',
      },
      {
        file: APPLY,
        find: "assert(isAlive(hold, change.at), 'a conversion of a hold that has run out')",
        by: '',
      },
    ],
  },
  {
    name: 'a refund twice',
    about: 'a ticket that is void is refunded again',
    patches: [
      { file: DECIDE_ORDER, find: 'if (isVoid.length > 0) return', by: 'if (isVoid.length < 0) return' },
    ],
  },
  {
    name: 'a void ticket leaves the seat sold',
    about: 'the row of the seat keeps its ticket',
    patches: [
      {
        file: ROWS,
        find: "if (ordinal !== null) this.#free({ ordinal, version: version! }, 'available')\n        this.#count(change.zoneIndex, { sold: -1 })",
        by: 'void [ordinal, version]\n        this.#count(change.zoneIndex, { sold: -1 })',
      },
    ],
  },
  {
    name: 'a seat on sale with a valid ticket',
    about: 'a refund frees the seat and leaves the ticket valid; the trigger is gone as well',
    patches: [
      { file: ROWS, find: 'this.#voided.push({ id: ticketId, voidedAt: at })', by: 'void [ticketId, at]' },
      { file: SCHEMA, find: 't.id = old.ticket_id and t.voided_at is not null)', by: 'true)' },
    ],
  },
  {
    name: 'the old payment can still be paid',
    about: 'a buyer who changes the cart has another order before the payment of the old one is cancelled',
    patches: [
      {
        file: CHECKOUTS,
        find: 'const ended = await this.#endPayment(scope, found)',
        by: 'const ended: Result<null, Refusal> = ok(null)',
      },
    ],
  },
  {
    name: 'any total is charged',
    about: 'what the buyer saw is not compared with what the order costs',
    patches: [
      {
        file: CHECKOUTS,
        find: 'payment.total !== null && payment.total !== total',
        by: 'payment.total !== null && payment.total < 0',
      },
    ],
  },
  {
    name: 'money goes back twice',
    about: 'a refund that is tried again has another key at the gateway',
    patches: [
      {
        file: 'server/modules/checkout/tables/payment-work.ts',
        find: 'const key = row.failures === 0 ? row.key :',
        by: 'const key = row.failures === 0 ? row.key + String(process.hrtime.bigint()) :',
      },
    ],
  },
  {
    name: 'news is kept twice',
    about: 'a message of the gateway that comes again is another message',
    patches: [
      {
        file: 'server/modules/payments/tables/gateway-events.ts',
        find: '[gateway, event.eventId, JSON.stringify(event)]',
        by: '[gateway, event.eventId + String(process.hrtime.bigint()), JSON.stringify(event)]',
      },
    ],
  },
  {
    name: 'news is not verified',
    about: 'a webhook whose signature is wrong is kept',
    patches: [
      {
        file: 'server/modules/payments/fake-bank/fake-bank-gateway.ts',
        find: 'if (!checked.ok) return checked',
        by: 'void checked',
      },
    ],
  },
  {
    name: 'tickets before the money',
    about: 'an order is paid without its payment being captured',
    patches: [
      {
        file: DECIDE_CHECKOUT,
        find: "return [paid, { kind: 'tickets_issued', lines: sold }]",
        by: "return [{ kind: 'tickets_issued', lines: sold }]",
      },
    ],
  },
  {
    name: 'declined is final',
    about: 'money that is captured after a payment was declined is kept without tickets',
    patches: [{ file: DECIDE_CHECKOUT, find: " || status === 'declined'\n", by: '\n' }],
  },
  {
    name: 'captured twice is sold twice',
    about: 'whether money was settled before is not asked',
    patches: [
      {
        file: DECIDE_CHECKOUT,
        find: "if (!payment || !isUndecided(payment)) return 'known'",
        by: "if (!payment) return 'known'",
      },
    ],
  },
  {
    name: 'a time-out is a refusal',
    about: 'an answer that did not come is taken for declined',
    patches: [
      {
        file: SETTLE_OUTCOME,
        find: "return { kind: 'unknown' }",
        by: "return { kind: 'declined', areHeld }",
      },
    ],
  },
  {
    name: 'two gates at one instant',
    about: 'a scan does not lock the ticket; the unique number of its entries is gone as well',
    patches: [
      {
        file: ENTRIES,
        find: "tx.prepared('scan_lock_line', LOCK_LINE, [ticketId]),",
        by: 'LOCK_LINE,',
      },
      { file: ENTRIES, find: 'and id = $2 for no key update', by: 'and id = $2' },
      {
        file: SCHEMA,
        find: 'constraint entries_position unique (organization_id, ticket_id, day, position),',
        by: '',
      },
    ],
  },
  {
    name: 'a moved ticket opens the gate again',
    about: 'entries of the tickets that a ticket was moved from and to do not count',
    patches: [
      {
        file: ENTRIES,
        find: "entriesOfLine('$2')} e) e",
        by: "'entries'} e where organization_id = $1 and ticket_id = $2) e",
      },
    ],
  },
  {
    name: 'a void ticket opens the gate',
    about: 'whether a ticket is void is not looked at',
    patches: [{ file: SCAN, find: 'ticket.voidedAt !== null && ticket.voidedAt <= at', by: 'at < 0' }],
  },
  {
    name: 'a repeated scan lets another in',
    about: 'a scan that is sent again is judged again',
    patches: [{ file: SCAN_TICKET, find: 'if (asTold.repeated) return', by: 'if (asTold.now < 0) return' }],
  },
  {
    name: 'a gate whose clock is wrong',
    about: 'a scan that is older than its ticket counts to the day that its gate says',
    patches: [
      { file: SCAN, find: 'if (madeAt < issuedAt - CLOCK_TOLERANCE_MS) return true', by: 'void issuedAt' },
    ],
  },
]

export const BOOKS_MUTANTS: readonly Mutant[] = MUTANTS.map(mutant => ({
  ...mutant,
  scenario: 'books',
  second: 'none',
}))
