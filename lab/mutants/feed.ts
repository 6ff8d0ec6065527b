import type { Mutant } from './mutant.ts'
import { FEED, LANE, LANE_MEMORY } from './sources.ts'

/** Readers of the feed that hear too early, too little, too much. */
export const FEED_MUTANTS: readonly Mutant[] = [
  {
    name: 'feed before commit',
    about: 'readers are told when a batch is decided, not when it is committed',
    patches: [
      {
        file: LANE,
        find: 'round => ok(decideBatch(round, batch, undecided))',
        by: "round => {\n        const decided = ok(decideBatch(round, batch, undecided))\n        const { seq } = round.hot.state\n        this.#deps.watch.heard({ kind: 'committed', scope: this.scope, eventId: this.eventId, seq, tip: null, changes: round.changes }, new CommittedView(this, round.hot))\n        return decided\n      }",
      },
      {
        file: LANE,
        find: "import type { CommittedView } from '../view/committed-view.ts'",
        by: "import { CommittedView } from './committed-view.ts'",
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
        find: 'for (const delta of this.#deltasOf(change)) this.#deltas.push(delta)',
        by: 'for (const delta of this.#deltasOf(change)) if (delta.seq % 9 !== 0) this.#deltas.push(delta)',
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
      {
        file: LANE_MEMORY,
        find: 'const isKnown = isSamePoint(from, to) && from.epoch === loaded.epoch && !this.#isBroken',
        by: 'const isKnown = to.seq <= from.seq && !this.#isBroken',
      },
    ],
    scenario: 'failover',
    second: 'none',
  },
]
