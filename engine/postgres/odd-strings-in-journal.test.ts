import { randomUUID } from 'node:crypto'
import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import { ChangePacker } from '@voelgoed/core/event/packed-changes'
import type { CommandId, EventId, HoldId, OrganizationId, UserId } from '@voelgoed/core/ids'
import { writeJournal } from '@voelgoed/engine/batch/journal'
import { entriesBetween } from '@voelgoed/engine/tables/journal'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { connectDatabase, type Database } from '@voelgoed/kit/postgres/database'
import { createTestDatabase, type TestDatabase } from '@voelgoed/testing/test-database'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'

const OURS = '10000000-0000-7000-8000-000000000000' as OrganizationId
const EVENT = '10000000-0000-7000-8000-000000000001' as EventId
const AT = 1_790_000_000_123

let test: TestDatabase
let database: Database
beforeAll(async () => {
  test = await createTestDatabase()
  database = connectDatabase(test.url, { maxConnections: 2 })
  await test.sql('set session_replication_role = replica')
  await test.sql('alter table event_ledgers disable trigger all')
  await test.sql('insert into event_ledgers (organization_id, event_id) values ($1, $2)', [OURS, EVENT])
})
afterAll(async () => {
  await database.close()
  await test.drop()
})

/**
 * These are texts that JSON quotes, characters that end something in JavaScript or Postgres, and long texts.
 */
const odd = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        '"',
        '\\',
        "'",
        '\u2028',
        '\u2029',
        '🎭',
        '\n',
        '\r',
        '\t',
        '\x7f',
        '\\u0041',
        '{}',
        '$1',
      ),
    )
    .map(parts => parts.join('')),
  fc.string({ unit: 'grapheme', minLength: 10_000, maxLength: 10_240 }),
)
/** No caller can send these, because http/serve.ts refuses them. The journal must keep them all the same. */
const odder = fc.constantFrom('\0', 'a\0b', '\ud800', 'a\udc00b', '🎭'.slice(1))

let seq = 0

async function roundTrip(texts: { notes: string; reason: string; cart: string; agent: string }) {
  const actor = {
    person: null,
    ip: null,
    source: 'admin',
    from: { address: '10.0.0.1', userAgent: texts.agent },
  }
  const command = { commandId: randomUUID() as CommandId, actor } as unknown as Command
  const hold = { holdId: randomUUID() as HoldId, ordinal: 7, version: 2, zoneIndex: 1, quantity: 1 }
  const userId = randomUUID() as UserId
  const until = { heldUntil: AT + 1, capUntil: AT + 2 }
  const first = seq + 1
  const changes = [
    { ...hold, ...until, kind: 'seat_reserved', userId, ip: null, cartToken: texts.cart },
    { ...hold, kind: 'seat_released', reason: 'admin_override', notes: texts.notes },
    { kind: 'seat_blocked', ordinal: 7, version: 3, zoneIndex: 1, reason: texts.reason },
  ].map((change, index) => ({ ...change, seq: first + index, at: AT }) as unknown as Change)
  const packer = new ChangePacker()
  for (const [index, change] of changes.entries()) packer.add(change, command, index === 1 ? first : 0)
  await database.lanes.tenant(TenantScope.of(OURS), async tx => {
    writeJournal(tx, EVENT, packer.pack()!)
  })
  seq += changes.length
  await test.sql('update event_ledgers set seq = $1', [seq])
  const read = await database.tenant(TenantScope.of(OURS), tx =>
    entriesBetween(tx, EVENT, { from: first, to: seq }),
  )
  expect(read.map(entry => entry.change)).toEqual(changes)
  expect(read.map(entry => entry.from!.userAgent)).toEqual(changes.map(() => texts.agent))
  return { first, changes }
}

it('texts of any kind come back from the journal as they were, to the program and to the view', async () => {
  await fc.assert(
    fc.asyncProperty(odd, odd, odd, odd, async (notes, reason, cart, agent) => {
      fc.pre([notes, reason, cart, agent].every(text => text.isWellFormed() && !text.includes('\0')))
      const { first } = await roundTrip({ notes, reason, cart, agent })
      const seen = await test.sql<{ body: Record<string, unknown> }>(
        'select body from journal_entries where seq >= $1 and seq < $1::bigint + 3 order by seq',
        [first],
      )
      expect(seen.map(({ body }) => body.cartToken ?? body.notes ?? body.reason)).toEqual([
        cart,
        notes,
        reason,
      ])
    }),
    { numRuns: 60 },
  )
})

it('texts that Postgres could not show are kept too, and the program reads them', async () => {
  await fc.assert(
    fc.asyncProperty(odder, odder, odder, odder, async (notes, reason, cart, agent) => {
      await roundTrip({ notes, reason, cart, agent })
    }),
    { numRuns: 20 },
  )
})
