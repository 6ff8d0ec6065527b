import type { Mutant } from './mutant.ts'
import { CERTAIN, DECIDE_BATCH, ROUND, STORE, TRACE, WRITE_ANSWERS } from './sources.ts'

/** Callers that are told something else than what became of their command. */
export const ANSWER_MUTANTS: readonly Mutant[] = [
  {
    name: 'answered before the commit',
    about: 'callers hear of success when it is decided',
    patches: [
      {
        file: DECIDE_BATCH,
        find: 'return answers\n}',
        by: 'for (const [index, pending] of batch.entries()) pending.settle(answers[index]!)\n  return answers\n}',
      },
    ],
    scenario: 'lost commits',
    second: 'none',
  },
  {
    name: 'unknown called failed',
    about: 'a commit without an answer is reported as if nothing had happened',
    patches: [
      {
        file: TRACE,
        find: 'return (await commandAt(tx, eventId, trace.seq)) === trace.command',
        by: 'return false',
      },
    ],
    scenario: 'late commits',
    second: 'none',
  },
  {
    name: 'unknown called done',
    about: 'a commit without an answer is reported as a success',
    patches: [
      {
        file: TRACE,
        find: 'return (await commandAt(tx, eventId, trace.seq)) === trace.command',
        by: 'return true',
      },
    ],
    scenario: 'lost commits',
    second: 'none',
  },
  {
    name: 'answers not stored',
    about: 'a request that is repeated with its key is served again',
    patches: [
      { file: WRITE_ANSWERS, find: 'if (rows.length === 0) return', by: 'if (rows.length < 1e9) return' },
    ],
    scenario: 'places',
    second: 'none',
  },
  {
    name: 'idempotency not in the transaction',
    about: 'answers are stored a moment after the commit of what they tell of',
    patches: [
      {
        file: STORE,
        find: 'this.#builder.keep(answer)',
        by: `setTimeout(() => void (this as any).late((late: any) => late.query(
            'insert into idempotency_keys (organization_id, key_hash, fingerprint, status, is_sealed, answer) values ($1, $2, $3, $4, false, $5) on conflict do nothing',
            [answer.keyHash, answer.fingerprint, answer.status, answer.answer])).catch(() => {}), 150)`,
      },
      {
        file: STORE,
        find: 'write: state => new PostgresWriter(tx, eventId, state, ledger)',
        by: 'write: state => Object.assign(new PostgresWriter(tx, eventId, state, ledger), { late: (work: any) => database.tenant(scope, work) })',
      },
      { file: DECIDE_BATCH, find: `if (kept) stored.set(kept.keyHash.toString('latin1'), kept)`, by: '' },
    ],
    scenario: 'places',
    second: 'none',
  },
  {
    name: 'a key for any body',
    about: 'whatever is sent with a known key gets the stored answer',
    patches: [{ file: CERTAIN, find: 'stored.fingerprint.equals(key.fingerprint)', by: 'stored' }],
    scenario: 'places',
    second: 'left: an answer only opens with the body it was given to',
  },
  {
    name: 'stored answers of an unknown commit believed',
    about: 'a batch with nothing but stored answers counts as committed, whether it was or not',
    patches: [{ file: ROUND, find: "firstKept && { kind: 'answer', ...firstKept }", by: 'null' }],
    scenario: 'lost answers',
    second: 'none',
  },
]
