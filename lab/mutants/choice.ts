import type { Mutant } from './mutant.ts'
import { APPLY, SETTLE, without } from './sources.ts'

const COMPANIONS = 'core/event/rules/companions.ts'
const WHOLES = 'core/event/rules/wholes.ts'
const FREE_SEATS = 'core/event/free-seats.ts'

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
        find: 'if (!(hold?.belongsTo(userId) && isAlive(hold, now))) return true',
        by: 'if (!(hold && isAlive(hold, now))) return true',
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
  {
    name: 'a part of a table',
    about: 'some seats of a group that is sold as a whole are given',
    patches: [{ file: WHOLES, find: 'whole?.every(has) === false', by: 'whole?.some(has) === false' }],
    scenario: null,
    second: 'none',
  },
  {
    name: 'orders are not judged when their payment starts',
    about: 'a payment starts for seats that leave another alone, and for a part of a table',
    patches: [
      {
        file: SETTLE,
        find: 'const isNew = starting.length > 0',
        by: 'const isNew = false',
      },
    ],
    scenario: null,
    second: 'none',
  },
  {
    name: 'best available gives what is held',
    about: 'the search for the best seats takes held seats for free',
    patches: [
      {
        file: FREE_SEATS,
        find: 'seatStatus[ordinal] === AVAILABLE && !isKept(state, ordinal)',
        by: 'seatStatus[ordinal]! <= 1 + AVAILABLE && !isKept(state, ordinal)',
      },
    ],
    scenario: null,
    second: 'left: the assertion in apply',
  },
  {
    name: 'best available does not hear of changes',
    about: 'the search for the best seats goes on with the seats that were free when it was first asked',
    patches: [without(APPLY, '  touchSeat(state, ordinal)\n')],
    scenario: null,
    second: 'left: the assertion in apply',
  },
]
