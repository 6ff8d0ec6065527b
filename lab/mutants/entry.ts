import type { TestedMutant } from './mutant.ts'

const SCAN = 'core/entry/scan.ts'
const DAY = 'core/entry/event-day.ts'
const EARLY_EXITS = 'core/entry/early-exits.ts'
const ENTRIES = 'server/src/postgres/tables/entries.ts'
const SCAN_TICKET = 'server/src/events/scan-ticket.ts'
const MIGRATION = 'server/src/postgres/migrations/0029_entries.sql'
const RULES_TEST = 'core/entry/scan.test.ts'
const DAY_TEST = 'core/entry/event-day.test.ts'
const SCANS_TEST = 'server/test/scans.test.ts'

const LINE_NOT_LOCKED = {
  file: ENTRIES,
  find: "tx.prepared('scan_lock_line', LOCK_LINE, [ticketId]),",
  by: 'LOCK_LINE,',
}

/** Whom the gates let in. */
export const ENTRY_MUTANTS: readonly TestedMutant[] = [
  {
    name: 'two gates at one instant',
    about: 'a scan does not lock the ticket; the unique number of its entries is gone as well',
    patches: [
      LINE_NOT_LOCKED,
      { file: ENTRIES, find: 'and id = $2 for no key update', by: 'and id = $2' },
      {
        file: MIGRATION,
        find: 'constraint entries_position unique (organization_id, ticket_id, day, position),',
        by: '',
      },
    ],
    test: SCANS_TEST,
    byCheckouts: true,
  },
  {
    name: 'a moved ticket opens the gate again',
    about: 'entries of the tickets that a ticket was moved from and to do not count',
    patches: [
      {
        file: ENTRIES,
        find: "entriesOfLine('$2')} e) e",
        by: "'entries'} e where organization_id = $1 and ticket_id = $2) e",
      },
    ],
    test: SCANS_TEST,
    byCheckouts: true,
  },
  {
    name: 'two gates at two tickets of one place',
    about: 'a scan does not lock the first of the tickets that its ticket was moved from',
    patches: [LINE_NOT_LOCKED],
    test: SCANS_TEST,
  },
  {
    name: 'a void ticket opens the gate',
    about: 'whether a ticket is void is not looked at',
    patches: [{ file: SCAN, find: 'ticket.voidedAt !== null && ticket.voidedAt <= at', by: 'at < 0' }],
    test: RULES_TEST,
    byCheckouts: true,
  },
  {
    name: 'old paper opens the gate',
    about: 'the version of a ticket is not looked at',
    patches: [
      {
        file: SCAN,
        find: 'if (token.version === ticket.version) return false',
        by: 'if (token.version <= ticket.version) return false',
      },
    ],
    test: RULES_TEST,
  },
  {
    name: 'the day is that of UTC',
    about: 'the time zone of the venue is not looked at',
    patches: [
      {
        file: DAY,
        find: "DateTimeFormat('en-CA', {\n    timeZone,",
        by: "DateTimeFormat('en-CA', {\n    timeZone: 'UTC',",
      },
    ],
    test: DAY_TEST,
  },
  {
    name: 'the night is the next day',
    about: 'a day of an event ends at midnight',
    patches: [{ file: DAY, find: 'const NIGHT_ENDS_AT_HOUR = 5', by: 'const NIGHT_ENDS_AT_HOUR = 0' }],
    test: DAY_TEST,
  },
  {
    name: 'a repeated scan lets another in',
    about: 'a scan that is sent again is judged again',
    patches: [{ file: SCAN_TICKET, find: 'if (asTold.repeated) return', by: 'if (asTold.now < 0) return' }],
    test: SCANS_TEST,
    byCheckouts: true,
  },
  {
    name: 'uploads are judged by what came later',
    about: 'a scan without a network counts uses of the ticket after it',
    patches: [{ file: SCAN_TICKET, find: 'device, until: madeAt })', by: 'device, until: null })' }],
    test: SCANS_TEST,
  },
  {
    name: 'an exit counts twice',
    about: 'of an exit that is told of late it is not asked whether the person has left since',
    patches: [{ file: ENTRIES, find: ',\n      min(inside) filter (where not is_before))', by: ')' }],
    test: SCANS_TEST,
  },
  {
    name: 'an early exit is lost',
    about: 'an exit whose entry is not known yet is not kept',
    patches: [
      {
        file: SCAN_TICKET,
        find: "if (before.code === 'not_inside') insertEarlyExit",
        by: 'if (now < 0) insertEarlyExit',
      },
    ],
    test: SCANS_TEST,
  },
  {
    name: 'an early exit only counts for an entry before it',
    about:
      'an exit that was not counted, because a later one was, does not count when the guest came back between the two',
    patches: [
      {
        file: EARLY_EXITS,
        find: 'at >= entryAt || isInside(known, at, entryAt)',
        by: 'at >= entryAt',
      },
    ],
    test: 'core/entry/early-exits.test.ts',
  },
  {
    name: 'a conflict that is not listed',
    about: 'two gates without a network let a ticket in, and it is not noted',
    patches: [
      {
        file: SCAN_TICKET,
        find: 'if (code !== null) return insertConflict(tx, { ...conflict, entryId, code })',
        by: 'if (code !== null) return',
      },
    ],
    test: SCANS_TEST,
  },
  {
    name: 'a gate whose clock is wrong',
    about: 'a scan that is older than its ticket counts to the day that its gate says',
    patches: [
      { file: SCAN, find: 'if (madeAt < issuedAt - CLOCK_TOLERANCE_MS) return true', by: 'void issuedAt' },
    ],
    test: RULES_TEST,
    byCheckouts: true,
  },
  {
    name: 'an entry for each day before the first',
    about: 'what a gate did before the first day of an event counts to its calendar day',
    patches: [
      {
        file: DAY,
        find: "{ kind: 'before', day: days[0]!.date }",
        by: "{ kind: 'before', day: local.date }",
      },
    ],
    test: RULES_TEST,
  },
  {
    name: 'a standing zone without an end',
    about: 'how many are inside is not looked at',
    patches: [
      {
        file: SCAN,
        find: 'zone !== null && zone.taken >= zone.capacity',
        by: 'zone !== null && zone.taken < 0',
      },
    ],
    test: RULES_TEST,
  },
]
