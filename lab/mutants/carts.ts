import type { Mutant } from './mutant.ts'
import { CART, LIMITS, SETTLE, TRANSFER } from './sources.ts'

/** The clock of a cart, and how much a buyer may have in it. */
export const CART_MUTANTS: readonly Mutant[] = [
  {
    name: 'cap on extension gone',
    about: 'a buyer who extends again and again keeps a seat without end',
    patches: [{ file: CART, find: 'Math.min(until, capUntil - PAYMENT_WINDOW_MS)', by: 'until' }],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'extension shortens',
    about: 'a buyer who extends while paying is told of an earlier end',
    patches: [
      {
        file: CART,
        find: 'Math.max(heldUntil, Math.min(until, capUntil - PAYMENT_WINDOW_MS))',
        by: 'Math.min(until, capUntil - PAYMENT_WINDOW_MS)',
      },
    ],
    scenario: 'sale',
    second: 'none',
  },
  {
    name: 'an extension leaves the rest of the cart behind',
    about: 'holds of one buyer end one by one',
    patches: [
      {
        file: SETTLE,
        find: 'extendCart(made, livingHolds(hold.user.all, now), heldUntil)',
        by: 'made.extend(hold, { heldUntil })',
      },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'a new hold has a clock of its own',
    about: 'what joins a cart does not end with it',
    patches: [{ file: CART, find: 'if (!some) {', by: 'if (!some || some) {' }],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'limits count holds',
    about: 'a hold of several places counts as one',
    patches: [{ file: LIMITS, find: 'queue?.places ?? 0', by: 'queue?.size ?? 0' }],
    scenario: 'hoarding',
    second: 'none',
  },
  {
    name: 'no limit for a user',
    about: 'max_holds_per_user is not looked at',
    patches: [
      { file: LIMITS, find: 'if (perUser !== null && !makeRoom', by: 'if (perUser === -1 && !makeRoom' },
    ],
    scenario: 'hoarding',
    second: 'none',
  },
  {
    name: "a transfer without the receiver's limit",
    about: 'an account is given whatever guests hold',
    patches: [
      {
        file: TRANSFER,
        find: 'cartOverLimits(state, person, [...staying, ...moving]) ?? tooFarApart(moving, staying)',
        by: 'tooFarApart(moving, staying)',
      },
    ],
    scenario: 'signing in',
    second: 'none',
  },
  {
    name: "a transfer leaves the receiver's clock behind",
    about: 'what an account holds does not end with what it is given',
    patches: [
      {
        file: TRANSFER,
        find: 'if (hold.heldUntil !== times.heldUntil || hold.capUntil !== times.capUntil) made.extend(hold, times)',
        by: '',
      },
    ],
    scenario: 'signing in',
    second: 'none',
  },
]
