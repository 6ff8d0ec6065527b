import type { TestedMutant } from './mutant.ts'

const JOB = 'server/src/jobs/refund-runs.ts'
const TABLE = 'server/src/postgres/tables/refund-runs.ts'
const test = 'server/test/refund-runs.test.ts'

/** Refunds of cancelled events. */
export const REFUND_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'stopped refunds go on',
    about: 'whether a run was stopped is not asked again under the event’s lock',
    patches: [{ file: JOB, find: "if (run?.status !== 'running') return", by: 'if (run === null) return' }],
    test,
  },
  {
    name: 'refunds without a pace',
    about: 'every node refunds as much as it can, whatever the others do',
    patches: [{ file: JOB, find: 'if (isOurs) {', by: 'if (isOurs || true) {' }],
    test,
  },
  {
    name: 'refunds pile up at the gateway',
    about: 'orders are begun while the gateway does not answer',
    patches: [
      { file: JOB, find: 'orderIds: room > 0 ? found.orderIds : []', by: 'orderIds: found.orderIds' },
    ],
    test,
  },
  {
    name: 'cash is said to be given back',
    about: 'money that no gateway took counts as given back when its event is cancelled',
    patches: [
      {
        file: 'server/src/events/refund-order.ts',
        find: "isOwed: cause === 'event_cancelled'",
        by: 'isOwed: false',
      },
    ],
    test,
  },
  {
    name: 'an event is put away while it is refunded',
    about: 'archiving a cancelled event does not wait for its refunds',
    patches: [
      {
        file: 'server/src/http/routes/event-administration.ts',
        find: "if (run?.status === 'running') {",
        by: "if (run?.status === 'stopped') {",
      },
    ],
    test,
  },
  {
    name: 'an event is put away with orders that could not be refunded',
    about: 'archiving a cancelled event asks only whether its refunds go on',
    patches: [
      {
        file: 'server/src/http/routes/event-administration.ts',
        find: "run?.status === 'done' ? await countFailedRefunds(tx, eventId) : 0",
        by: '0 * (await countFailedRefunds(tx, eventId))',
      },
    ],
    test,
  },
  {
    name: 'a refund that failed is tried without a pause',
    about: 'an order that can not be refunded is taken up again and again',
    patches: [
      { file: TABLE, find: 'f.order_id is null or f.again_at <= now() as is_due', by: 'true as is_due' },
    ],
    test,
  },
  {
    name: 'a refund by the run has another key each time',
    about: 'the key at the gateway does not follow from the order',
    patches: [
      {
        file: 'server/src/events/refund-order.ts',
        find: 'KEYS[cause](orderId, refundId)',
        by: 'refundId',
      },
    ],
    test,
  },
]
