import { randomUUID } from 'node:crypto'
import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import { ChangePacker } from '@voelgoed/core/event/packed-changes'
import type {
  CheckoutId,
  CommandId,
  EventId,
  HoldId,
  OrganizationId,
  TicketId,
  UserId,
} from '@voelgoed/core/ids'
import { DEFAULT_POLICY } from '@voelgoed/core/policy'
import { writeJournal } from '@voelgoed/engine/batch/journal'
import {
  commandAt,
  continueJournal,
  entriesBetween,
  readJournal,
  storyOf,
} from '@voelgoed/engine/tables/journal'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { connectDatabase, type Database } from '@voelgoed/kit/postgres/database'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, expect, it } from 'vitest'

const OURS = '10000000-0000-7000-8000-000000000000' as OrganizationId
const EVENT = '10000000-0000-7000-8000-000000000001' as EventId
const HOLD = '10000000-0000-7000-8000-000000000002' as HoldId
const USER = '10000000-0000-7000-8000-000000000003' as UserId
const OTHER = '10000000-0000-7000-8000-000000000004' as UserId
const CHECKOUT = '10000000-0000-7000-8000-000000000005' as CheckoutId
const TICKET = '10000000-0000-7000-8000-000000000006' as TicketId
const AT = 1_790_000_000_123

const hold = { holdId: HOLD, ordinal: 7, version: 2, zoneIndex: 1, quantity: 1 }
const places = { holdId: HOLD, ordinal: null, version: null, zoneIndex: 1, quantity: 2 }
const seat = { ordinal: 7, version: 2, zoneIndex: 1, reason: 'a "camera"' }
const until = { heldUntil: AT + 60_000, capUntil: AT + 90_000 }

type MembersOf<K extends Change['kind']> = Omit<Extract<Change, { kind: K }>, 'kind' | 'seq' | 'at'>

/** Changes of every kind, with what may be left out and without it. */
const MEMBERS: { readonly [K in Change['kind']]: readonly MembersOf<K>[] } = {
  seat_reserved: [
    { ...hold, ...until, userId: USER, ip: '10.0.0.1', cartToken: 'a "cart"' },
    { ...places, ...until, userId: OTHER, ip: '10.0.0.2', cartToken: null },
    { ...hold, ...until, userId: USER, ip: null, cartToken: null },
  ],
  seat_hold_extended: [
    { ...hold, heldUntil: AT + 1 },
    { ...hold, ...until },
  ],
  payment_started: [{ ...hold, checkoutId: CHECKOUT, heldUntil: AT + 1 }],
  payment_ended: [{ ...hold, checkoutId: CHECKOUT }],
  hold_reduced: [{ ...places, freed: 1 }],
  hold_transferred: [
    { ...hold, ...until, userId: USER },
    { ...hold, ...until, userId: OTHER },
  ],
  seat_hold_expired: [hold, places],
  seat_released: [
    { ...hold, reason: 'admin_override', notes: 'asked “twice”' },
    { ...hold, reason: 'user_cancelled', notes: null },
  ],
  seat_converted: [
    {
      ...hold,
      userId: USER,
      checkoutId: CHECKOUT,
      ticketIds: [HOLD as string as TicketId, USER as string as TicketId],
    },
  ],
  seat_blocked: [seat],
  seat_unblocked: [seat],
  companions_released: [{ zoneIndex: 1, occupied: 9, capacity: 10, ordinals: [3, 4] }],
  ticket_voided: [
    { ticketId: TICKET, ordinal: 7, version: 2, zoneIndex: 1, reason: 'a "camera"' },
    { ticketId: TICKET, ordinal: null, version: null, zoneIndex: 1, reason: 'ill' },
  ],
  event_changed: [
    { status: 'live', saleStart: null, saleEnd: AT, policy: DEFAULT_POLICY },
    { zones: [{ zoneIndex: 1, capacity: 9, access: { kind: 'public' } as never, disabled: false }] },
  ],
}

const person = { userId: USER, role: 'customer' as const, membershipTier: null, membershipStatus: null }
const ACTORS: readonly Command['actor'][] = [
  { person, ip: null, source: 'web', from: { address: '10.0.0.1', userAgent: 'a "browser"' } },
  { person, ip: null, source: 'admin', from: { address: '10.0.0.1', userAgent: null } },
  { person: null, ip: null, source: 'system' },
]

let test: TestDatabase
let database: Database
const changes: Change[] = []
const commands: Command[] = []
/** The changes of each row: every kind, given by every actor; the last row has two moments in it. */
const ROWS = ACTORS.length + 1

