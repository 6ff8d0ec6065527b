import type { TestedMutant } from './mutant.ts'

const KEYS = 'server/src/tickets/ticket-keys.ts'
const SEAL = 'server/src/tickets/seal-key.ts'
const TICKETS = 'server/src/postgres/tables/tickets.ts'
const MIGRATION = 'server/src/postgres/migrations/0027_ticket_keys.sql'
const KEYS_TEST = 'server/src/tickets/ticket-keys.test.ts'
const TICKETS_TEST = 'server/test/tickets.test.ts'

/** Which tickets are good. That old paper opens a gate is among the mutants of entry. */
export const TICKET_MUTANTS: readonly TestedMutant[] = [
  {
    name: "a neighbour's ticket is good",
    about: 'a ticket is verified with the keys of the organization that asked first',
    patches: [
      {
        file: KEYS,
        find: 'const known = this.#known.get(scope.organizationId)',
        by: 'const known = this.#known.values().next().value',
      },
    ],
    test: KEYS_TEST,
  },
  {
    name: 'any signature is good',
    about: 'a token that has the form of one is taken for signed',
    patches: [{ file: KEYS, find: 'return isGood ? {', by: 'return read ? {' }],
    test: KEYS_TEST,
  },
  {
    name: 'a sealed key opens in any row',
    about: 'the seal does not name the organization and the key',
    patches: [
      {
        file: SEAL,
        find: 'function nameOf({ organizationId, keyId }: KeyPlace): Buffer {',
        by: 'function nameOf({ organizationId, keyId }: KeyPlace): Buffer {\n  if (keyId !== organizationId) return Buffer.alloc(0)',
      },
    ],
    test: KEYS_TEST,
  },
  {
    name: 'a reissue keeps the version',
    about: 'the paper of a ticket that was issued again stays good; the trigger is gone as well',
    patches: [
      { file: TICKETS, find: 'set version = version + 1', by: 'set version = version' },
      {
        file: MIGRATION,
        find: 'or new.version <> old.version + case when new.voided_at is null then 1 else 0 end',
        by: 'or false',
      },
    ],
    test: TICKETS_TEST,
  },
  {
    name: 'a void ticket is issued again',
    about:
      'whether a ticket is void is not looked at when it is issued again; the trigger refuses it with a 500',
    patches: [
      { file: TICKETS, find: 'and id = $2 and voided_at is null returning', by: 'and id = $2 returning' },
    ],
    test: TICKETS_TEST,
  },
]
