import { ANSWER_MUTANTS } from './answers.ts'
import { CANCELLATION_MUTANTS } from './cancellation.ts'
import { CART_MUTANTS } from './carts.ts'
import { CHOICE_MUTANTS } from './choice.ts'
import { EXPIRY_MUTANTS } from './expiry.ts'
import { FEED_MUTANTS } from './feed.ts'
import { LOCK_MUTANTS } from './lock.ts'
import { MEMORY_MUTANTS } from './memory.ts'
import type { Mutant } from './mutant.ts'
import { OWNER_MUTANTS } from './owners.ts'
import { ROW_MUTANTS } from './rows.ts'
import { SEAT_MUTANTS } from './seats.ts'
import { WARM_MUTANTS } from './warm.ts'

/** Each brings back one bug of the specification, or takes one guard away. */
export const MUTANTS: readonly Mutant[] = [
  ...LOCK_MUTANTS,
  ...EXPIRY_MUTANTS,
  ...SEAT_MUTANTS,
  ...CART_MUTANTS,
  ...OWNER_MUTANTS,
  ...CANCELLATION_MUTANTS,
  ...ROW_MUTANTS,
  ...ANSWER_MUTANTS,
  ...MEMORY_MUTANTS,
  ...FEED_MUTANTS,
  ...WARM_MUTANTS,
  ...CHOICE_MUTANTS,
]
