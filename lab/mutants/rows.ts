import type { Mutant } from './mutant.ts'
import { PACK, ROWS, without } from './sources.ts'

/** Tables and journal that do not say what was decided. */
export const ROW_MUTANTS: readonly Mutant[] = [
  {
    name: 'extensions not in the journal',
    about: 'a change without an entry',
    patches: [
      {
        file: ROWS,
        find: 'this.#journal.add(change, command, previous)',
        by: "if (change.kind !== 'seat_hold_extended') this.#journal.add(change, command, previous)",
      },
      without(
        PACK,
        "assert(change.seq === this.#first.change.seq + this.#count, 'a change left out of the journal')",
      ),
    ],
    scenario: 'mixed',
    second: 'left: a node that catches up trips over the gap',
  },
  {
    name: 'counters forgotten',
    about: 'a hold that is given back stays in the counters of the table',
    patches: [
      {
        file: ROWS,
        find: "this.#end(change, 'cancelled', change.reason)\n        this.#seat(change, FREE)\n        this.#count(change.zoneIndex, { held: -change.quantity })",
        by: "this.#end(change, 'cancelled', change.reason)\n        this.#seat(change, FREE)",
      },
    ],
    scenario: 'groups',
    second: 'left: the check of the table, once the zone seems full',
  },
  {
    name: 'fewer places, none of them free in the table',
    about: 'a hold gets smaller, and the counters of the table do not',
    patches: [without(ROWS, 'this.#count(change.zoneIndex, { held: -change.freed })')],
    scenario: 'fewer places',
    second: 'left: the check of the table, once the zone seems full',
  },
]