beforeAll(async () => {
  test = await createTestDatabase()
  database = connectDatabase(test.url, { maxConnections: 2, connectSeconds: WITHIN_MS / 1_000 })
  await test.sql('set session_replication_role = replica')
  await test.sql('alter table event_ledgers disable trigger all')
  await test.sql('insert into event_ledgers (organization_id, event_id) values ($1, $2)', [OURS, EVENT])
  for (let row = 0; row < ROWS; row += 1) {
    const packer = new ChangePacker()
    for (const [kind, ofKind] of Object.entries(MEMBERS)) {
      for (const [index, members] of ofKind.entries()) {
        const actor = ACTORS[row % ACTORS.length]!
        const command = { commandId: randomUUID() as CommandId, actor } as Command
        const at = row === ACTORS.length ? AT + index : AT
        const change = { ...members, kind, seq: changes.length + 1, at } as unknown as Change
        const isOfHold = 'holdId' in change
        packer.add(change, command, isOfHold ? (changes.findLast(one => 'holdId' in one)?.seq ?? 0) : 0)
        changes.push(change)
        commands.push(command)
      }
    }
    await database.lanes.tenant(TenantScope.of(OURS), async tx => {
      writeJournal(tx, EVENT, packer.pack()!)
    })
    await test.sql('update event_ledgers set seq = $1', [changes.length])
  }
})
afterAll(async () => {
  await database.close()
  await test.drop()
})

it('the view in the database and the program read the same', async () => {
  const seen = await test.sql<Record<string, unknown>>(
    `select seq::int, kind, command_id, actor_id, source, floor(extract(epoch from at) * 1000)::float8 as at,
       previous::int, body from journal_entries order by seq`,
  )
  const read = await database.tenant(TenantScope.of(OURS), tx =>
    entriesBetween(tx, EVENT, { from: 1, to: changes.length }),
  )
  expect(read.map(entry => entry.change)).toEqual(changes)
  expect(seen).toEqual(
    read.map(({ change, commandId, actorId, source, from, previous }) => {
      const { seq, kind, at, ...members } = change
      return {
        seq,
        kind,
        command_id: commandId,
        actor_id: actorId,
        source,
        at,
        previous,
        body: { ...members, ...from },
      }
    }),
  )
})

it('reading may begin and end inside a row', async () => {
  await database.tenant(TenantScope.of(OURS), async tx => {
    expect(await readJournal(tx, EVENT, 3, 40)).toEqual(changes.slice(3, 43))
    expect(await readJournal(tx, EVENT, 0, 1)).toEqual(changes.slice(0, 1))
    expect(await readJournal(tx, EVENT, changes.length, 5)).toEqual([])
    const from = { seq: 5, tip: commands[4]!.commandId }
    expect(await continueJournal(tx, EVENT, from, 30)).toEqual({
      changes: changes.slice(5, 35),
      to: { seq: 35, tip: commands[34]!.commandId },
    })
    expect(await continueJournal(tx, EVENT, { ...from, tip: null }, 1)).toMatchObject({ to: { seq: 6 } })
    expect(await continueJournal(tx, EVENT, { seq: 5, tip: commands[5]!.commandId }, 30)).toBe(null)
    expect(await continueJournal(tx, EVENT, { seq: 0, tip: null }, 2)).toMatchObject({ to: { seq: 2 } })
  })
})

it('the trace of a batch is the first command of its row, and no other', async () => {
  await database.tenant(TenantScope.of(OURS), async tx => {
    const perRow = changes.length / ROWS
    expect(await commandAt(tx, EVENT, 1)).toBe(commands[0]!.commandId)
    expect(await commandAt(tx, EVENT, perRow + 1)).toBe(commands[perRow]!.commandId)
    expect(await commandAt(tx, EVENT, 2)).toBe(null)
  })
})

it('the story of a hold leads through rows back to its beginning', async () => {
  const ofHold = changes.filter(change => 'holdId' in change).map(change => change.seq)
  const story = await database.tenant(TenantScope.of(OURS), tx =>
    storyOf(tx, EVENT, [ofHold.at(-1)!, ofHold[3]!]),
  )
  expect(story.map(({ change }) => change.seq)).toEqual(ofHold)
})

it('a story of any length is read: its first entries, and those after any of them', async () => {
  const LONG = '10000000-0000-7000-8000-000000000009' as EventId
  // More rows than a page has, and more entries.
  const [ROWS_OF_STORY, A_ROW] = [300, 100]
  await test.sql('insert into event_ledgers (organization_id, event_id) values ($1, $2)', [OURS, LONG])
  const command = { commandId: randomUUID() as CommandId, actor: ACTORS[0]! } as Command
  for (let row = 0; row < ROWS_OF_STORY; row += 1) {
    const packer = new ChangePacker()
    for (let seq = row * A_ROW + 1; seq <= (row + 1) * A_ROW; seq += 1) {
      packer.add({ ...hold, kind: 'seat_hold_extended', heldUntil: AT, seq, at: AT }, command, seq - 1)
    }
    await database.lanes.tenant(TenantScope.of(OURS), async tx => {
      writeJournal(tx, LONG, packer.pack()!)
    })
    await test.sql('update event_ledgers set seq = $1 where event_id = $2', [(row + 1) * A_ROW, LONG])
  }
  const last = ROWS_OF_STORY * A_ROW
  const read = (wish: Parameters<typeof storyOf>[3]) =>
    database.tenant(TenantScope.of(OURS), async tx =>
      (await storyOf(tx, LONG, [last], wish)).map(entry => entry.change.seq),
    )
  expect(await read({})).toHaveLength(last)
  expect(await read({ limit: 3 })).toEqual([1, 2, 3])
  expect(await read({ afterSeq: 1_500, limit: 2 })).toEqual([1_501, 1_502])
  expect(await read({ afterSeq: last - 1, limit: 2 })).toEqual([last])
})
