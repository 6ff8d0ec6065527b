import { randomUUID } from 'node:crypto'
import type { CommandId, EventId, OrganizationId } from '@voelgoed/core/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Node } from '../src/node.ts'
import { connectDatabase, type Database } from '../src/postgres/database.ts'
import { migrate } from '../src/postgres/migrate.ts'
import { entriesBetween, storyOf } from '../src/postgres/tables/journal.ts'
import { TenantScope } from '../src/tenant.ts'
import { verify } from '../src/verify/verify.ts'
import { ALL_HOLDS, historyWritten } from './kit/all-holds.ts'
import {
  asOwner,
  type FirstEditionEntry,
  type FirstEditionHold,
  firstEditionDatabase,
} from './kit/first-edition.ts'
import { startListeningNode } from './kit/second-node.ts'
import type { TestDatabase } from './kit/test-database.ts'

/** An installation of the first edition, with data in it, is brought up to date. */

let test: Awaited<ReturnType<typeof firstEditionDatabase>>
let database: Database

beforeAll(async () => {
  test = await firstEditionDatabase()
  await asOwner(test, client => migrate(client))
  database = connectDatabase(test.url, { maxConnections: 2 })
})
afterAll(async () => {
  await database.close()
  await test.drop()
})

const KINDS = 11

function byEvent(): Map<string, FirstEditionEntry[]> {
  const sorted = [...test.rows.journal].sort((a, b) => a.seq - b.seq)
  return grouped(sorted, entry => `${entry.organization_id} ${entry.event_id}`)
}

function grouped<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

it('no entry of the journal is lost: each is read as the first edition wrote it, and knows the one before', async () => {
  expect(new Set(test.rows.journal.map(entry => entry.kind)).size).toBe(KINDS)
  expect(new Set(test.rows.journal.map(entry => entry.organization_id)).size).toBe(3)
  for (const entries of byEvent().values()) {
    const { organization_id, event_id } = entries[0]!
    const scope = TenantScope.of(organization_id as OrganizationId)
    const read = await database.tenant(scope, tx =>
      entriesBetween(tx, event_id, { from: 1, to: entries.length + 9 }),
    )
    const lastOf = new Map<unknown, number>()
    expect(read).toEqual(
      entries.map(({ seq, kind, at, command_id, actor_id, source, body }) => {
        const { address, userAgent, ...members } = body
        const previous = 'holdId' in body ? (lastOf.get(body.holdId) ?? 0) : null
        lastOf.set(body.holdId, seq)
        return {
          change: { ...members, kind, seq, at: Date.parse(at) },
          commandId: command_id,
          actorId: actor_id,
          source,
          from: address === undefined && userAgent === undefined ? null : { address, userAgent },
          previous,
        }
      }),
    )
  }
})

it('all invariants hold: the tables are what the journal says', async () => {
  const { checks } = await verify(test.url, { tidyWithinSeconds: 1e9 })
  expect(checks.filter(check => check.violations > 0)).toEqual([])
})

it('the story of each hold is found from its last change', async () => {
  for (const entries of byEvent().values()) {
    const { organization_id, event_id } = entries[0]!
    const ofHolds = grouped(
      entries.filter(entry => 'holdId' in entry.body),
      entry => String(entry.body.holdId),
    )
    await database.tenant(TenantScope.of(organization_id as OrganizationId), async tx => {
      for (const ofHold of ofHolds.values()) {
        const story = await storyOf(tx, event_id, [ofHold.at(-1)!.seq])
        expect(story.map(({ change }) => change.seq)).toEqual(ofHold.map(({ seq }) => seq))
      }
    })
  }
})

it('the next batch goes on where the first edition stopped', () =>
  withNode(async (node, own) => {
    for (const entries of byEvent().values()) {
      const { organization_id, event_id, seq } = entries.at(-1)!
      const scope = TenantScope.of(organization_id as OrganizationId)
      const commandId = randomUUID() as CommandId
      const answer = await node.lanes.lane(scope, event_id as EventId).submit({
        kind: 'event_changed',
        commandId,
        actor: { person: null, ip: null, source: 'system' },
        saleEnd: null,
      })
      expect(answer.kind).toBe('decided')
      const read = await node.database.tenant(scope, tx =>
        entriesBetween(tx, event_id, { from: seq, to: seq + 5 }),
      )
      expect(read.map(entry => [entry.change.seq, entry.commandId])).toEqual([
        [seq, entries.at(-1)!.command_id],
        [seq + 1, commandId],
      ])
    }
    await historyWritten(own)
  }))

