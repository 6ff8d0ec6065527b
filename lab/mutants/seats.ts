import type { Mutant } from './mutant.ts'
import {
  APPLY,
  AVAILABILITY,
  HOLD,
  NEW_CHANGES,
  NO_ZONE_ASSERT,
  NO_ZONE_CHECK,
  SCHEMA,
  SELL,
  SETTLE,
  without,
} from './sources.ts'

/** Seats and tickets that are granted though they must not be. */
export const SEAT_MUTANTS: readonly Mutant[] = [
  {
    name: 'sold seats can be held',
    about: 'whether a seat is sold is not looked at',
    patches: [
      {
        file: AVAILABILITY,
        find: 'const status = state.seatStatus[ordinal]!\n',
        by: 'const status = state.seatStatus[ordinal]! === 2 ? AVAILABLE : state.seatStatus[ordinal]!\n',
      },
      without(APPLY, "assert(state.seatStatus[ordinal] === from, 'a transition that is not legal')"),
      NO_ZONE_ASSERT,
      NO_ZONE_CHECK,
      {
        file: SCHEMA,
        find: `when (old.status = 'sold') execute function refuse_unselling()`,
        by: 'when (false) execute function refuse_unselling()',
      },
    ],
    scenario: 'sale',
    second: 'dropped: the assertion in apply, the trigger and the check of the tables',
  },
  {
    name: 'part of a group',
    about: 'of several seats those are held that are free',
    patches: [
      {
        file: HOLD,
        find: 'const { actor, ordinals, holdIds } = command',
        by: `const { actor, holdIds: ids } = command
  const some = command.ordinals.filter(ordinal => statusAt(state, ordinal, now) === AVAILABLE)
  const ordinals = some.length > 0 ? some : command.ordinals
  const holdIds = ids.slice(0, ordinals.length)`,
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
  {
    name: 'an empty checkout',
    about: 'a checkout without holds is a success',
    patches: [SETTLE, SELL].map(file =>
      without(file, "if (holds.length === 0) return refuse({ kind: 'hold_not_found' })"),
    ),
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'crossed checkouts',
    about: 'a hold that is in payment is sold by another checkout',
    patches: [
      {
        file: SELL,
        find: 'again === null && hold!.checkoutId !== null && hold!.checkoutId !== checkoutId',
        by: 'again === null && hold === null',
      },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'fewer places, none of them free',
    about: 'a hold gets smaller, and the zone stays as full',
    patches: [without(APPLY, 'zoneOf(state, change).held -= change.freed')],
    scenario: 'fewer places',
    second: 'none',
  },
  {
    name: 'more places free than a hold loses',
    about: 'a hold that loses one place frees two',
    patches: [
      {
        file: NEW_CHANGES,
        find: 'const freed = hold.quantity - quantity',
        by: 'const freed = hold.quantity - quantity + 1',
      },
      without(
        APPLY,
        "assert(hold.quantity - change.quantity === change.freed, 'a hold reduced by another number')",
      ),
    ],
    scenario: 'fewer places',
    second: 'dropped: the assertion in apply',
  },
]
