import type { Mutant } from './mutant.ts'
import { APPLY, HOLD, LANES, ROWS, SETTLE, TRANSFER, without } from './sources.ts'

/** These give something to one buyer or organization that belongs to another. */
export const OWNER_MUTANTS: readonly Mutant[] = [
  {
    name: 'organization filter gone',
    about: 'an event in memory is found by its id alone',
    patches: [
      { file: LANES, find: 'let lane = this.#lanes.get(key)', by: 'let lane = this.#lanes.get(eventId)' },
      { file: LANES, find: 'this.#lanes.set(key, lane)', by: 'this.#lanes.set(eventId, lane)' },
    ],
    scenario: 'groups',
    second: 'none: row-level security never sees the stranger',
  },
  {
    name: 'any user may release',
    about: 'any user who knows the id of a hold releases it',
    patches: [
      { file: SETTLE, find: 'return hold.belongsTo(command.actor.person.userId)', by: 'return true' },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'any user may extend',
    about: 'any user who knows the id of a hold extends it',
    patches: [{ file: SETTLE, find: 'if (!hold?.belongsTo(userId)) return', by: 'if (!hold) return' }],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'what is mine is not known',
    about: 'a buyer who asks again for a seat they hold is told that another has it',
    patches: [
      {
        file: HOLD,
        find: 'return hold?.belongsTo(userId) && isAlive(hold, now) ? hold : null',
        by: 'return null',
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
  {
    name: "a transferred hold stays the guest's in the tables",
    about: 'the row of a hold that changes hands keeps its owner',
    patches: [without(ROWS, '        hold.userId = change.userId\n')],
    scenario: 'signing in',
    second: 'none',
  },
  {
    name: "a transferred hold stays the guest's in memory",
    about: 'the account can not use what it was given',
    patches: [without(APPLY, '      moveHold(state, hold, change)\n')],
    scenario: 'signing in',
    second: 'none',
  },
  {
    name: 'places transferred twice',
    about: 'a hold of places changes hands twice with one command',
    patches: [
      {
        file: TRANSFER,
        find: 'moving.map(hold => made.transfer(hold, person.userId, times))',
        by: 'moving.map(hold => (hold.ordinal === null && made.transfer(hold, person.userId, times), made.transfer(hold, person.userId, times)))',
      },
    ],
    scenario: 'signing in',
    second: 'none: only seats have a version that two changes would trip over',
  },
]
