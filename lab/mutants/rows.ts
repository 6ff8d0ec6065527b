import type { Mutant } from './mutant.ts'
import { HISTORY, PACK, ROWS, SCHEMA, WRITE_LEDGER, without } from './sources.ts'

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
        find: 'this.#release(change)\n        this.#count(',
        by: "this.#release(change)\n        if (change.kind !== 'seat_released') this.#count(",
      },
    ],
    scenario: 'groups',
    second: 'left: the check of the table, once the zone seems full',
  },
  {
    name: 'the history of a hold written twice',
    about: 'a hold that has ended is in the history twice',
    patches: [
      {
        file: HISTORY,
        find: 'insertHolds(tx, eventId, ended)',
        by: 'insertHolds(tx, eventId, [...ended, ...ended])',
      },
      without(SCHEMA, '  primary key (organization_id, id),\n  check (ordinal is null or quantity = 1),\n'),
    ],
    scenario: 'mixed',
    second: 'dropped: the key of the history',
  },
  {
    name: 'the cursor of the history moved without its rows',
    about: 'the history ends in the middle of what has ended',
    patches: [
      {
        file: HISTORY,
        find: 'insertHolds(tx, eventId, ended)',
        by: 'insertHolds(tx, eventId, ended.slice(1))',
      },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'a page of a long history skipped',
    about: 'the history of a hold that was changed often has a gap',
    patches: [
      { file: HISTORY, find: 'wanted, STEPS_A_PAGE)', by: 'wanted, 1)' },
      {
        file: HISTORY,
        find: 'import { entriesBetween, STEPS_A_PAGE, storyPage }',
        by: 'import { entriesBetween, storyPage }',
      },
      {
        file: HISTORY,
        find: 'wanted = page.rest',
        by: 'wanted = (await storyPage(tx, eventId, page.rest, 1)).rest',
      },
    ],
    scenario: 'mixed',
    second: 'none; the patch also makes pages short, or no hold of a run would fill one',
  },
  {
    name: 'the tip of the ledger not written',
    about: 'the ledger goes on with the command of the first batch, whatever came after it',
    patches: [{ file: WRITE_LEDGER, find: 'tip = coalesce($6, tip)', by: 'tip = coalesce(tip, $6)' }],
    scenario: 'mixed',
    second: 'left: a node that has another tip loads the event again, each time',
  },
  {
    name: 'fewer places, none of them free in the table',
    about: 'a hold gets smaller, and the counters of the table do not',
    patches: [without(ROWS, 'this.#count(change.zoneIndex, { held: -change.freed })')],
    scenario: 'fewer places',
    second: 'left: the check of the table, once the zone seems full',
  },
]
