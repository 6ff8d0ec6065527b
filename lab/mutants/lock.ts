import type { Mutant, Patch } from './mutant.ts'
import {
  AVAILABILITY,
  LEDGER,
  NO_ZONE_ASSERT,
  NO_ZONE_CHECK,
  ROUND,
  SCHEMA,
  WRITE_LEDGER,
  WRITE_SEATS,
  without,
} from './sources.ts'

const NO_LOCK: Patch = { file: LEDGER, find: `event_id = $2 for update'`, by: `event_id = $2'` }

const CAPACITY_READ_EARLY: readonly Patch[] = [
  {
    file: ROUND,
    find: 'await store.locked(event, asked, async locked => {',
    by: `for (const zone of hot.state.zones as any[]) zone.seen = zone.held + zone.sold + zone.blocked
await store.locked(event, asked, async locked => {`,
  },
  {
    file: AVAILABILITY,
    find: 'let missing = held + sold + blocked + quantity - zone.capacity',
    by: 'let missing = ((state.zones[zone.zoneIndex] as any).seen ?? held + sold + blocked) + quantity - zone.capacity',
  },
]

/** Writers of one event that get in each other's way. */
export const LOCK_MUTANTS: readonly Mutant[] = [
  {
    name: 'no ledger lock',
    about: 'writers of one event do not wait for each other',
    patches: [NO_LOCK],
    scenario: 'race',
    second: 'left: the ledger only moves from the seq that was read',
  },
  {
    name: 'no ledger lock, nor anything behind it',
    about: 'writers of one event do not wait for each other, and no guard notices',
    patches: [
      NO_LOCK,
      { file: WRITE_LEDGER, find: 'and seq = $3 returning 1', by: 'and $3::bigint is not null returning 1' },
      {
        file: WRITE_SEATS,
        find: 'where s.version = excluded.version_before\n       returning 1)\n     select 1 / (count(*) = $7::int)::int from freed',
        by: 'returning 1)\n     select 1 / (count(*) = $7::int)::int from freed',
      },
      {
        file: WRITE_SEATS,
        find: 'where s.version = excluded.version_before\n       returning 1)\n     select 1 / (count(*) = $19::int)::int from taken',
        by: 'returning 1)\n     select 1 / (count(*) = $19::int)::int from taken',
      },
      {
        file: WRITE_SEATS,
        find: 'where s.version = excluded.version_before\n       returning 1)\n     select 1 / (count(*) = $14::int)::int from kept',
        by: 'returning 1)\n     select 1 / (count(*) = $14::int)::int from kept',
      },
      without(SCHEMA, '  primary key (organization_id, event_id, first_seq),\n'),
      {
        file: SCHEMA,
        find: `raise exception 'entry %`,
        by: `return null; raise exception 'entry %`,
      },
      {
        file: SCHEMA,
        find: `raise exception '% would go back', tg_table_name using`,
        by: `return null; raise exception '% would go back', tg_table_name using`,
      },
      NO_ZONE_CHECK,
    ],
    scenario: 'race',
    second: 'dropped: seq and version checks, the key of the journal, triggers',
  },
  {
    name: 'seq not checked',
    about: 'a node decides on what it remembers, whatever others did since',
    patches: [
      { file: ROUND, find: 'if (missing > 0) {', by: 'if (missing > 1e9) {' },
      {
        file: ROUND,
        find: '} else if (!isSamePoint(point, ledger)) {',
        by: '} else if (missing > 1e9) {',
      },
    ],
    scenario: 'race',
    second: 'left: the ledger only moves from the seq that was read',
  },
  {
    name: 'time read before the lock',
    about: 'the time that judges holds is that of asking for the lock, not of having it',
    patches: [
      {
        file: LEDGER,
        find: "const [, ledger] = await Promise.all([tx.prepared('lock_ledger', LOCK, [eventId]), readLedger(tx, eventId)])\n  return ledger",
        by: "const [early, , ledger] = await Promise.all([readLedger(tx, eventId), tx.prepared('lock_ledger', LOCK, [eventId]), readLedger(tx, eventId)])\n  return ledger && { ...ledger, now: early!.now }",
      },
    ],
    scenario: 'race',
    second: 'none',
  },
  {
    name: 'capacity read before the lock',
    about: 'how full a zone is, is read before the lock and believed afterwards',
    patches: [...CAPACITY_READ_EARLY, NO_ZONE_ASSERT, NO_ZONE_CHECK],
    scenario: 'race',
    second: 'dropped: the assertion in apply, the check of the table',
  },
  {
    name: 'capacity read before the lock, with the check of the table',
    about: 'the same, and only the table notices',
    patches: [...CAPACITY_READ_EARLY, NO_ZONE_ASSERT],
    scenario: 'race',
    second: 'left: the check of the table',
  },
]
