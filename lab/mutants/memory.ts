import type { Mutant } from './mutant.ts'
import { CERTAIN, LANE, LANES, VIEW } from './sources.ts'

const TURNS = '(this.#queue.length === 0 || !this.#wasExclusive)'

/** These break what a node remembers of an event, when it trusts that, and who waits for whom. */
export const MEMORY_MUTANTS: readonly Mutant[] = [
  {
    name: 'memory refuses what is held',
    about:
      'a seat that is held in memory is refused without a proof, though another node may have released it',
    patches: [
      {
        file: CERTAIN,
        find: 'const isExact = hasMovedOn || isSamePoint(view.point, ledger)',
        by: 'const isExact = hasMovedOn || isSamePoint(view.point, view.point)',
      },
      { file: LANES, find: '?.heard(seq)', by: '' },
    ],
    scenario: 'groups',
    second: 'dropped: announcements of other nodes are not heard, so that memory is as old as it may be',
  },
  {
    name: 'own reads do not wait',
    about:
      'a person who reads what is theirs gets what this node has heard of, and may miss what they did last',
    patches: [
      {
        file: LANE,
        find: 'if (isProved() || !this.view) return true',
        by: 'if (isProved() || seq !== null) return true',
      },
    ],
    scenario: 'mixed',
    second: 'none',
  },
  {
    name: 'readers see what is not committed',
    about: 'the view that readers read is the state that the lane decides on',
    patches: [
      {
        file: VIEW,
        find: 'return { ...this.#hot, state: copyState(this.#hot.state) }',
        by: 'return this.#hot',
      },
      {
        file: VIEW,
        find: "assert(follows, 'a fact that does not follow')",
        by: 'if (!follows) return',
      },
    ],
    scenario: 'lost commits',
    second: 'dropped: the view takes no fact that does not follow',
  },
  {
    name: 'catching up before commands',
    about: 'a node catches up with announcements before it serves its buyers',
    patches: [
      {
        file: LANE,
        find: 'const work = this.#next() ?? (sync && (() => this.#syncNow()))',
        by: 'const work = (sync && (() => this.#syncNow())) ?? this.#next()',
      },
    ],
    scenario: 'slow line',
    second: 'none',
  },
  {
    name: 'exclusive work waits for all commands',
    about: 'what staff change waits until no buyer asks for anything',
    patches: [{ file: LANE, find: TURNS, by: 'this.#queue.length === 0' }],
    scenario: null,
    second: 'none',
  },
  {
    name: 'commands wait for all exclusive work',
    about: 'buyers wait until staff change nothing',
    patches: [{ file: LANE, find: TURNS, by: 'this.#exclusives.length > 0' }],
    scenario: null,
    second: 'none',
  },
]
