import type { Mutant } from './mutant.ts'
import { CANCELLED, END_HOLDS, SETTLE } from './sources.ts'

/** Cancelled events that keep something. */
export const CANCELLATION_MUTANTS: readonly Mutant[] = [
  {
    name: 'only the first holds of a cancelled event end',
    about: 'ending the holds of a cancelled event stops after the first chunk',
    patches: [
      { file: CANCELLED, find: 'const CHUNK = 2_000', by: 'const CHUNK = 5' },
      { file: CANCELLED, find: 'if (count < CHUNK) break', by: 'break' },
      { file: CANCELLED, find: 'const LOOK_EVERY_MS = 5_000', by: 'const LOOK_EVERY_MS = 50_000_000' },
    ],
    scenario: 'cancelling',
    second: 'dropped: the look for holds that were left behind, every five seconds',
  },
  {
    name: 'a cancelled event keeps what is being paid for',
    about: 'holds in payment do not end with their event',
    patches: [
      {
        file: END_HOLDS,
        find: "if (command.reason === 'event_cancelled') return true",
        by: "if (command.reason === 'event_cancelled') return hold.checkoutId === null",
      },
    ],
    scenario: 'cancelling',
    second: 'none',
  },
  {
    name: 'holds of a cancelled event can be used',
    about: 'a hold can be extended, paid for and transferred until it is ended, whatever became of its event',
    patches: [
      { file: CANCELLED, find: 'limit: CHUNK,', by: 'limit: 1,' },
      { file: CANCELLED, find: 'if (count < CHUNK) break', by: 'break' },
      {
        file: SETTLE,
        find: "if (status === 'cancelled' || status === 'archived') return refuse({ kind: 'event_not_available', status })",
        by: '',
      },
    ],
    scenario: 'cancelling',
    second: 'none; the patch also makes the holds end slowly, or hardly any of them could be used in time',
  },
]
