import type { Patch } from '../../mutants/mutant.ts'

const PAYMENT_WORK = 'server/modules/checkout/payment-work.ts'
const SETTLE = 'server/modules/checkout/settle-outcome.ts'
const SENDER = 'server/modules/payments/fake-bank/webhook-sender.ts'
const RULES = 'server/modules/payments/fake-bank/rules.ts'

/** The judge of holds has to know this one. */
export const QUICK_PAYMENT_MS = 4_000

/**
 * A checkout takes up to an hour where the buyer, the bank or the gateway lets it wait. The nodes of this run
 * are a copy in which these waits are short, in the same order: a hold in payment ends before a late capture
 * comes, and a payment is found to be missing only when no call for it can be on its way. Nothing else
 * differs.
 */
export const QUICK_TIMES: readonly Patch[] = [
  {
    file: 'core/event/rules/cart.ts',
    find: 'PAYMENT_WINDOW_MS = 15 * 60_000',
    by: `PAYMENT_WINDOW_MS = ${QUICK_PAYMENT_MS}`,
  },
  { file: RULES, find: 'LATE_MS = 16 * 60_000', by: 'LATE_MS = 6_000' },
  { file: RULES, find: 'STEP_MS = 60 * 60_000', by: 'STEP_MS = 8_000' },
  {
    file: 'server/modules/payments/fake-bank/mischief.ts',
    find: 'MAX_DELAY_MS = 30 * 60_000',
    by: 'MAX_DELAY_MS = 5_000',
  },
  { file: SETTLE, find: 'FIRST_LOOK_MS = 15_000', by: 'FIRST_LOOK_MS = 1_000' },
  { file: PAYMENT_WORK, find: 'LOOK_EVERY_MS = 5_000', by: 'LOOK_EVERY_MS = 500' },
  { file: PAYMENT_WORK, find: 'LEASE_MS = 60_000', by: 'LEASE_MS = 5_000' },
  {
    file: PAYMENT_WORK,
    find: 'firstPauseMs: 15_000, longestPauseMs: 3_600_000',
    by: 'firstPauseMs: 1_000, longestPauseMs: 2_500',
  },
  {
    file: SETTLE,
    find: 'SETTLED_AFTER_MS = 120_000',
    // A call that waits for a connection and for the gateway takes up to 18 s.
    by: 'SETTLED_AFTER_MS = 20_000',
  },
  { file: SENDER, find: 'LOOK_EVERY_MS = 5_000', by: 'LOOK_EVERY_MS = 500' },
  { file: SENDER, find: 'LEASE_MS = 60_000', by: 'LEASE_MS = 5_000' },
  { file: SENDER, find: 'LONGEST_PAUSE_MS = 3 * 3_600_000', by: 'LONGEST_PAUSE_MS = 3_000' },
]
