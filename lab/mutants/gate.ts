import type { Mutant } from './mutant.ts'
import { LANE } from './sources.ts'

const GATE = 'server/src/warm/gate.ts'

/** Bugs of the gate: the first shows while Redis is out of reach, the second under any load. */
export const GATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'the gate fails closed',
    about: 'while Redis does not answer, every seat is refused',
    patches: [
      {
        file: GATE,
        find: 'refusals = new Map()\n',
        by: `refusals = new Map(asked.map(({ index, command }) => [
        index,
        {
          kind: 'seat_held_by_another_user',
          seatIds: command.ordinals.map(ordinal => view.state.seats.seatIds.at(ordinal)),
          expiresIn: 1,
        } as const,
      ]))\n`,
      },
    ],
    scenario: 'redis gate',
    second: 'none',
  },
  {
    name: 'the gate grants',
    about: 'what passes the gate is answered by memory, and Postgres is not asked',
    patches: [
      {
        file: LANE,
        find: "import type { Command } from '@voelgoed/core/event/command'\n",
        by: `import type { Command } from '@voelgoed/core/event/command'
import { decide } from '@voelgoed/core/event/decide'\n`,
      },
      {
        file: LANE,
        find: 'if (passed.length > 0) await this.#decideUnderLock(passed)',
        by: `const view = this.view!
      for (const { command, settle } of passed) {
        const now = databaseNow(view, this.#deps.time)
        settle({ kind: 'decided', outcome: decide(view.state, command, now), now, hall: view, kept: null })
      }`,
      },
    ],
    scenario: 'redis gate',
    second: 'none',
  },
]
