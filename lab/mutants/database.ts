import type { TestedMutant } from './mutant.ts'

const POOLER_TEST = 'server/test/pooler.test.ts'
const READ_ONLY_TEST = 'server/test/read-only.test.ts'

/** These believe connections to Postgres unasked, and mistake a Postgres that takes no writes. */
export const DATABASE_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'a connection is believed to have its role',
    about: 'a pooler drops what connections begin with, and requests run as the owner',
    patches: [
      {
        file: 'server/src/postgres/start-settings.ts',
        find: 'if (lost.length === 0) return',
        by: 'if (lost.length >= 0) return',
      },
    ],
    test: POOLER_TEST,
  },
  {
    name: 'the owner sees all',
    about: 'a connection without its role sees the rows of every organization',
    patches: [
      {
        file: 'server/src/postgres/migrations/0069_the_owner_asks.sql',
        find: `return current_user = 'voelgoed_platform' or current_setting('app.all_organizations', true) = 'on';`,
        by: 'return true;',
      },
    ],
    test: POOLER_TEST,
  },
  {
    name: 'a deaf node',
    about: 'a node starts behind a pooler that loses what other nodes tell it',
    patches: [
      {
        file: 'server/src/postgres/prove-line.ts',
        find: 'return await heard',
        by: 'return (await heard) || true',
      },
    ],
    test: POOLER_TEST,
  },
  {
    name: 'read-only is a fault of ours',
    about: 'a Postgres that takes no writes is answered with 500, which tells buyers not to try again',
    patches: [{ file: 'server/src/postgres/outage.ts', find: '  READ_ONLY,\n', by: '' }],
    test: READ_ONLY_TEST,
  },
  {
    name: 'faithful to a primary that was',
    about: 'connections to a Postgres that takes no writes any more are used again and again',
    patches: [
      {
        file: 'server/src/postgres/sightings.ts',
        find: 'return (this.#bornIn.get(client) ?? 0) < this.#era',
        by: 'return (this.#bornIn.get(client) ?? 0) < 0',
      },
    ],
    test: READ_ONLY_TEST,
  },
]
