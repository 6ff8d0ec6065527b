import type { TestedMutant } from './mutant.ts'

const SELL_ORDER = 'server/src/events/sell-order.ts'
const MIGRATION = 'server/src/postgres/migrations/0023_orders.sql'
const DECIDE = 'core/orders/decide-order.ts'
const BATCH = 'server/src/postgres/batch/batch-rows.ts'
const SELL = 'core/event/rules/sell.ts'
const ORDERS_TEST = 'server/test/orders.test.ts'
const KEYS = 'server/src/http/routes/api-keys.ts'
const KEYS_TEST = 'server/test/api-keys.test.ts'

/** Orders without a gateway, and the keys of the servers that make them. */
export const ORDER_MUTANTS: readonly TestedMutant[] = [
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
    test: ORDERS_TEST,
    byCheckouts: true,
  },
  {
    name: 'a sale that no member of staff answers for',
    about: 'a payment does not say who recorded it; the check of the table is gone as well',
    patches: [
      { file: SELL_ORDER, find: 'amount, recordedBy: by })', by: 'amount, recordedBy: null })' },
      {
        file: MIGRATION,
        find: "check (method = 'gateway' or recorded_by is not null)",
        by: 'check (true)',
      },
    ],
    test: ORDERS_TEST,
  },
  {
    name: 'a reference is not looked up',
    about: 'repeating a reference does not give the same order',
    patches: [
      {
        file: SELL_ORDER,
        find: 'if (wanted.reference === null) return null',
        by: 'if (wanted.now > 0) return null',
      },
    ],
    test: ORDERS_TEST,
  },
  {
    name: 'a reference in two events',
    about: 'no index is behind the look-up: two events sell under one reference at one moment',
    patches: [
      { file: MIGRATION, find: 'create unique index orders_reference', by: 'create index orders_reference' },
    ],
    test: ORDERS_TEST,
  },
  {
    name: 'the box office sells what others hold',
    about: 'whose holds are sold for cash is not looked at',
    patches: [
      { file: SELL_ORDER, find: "if (method !== 'external' && !found.", by: 'if (maxHolds < 0 && !found.' },
    ],
    test: ORDERS_TEST,
  },
  {
    name: 'late money takes the seat of another',
    about: 'whether the seat of a hold that ran out is free is not looked at',
    patches: [{ file: SELL, find: 'if (statusAt(state, ordinal, now) !== AVAILABLE) return false', by: '' }],
    test: 'core/event/rules/sell.test.ts',
    byCheckouts: true,
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
        file: 'core/event/apply.ts',
        find: "assert(isAlive(hold, change.at), 'a conversion of a hold that has run out')",
        by: '',
      },
    ],
    test: 'core/event/rules/sell.test.ts',
    byCheckouts: true,
  },
  {
    name: 'late money is not judged',
    about: 'an order may leave a seat alone, or take a companion seat without its place',
    patches: [
      {
        file: SELL,
        find: 'judged(state, { userId: buyer.userId, seats: seatsOf(places) }, command, now)',
        by: 'judged(state, { userId: buyer.userId, seats: [] }, command, now)',
      },
    ],
    test: 'core/event/rules/sell.test.ts',
  },
  {
    name: 'a refund twice',
    about: 'a ticket that is void is refunded again',
    patches: [{ file: DECIDE, find: 'if (isVoid.length > 0) return', by: 'if (isVoid.length < 0) return' }],
    test: 'core/orders/orders.test.ts',
    byCheckouts: true,
  },
  {
    name: 'a void ticket leaves the seat sold',
    about: 'the row of the seat keeps its ticket',
    patches: [
      {
        file: BATCH,
        find: "if (ordinal !== null) this.#free({ ordinal, version: version! }, 'available')\n        this.#count(change.zoneIndex, { sold: -1 })",
        by: 'void [ordinal, version]\n        this.#count(change.zoneIndex, { sold: -1 })',
      },
    ],
    test: ORDERS_TEST,
    byCheckouts: true,
  },
  {
    name: 'a seat on sale with a valid ticket',
    about: 'a refund frees the seat and leaves the ticket valid; the trigger is gone as well',
    patches: [
      { file: BATCH, find: 'this.#voided.push({ id: ticketId, voidedAt: at })', by: 'void [ticketId, at]' },
      { file: MIGRATION, find: 't.id = old.ticket_id and t.voided_at is not null)', by: 'true)' },
    ],
    test: ORDERS_TEST,
    byCheckouts: true,
  },
  {
    name: 'half a table is taken back',
    about: 'what was sold as a whole is refunded in part',
    patches: [
      {
        file: 'core/event/rules/void-tickets.ts',
        find: 'if (broken !== null) return refuse(broken)',
        by: 'void [broken, refuse]',
      },
    ],
    test: ORDERS_TEST,
  },
  {
    name: 'a deleted key works on other nodes',
    about: 'the end of a key is not announced',
    patches: [{ file: KEYS, find: 'await announceUserChanged(tx, id)', by: 'void announceUserChanged' }],
    test: KEYS_TEST,
  },
  {
    name: 'keys without number',
    about: 'how many keys an organization has is not looked at',
    patches: [
      {
        file: KEYS,
        find: '(await countApiKeys(tx)) >= contract.MAX_API_KEYS',
        by: '(await countApiKeys(tx)) < 0',
      },
    ],
    test: KEYS_TEST,
  },
]
