import type { Mutant } from './mutant.ts'
import { FEED, LANE, TELLING } from './sources.ts'

/** Readers of the feed that hear too early, too little, too much. */
export const FEED_MUTANTS: readonly Mutant[] = [
  {
    name: 'feed before commit',
    about: 'readers are told when a batch is decided, not when it is committed',
    patches: [
      {
        file: LANE,
        find: 'round => ok(decideBatch(round, batch, this.#undecided))',
        by: 'round => {\n        const decided = ok(decideBatch(round, batch, this.#undecided))\n        void this.#telling.tell(hot, round.changes)\n        return decided\n      }',
      },
    ],
    scenario: 'lost commits',
    second: 'none',
  },
  {
    name: 'feed forgets',
    about: 'now and then a change does not reach the readers',
    patches: [
      {
        file: FEED,
        find: 'if (delta) this.#deltas.push(delta)',
        by: 'if (delta && delta.seq % 9 !== 0) this.#deltas.push(delta)',
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
  {
    name: 'identity on the feed',
    about: 'the public feed says who holds a seat',
    patches: [
      {
        file: FEED,
        find: `?? COUNTERS_ONLY, status: 'held' }`,
        by: `?? COUNTERS_ONLY, status: 'held', by: change.userId } as Delta`,
      },
      {
        file: FEED,
        find: '.map(delta => [delta.ordinal, delta.status])',
        by: '.map(delta => [delta.ordinal, delta.status, (delta as any).by])',
      },
    ],
    scenario: 'groups',
    second: 'none',
  },
  {
    name: 'seq that goes back ignored',
    about: 'followers are not told when Postgres has lost what they heard',
    patches: [
      { file: TELLING, find: 'if (isSamePoint(from, to)) return', by: 'if (to.seq <= from.seq) return' },
    ],
    scenario: 'failover',
    second: 'none',
  },
]