describe('the holds', () => {
  const lastSeqs = () => {
    const seqs = new Map<unknown, number>()
    for (const entries of byEvent().values())
      for (const { seq, body } of entries) if ('holdId' in body) seqs.set(body.holdId, seq)
    return seqs
  }
  const SAME = `organization_id, event_id, user_id, zone_index, quantity, created_at, held_until, cap_until, checkout_id,
    cart_token, source, ip, taken_by`
  /** As the first edition had it, without what has gone, and with its last entry in the journal. */
  const carried = (hold: FirstEditionHold, members: object) => {
    const { seat_id, taken_quantity, status, ended_at, end_reason, ordinal, ...same } = hold
    return withDates({ ...same, last_seq: lastSeqs().get(hold.id), ...members })
  }
  const inTables = async (sql: string) => (await test.sql(`${sql} order by 1`)).map(withDates)
  const sorted = (holds: readonly FirstEditionHold[]) => [...holds].sort((a, b) => (a.id < b.id ? -1 : 1))
  const some = (isMeant: (hold: FirstEditionHold) => boolean) => sorted(test.rows.seat_holds.filter(isMeant))

  it('of every kind are in the data', () => {
    const kinds = test.rows.seat_holds.map(
      hold => `${hold.status} ${hold.ordinal === null ? 'places' : 'seat'}`,
    )
    expect([...new Set(kinds)].sort()).toEqual(
      ['active', 'cancelled', 'converted', 'expired'].flatMap(status => [
        `${status} places`,
        `${status} seat`,
      ]),
    )
  })

  it('that live or were sold are in the rows of their seats', async () => {
    const seats = await inTables(
      `select hold_id as id, ${SAME.replace('zone_index, quantity,', '')}, ordinal, status, last_seq::int as last_seq
       from event_seats where hold_id is not null`,
    )
    const isClaim = ({ status }: FirstEditionHold) => status === 'active' || status === 'converted'
    expect(seats).toEqual(
      some(hold => hold.ordinal !== null && isClaim(hold)).map(hold => {
        const { zone_index, quantity, ...row } = carried(hold, {
          ordinal: hold.ordinal,
          status: hold.status === 'active' ? 'held' : 'sold',
        })
        return row
      }),
    )
  })

  it('of places that live or were sold are in a table of their own', async () => {
    const places = await inTables(
      `select hold_id as id, ${SAME}, status, last_seq::int as last_seq from place_holds`,
    )
    expect(places).toEqual(
      some(({ ordinal, status }) => ordinal === null && (status === 'active' || status === 'converted')).map(
        hold => carried(hold, { status: hold.status === 'active' ? 'held' : 'sold' }),
      ),
    )
  })

  it('that have ended are in the history, once each, and the history reaches to the end of the journal', async () => {
    const history = await inTables(
      `select id, ${SAME}, ordinal, status, ended_at, end_reason, last_seq::int as last_seq from hold_history`,
    )
    expect(history).toEqual(
      some(hold => hold.status !== 'active').map(hold => {
        const { ordinal, status, ended_at, end_reason } = hold
        return carried(hold, { ordinal, status, ended_at, end_reason })
      }),
    )
    const cursors = await test.sql<{ event_id: string; seq: number }>(
      'select event_id, seq::int as seq from history_cursors order by 1',
    )
    expect(cursors).toEqual(
      [...byEvent().values()]
        .map(entries => ({ event_id: entries.at(-1)!.event_id, seq: entries.at(-1)!.seq }))
        .sort((a, b) => (a.event_id < b.event_id ? -1 : 1)),
    )
  })

  it('of tickets are those they had, and the table of the first edition is gone', async () => {
    const tickets = await test.sql<{ id: string; hold_id: string }>(
      `select t.id, h.id as hold_id from tickets t join hold_history h
         on h.organization_id = t.organization_id and h.id = t.hold_id and h.status = 'converted' order by 1`,
    )
    const before = test.rows.tickets as readonly { id: string; hold_id: string }[]
    expect(tickets).toEqual(
      before.map(({ id, hold_id }) => ({ id, hold_id })).sort((a, b) => (a.id < b.id ? -1 : 1)),
    )
    expect(await test.sql(`select to_regclass('seat_holds') as found`)).toEqual([{ found: null }])
  })

  it('go on to their end: a node loads each event, ends them, and the history has every hold once', () =>
    withNode(async (node, own) => {
      for (const entries of byEvent().values()) {
        const { organization_id, event_id } = entries[0]!
        const lane = node.lanes.lane(TenantScope.of(organization_id as OrganizationId), event_id as EventId)
        const loaded = [...(await lane.ready())!.state.holds.values()].map(hold => hold.holdId as string)
        const living = some(hold => hold.event_id === event_id && hold.status === 'active')
        expect(loaded.sort()).toEqual(living.map(hold => hold.id))
        const answer = await lane.submit({
          kind: 'end_holds',
          commandId: randomUUID() as CommandId,
          actor: { person: null, ip: null, source: 'system' },
          reason: 'admin_override',
          limit: 1_000,
          force: true,
        })
        expect(answer).toMatchObject({ kind: 'decided', outcome: { ok: true } })
      }
      await historyWritten(own)
      expect(await own.sql('select id from hold_history order by id')).toEqual(
        some(() => true).map(({ id }) => ({ id })),
      )
      expect(await own.sql(`select id from ${ALL_HOLDS} h where status = 'active'`)).toEqual([])
      const { checks } = await verify(own.url, { tidyWithinSeconds: 1e9 })
      expect(checks.filter(check => check.violations > 0)).toEqual([])
    }))
})

/** A node on a database of its own, as the first edition left it. */
async function withNode(work: (node: Node, own: TestDatabase) => Promise<void>): Promise<void> {
  const own = await firstEditionDatabase()
  try {
    await asOwner(own, client => migrate(client))
    const { node, close } = await startListeningNode(own.url, { VOELGOED_REAPER: 'off' })
    await work(node, own).finally(close)
  } finally {
    await own.drop()
  }
}

/** Times as numbers: Postgres and JSON write them in different ways. */
function withDates(row: object): object & Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      /_(at|until)$/.test(name) && value !== null ? new Date(value).getTime() : value,
    ]),
  )
}
