import type { Mutant, TestedMutant } from './mutant.ts'
import { without } from './sources.ts'

const COMPANIONS = 'core/event/rules/companions.ts'

/** Rules about which seats go together, and the choice of the best seats. */
export const CHOICE_MUTANTS: readonly Mutant[] = [
  {
    name: 'companion seats are for anyone',
    about: 'a companion seat is given without its wheelchair place',
    patches: [
      {
        file: COMPANIONS,
        find: 'if (!isKept(state, ordinal)) return false',
        by: 'if (ordinal >= 0) return false',
      },
    ],
    scenario: null,
    second: 'none',
  },
  {
    name: "another buyer's wheelchair place will do",
    about: 'a companion seat is given to any buyer while some buyer holds its wheelchair place',
    patches: [
      {
        file: COMPANIONS,
        find: 'return !(hold?.belongsTo(userId) && isAlive(hold, now))',
        by: 'return !(hold && isAlive(hold, now))',
      },
    ],
    scenario: null,
    second: 'none',
  },
  {
    name: 'companion seats released too early',
    about: 'companion seats are released one seat before enough is taken',
    patches: [{ file: COMPANIONS, find: 'occupied * 100 < needed', by: '(occupied + 1) * 100 < needed' }],
    scenario: null,
    second: 'none',
  },
]

/** No buyer of the lab meets these. */
export const TESTED_CHOICE_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'released companion seats forgotten on restart',
    about: 'a state that is made of the tables keeps companion seats that were released',
    patches: [
      without(
        'core/event/restore.ts',
        '  for (const zoneIndex of rows.companionsReleased) state.zones[zoneIndex]!.companionsReleased = true\n',
      ),
    ],
    test: 'core/event/properties.test.ts',
  },
]
