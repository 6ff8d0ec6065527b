import type { TestedMutant } from './mutant.ts'

const DECIDE = 'core/orders/decide-checkout.ts'
const REFUNDS = 'core/orders/decide-order.ts'
const CHECKOUTS = 'server/src/events/checkouts.ts'
const SETTLE = 'server/src/events/settle-outcome.ts'
const CHECKOUTS_TEST = 'server/test/checkouts.test.ts'
const STRIPE_TEST = 'server/test/stripe-webhooks.test.ts'
const PAYMENTS_TEST = 'server/test/open-payments.test.ts'
const CHANGED_TEST = 'server/test/changed-minds.test.ts'
const RULES_TEST = 'core/orders/checkout.test.ts'

/** Checkouts with a gateway. */
export const CHECKOUT_MUTANTS: readonly TestedMutant[] = [
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
    test: CHANGED_TEST,
    byCheckouts: true,
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
    test: CHANGED_TEST,
    byCheckouts: true,
  },
  {
    name: 'a buyer changes what a bank decides about',
    about: 'an order makes way for another while its money may be taken',
    patches: [
      { file: DECIDE, find: "return whoDecides(order) === 'bank'", by: "return order.status === 'paid'" },
    ],
    test: RULES_TEST,
  },
  {
    name: 'money goes back twice',
    about: 'a refund that is tried again has another key at the gateway',
    patches: [
      {
        file: 'server/src/postgres/tables/payment-work.ts',
        find: 'const key = row.failures === 0 ? row.key :',
        by: 'const key = row.failures === 0 ? row.key + String(process.hrtime.bigint()) :',
      },
    ],
    test: CHECKOUTS_TEST,
    byCheckouts: true,
  },
  {
    name: 'a refund that came back is forgotten',
    about: 'when a bank sends a refund back, the organizer keeps the money',
    patches: [
      {
        file: REFUNDS,
        find: "if (isDone) return ok([{ kind: 'refund_came_back', refundId, paymentId, amount }])",
        by: 'if (isDone) return ok([])',
      },
    ],
    test: RULES_TEST,
  },
  {
    name: 'old news of a refund counts',
    about: 'what the gateway says of an attempt that failed ends the next one, or fails it',
    patches: [{ file: REFUNDS, find: 'known.attempt !== attempt)', by: 'attempt < -1)' }],
    test: RULES_TEST,
  },
  {
    name: 'the second failure keeps the key',
    about: 'a refund that failed twice is asked for with a key that the gateway has given up',
    patches: [
      {
        file: 'server/src/postgres/tables/order-changes.ts',
        find: 'failures = failures + 1, asked = null',
        by: 'failures = greatest(failures, 1), asked = null',
      },
    ],
    test: STRIPE_TEST,
  },
  {
    name: 'what is left never goes back',
    about:
      'a refund asks for its whole amount again and again, although a part went back on the gateway’s own pages',
    patches: [
      {
        file: 'server/src/events/gateway-refunds.ts',
        find: 'await askForLess(tx, present, refundable)',
        by: 'void askForLess',
      },
    ],
    test: STRIPE_TEST,
  },
  {
    name: 'less goes back without a record',
    about: 'a refund is lowered although nothing says that the rest went back on the gateway’s own pages',
    patches: [
      {
        file: 'server/src/events/gateway-refunds.ts',
        find: ' || outsideLeft(whole) < (refund.amount ?? 0) - refundable) return null',
        by: ' || outsideLeft(whole) < 0) return null',
      },
    ],
    test: STRIPE_TEST,
  },
  {
    name: 'what a refund was lowered by is forgotten',
    about: 'when a bank sends back what went out on the gateway’s own pages, the organizer keeps it',
    patches: [
      {
        file: 'server/src/events/gateway-news.ts',
        find: 'await refunds.oweAgain(tx, orderId)',
        by: 'void refunds',
      },
    ],
    test: STRIPE_TEST,
  },
  {
    name: 'the gateway fails what staff gave back',
    about:
      'money that staff gave back by hand is given again when the gateway says that its own refund failed',
    patches: [{ file: REFUNDS, find: ' || known.isByHand || known.attempt', by: ' || known.attempt' }],
    test: RULES_TEST,
  },
  {
    name: 'news is kept twice',
    about: 'a message of the gateway that comes again is another message',
    patches: [
      {
        file: 'server/src/postgres/tables/gateway-events.ts',
        find: '[gateway, event.eventId, JSON.stringify(event)]',
        by: '[gateway, event.eventId + String(process.hrtime.bigint()), JSON.stringify(event)]',
      },
    ],
    test: CHECKOUTS_TEST,
    byCheckouts: true,
  },
  {
    name: 'news is not verified',
    about: 'a webhook whose signature is wrong is kept',
    patches: [
      {
        file: 'server/src/payments/simulator/simulator-gateway.ts',
        find: 'if (!checked.ok) return checked',
        by: 'void checked',
      },
    ],
    test: CHECKOUTS_TEST,
    byCheckouts: true,
  },
  {
    name: 'tickets before the money',
    about: 'an order is paid without its payment being captured',
    patches: [
      {
        file: DECIDE,
        find: "return [paid, { kind: 'tickets_issued', lines: sold }]",
        by: "return [{ kind: 'tickets_issued', lines: sold }]",
      },
    ],
    test: RULES_TEST,
    byCheckouts: true,
  },
  {
    name: 'declined is final',
    about: 'money that is captured after a payment was declined is kept without tickets',
    patches: [{ file: DECIDE, find: " || status === 'declined'\n", by: '\n' }],
    test: RULES_TEST,
    byCheckouts: true,
  },
  {
    name: 'captured twice is sold twice',
    about: 'whether money was settled before is not asked',
    patches: [
      {
        file: DECIDE,
        find: "if (!payment || !isUndecided(payment)) return 'known'",
        by: "if (!payment) return 'known'",
      },
    ],
    test: RULES_TEST,
    byCheckouts: true,
  },
  {
    name: 'a time-out is a refusal',
    about: 'an answer that did not come is taken for declined',
    patches: [
      {
        file: SETTLE,
        find: "return { kind: 'unknown' }",
        by: "return { kind: 'declined', areHeld }",
      },
    ],
    test: CHECKOUTS_TEST,
    byCheckouts: true,
  },
  {
    name: 'not found is believed at once',
    about: 'a payment that may still arrive at the gateway is taken for declined',
    patches: [
      {
        file: CHECKOUTS,
        find: "if (outcome.kind === 'not_found' && (!isSettled || intentId !== null))",
        by: "if (outcome.kind === 'not_found' && intentId !== null)",
      },
    ],
    test: CHECKOUTS_TEST,
  },
  {
    name: 'a decline is never looked up again',
    about: 'a call that was on its way takes the money of a payment that was declined before',
    patches: [
      {
        file: SETTLE,
        find: 'const lookInMs = isLastWord ? null : SETTLED_AFTER_MS',
        by: 'const lookInMs = null',
      },
    ],
    test: CHECKOUTS_TEST,
  },
  {
    name: 'a form that can go on is forgotten',
    about: 'another card pays in the form of the gateway after a decline, and no look-up finds it',
    patches: [
      {
        file: SETTLE,
        find: 'lookUp?.isSettled === true && !waitsForBuyer(outcome)',
        by: 'lookUp?.isSettled === true && outcome !== null',
      },
    ],
    test: STRIPE_TEST,
  },
  {
    name: 'an old look-up declines a new attempt',
    about: 'the gateway is asked, the buyer pays with another card, and the answer is of the first card',
    patches: [
      {
        file: SETTLE,
        find: 'lookUp.sentAt !== timeSent(checkout)',
        by: 'lookUp.sentAt === undefined',
      },
    ],
    test: CHECKOUTS_TEST,
  },
  {
    name: 'an unknown payment expires',
    about: 'an order expires while the gateway may have charged the buyer',
    patches: [
      {
        file: DECIDE,
        find: "return whoDecides(order) === 'buyer'",
        by: 'return whoDecides(order) !== null',
      },
    ],
    test: RULES_TEST,
  },
  {
    name: 'news of another account is believed',
    about: 'the owner of another account at Stripe pays orders, and refunds them, by what they write',
    patches: [
      {
        file: 'server/src/events/gateway-news.ts',
        find: '(await accountOf(scope, orderId)) === account ? scope : null',
        by: 'scope',
      },
    ],
    test: STRIPE_TEST,
  },
  {
    name: 'a refund of another account is recorded',
    about: 'news of an intent counts, whichever account tells it',
    patches: [
      {
        file: 'server/src/events/gateway-news.ts',
        find: '(await accountOf(found.scope, found.orderId)) === event.account ? found : null',
        by: 'found',
      },
    ],
    test: STRIPE_TEST,
  },
  {
    name: 'payments move with the account',
    about: 'look-ups and refunds of a payment go to the account that the organization has now',
    patches: [
      {
        file: 'server/src/postgres/tables/payment-work.ts',
        find: 'case when p.id is null then o.stripe_account else p.account end',
        by: 'o.stripe_account',
      },
    ],
    test: STRIPE_TEST,
  },
  {
    name: 'a typing error costs the seats',
    about: 'a card that could not be read counts as declined by the bank',
    patches: [{ file: CHECKOUTS, find: " && outcome.intentId !== ''\n}", by: '\n}' }],
    test: CHECKOUTS_TEST,
  },
  {
    name: 'simulated cards buy real tickets',
    about: 'a server without a gateway opens checkouts that a simulated card pays',
    patches: [
      {
        file: 'server/src/http/routes/checkouts.ts',
        find: '      gateway: takesMoney && gateway,',
        by: '      gateway,',
      },
    ],
    test: PAYMENTS_TEST,
  },
  {
    name: 'simulated cards pay what waits',
    about: 'a checkout from before the simulator was switched off is paid with a simulated card',
    patches: [
      {
        file: CHECKOUTS,
        find: 'if (!this.#deps.takesMoney && isCharged)',
        by: 'if (!this.#deps.takesMoney && !isCharged)',
      },
    ],
    test: PAYMENTS_TEST,
  },
  {
    name: 'another simulated card is charged',
    about:
      'a payment that waits for the bank is tried with another card after the simulator was switched off',
    patches: [{ file: CHECKOUTS, find: '(!payment.card || !takesMoney)', by: '!payment.card' }],
    test: PAYMENTS_TEST,
  },
  {
    name: 'any gateway pays what another was to',
    about: 'a checkout that was opened for Stripe is paid with a simulated card',
    patches: [
      {
        file: CHECKOUTS,
        find: "if (isOfAnother) return refuse({ kind: 'checkout_closed', status })",
        by: '',
      },
    ],
    test: CHANGED_TEST,
  },
  {
    name: 'the first to name an account has it',
    about: 'an account at Stripe takes the money of an organization before the platform has named it',
    patches: [
      {
        file: 'server/src/http/routes/organization.ts',
        find: 'const isDecided = named === null || named === before.stripe_account',
        by: 'const isDecided = true',
      },
    ],
    test: STRIPE_TEST,
  },
]
