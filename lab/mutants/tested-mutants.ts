import { CHECKOUT_MUTANTS } from './checkouts.ts'
import { TESTED_CHOICE_MUTANTS } from './choice.ts'
import { COPY_MUTANTS } from './copies.ts'
import { DATABASE_MUTANTS } from './database.ts'
import { ENTRY_MUTANTS } from './entry.ts'
import { GUEST_MUTANTS } from './guests.ts'
import { MAIL_MUTANTS } from './mails.ts'
import { MOVE_MUTANTS } from './moves.ts'
import type { TestedMutant } from './mutant.ts'
import { ORDER_MUTANTS } from './orders.ts'
import { REFUND_MUTANTS } from './refunds.ts'
import { SALE_MUTANTS } from './sales.ts'
import { TICKET_MUTANTS } from './tickets.ts'

/** All that a test shows. */
export const TESTED_MUTANTS: readonly TestedMutant[] = [
  ...COPY_MUTANTS,
  ...GUEST_MUTANTS,
  ...TESTED_CHOICE_MUTANTS,
  ...ORDER_MUTANTS,
  ...MOVE_MUTANTS,
  ...CHECKOUT_MUTANTS,
  ...SALE_MUTANTS,
  ...REFUND_MUTANTS,
  ...ENTRY_MUTANTS,
  ...TICKET_MUTANTS,
  ...MAIL_MUTANTS,
  ...DATABASE_MUTANTS,
]
