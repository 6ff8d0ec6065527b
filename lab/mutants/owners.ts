import type { Mutant } from './mutant.ts'
import { ENGINE, HOLD, SETTLE } from './sources.ts'

/** What belongs to one buyer or organization, and is given to another. */
export const OWNER_MUTANTS: readonly Mutant[] = [
  {
    name: 'organization filter gone',
    about: 'an event in memory is found by its id alone',
    patches: [
      { file: ENGINE, find: 'let lane = this.#lanes.get(key)', by: 'let lane = this.#lanes.get(eventId)' },
      { file: ENGINE, find: 'this.#lanes.set(key, lane)', by: 'this.#lanes.set(eventId, lane)' },
    ],
    scenario: 'groups',
    second: 'none: row-level security never sees the stranger',
  },
  {
    name: 'anybody may release',
    about: 'a hold is given back by whoever knows its id',
    patches: [
      { file: SETTLE, find: 'return hold.user.key === command.actor.person.userId', by: 'return true' },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'anybody may extend',
    about: 'a hold is extended by whoever knows its id',
    patches: [{ file: SETTLE, find: ': hold?.user.key === userId', by: ': true' }],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'what is mine is not known',
    about: 'whoever asks again for a seat they hold is told that another has it',
    patches: [
      {
        file: HOLD,
        find: 'return hold !== null && hold.user.key === userId && isAlive(hold, now) ? hold : null',
        by: 'return null',
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
]
