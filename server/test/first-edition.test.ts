import { randomUUID } from 'node:crypto'
import type { CommandId, EventId, OrganizationId } from '@voelgoed/core/ids'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectDatabase, type Database } from '../src/postgres/database.ts'
import { migrate } from '../src/postgres/migrate.ts'
import { entriesBetween, storyOf } from '../src/postgres/tables/journal.ts'
import { TenantScope } from '../src/tenant.ts'
import { verify } from '../src/verify/verify.ts'
import { asOwner, type FirstEditionEntry, firstEditionDatabase } from './kit/first-edition.ts'
import { startListeningNode } from './kit/second-node.ts'

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
        expect(story).not.toBe('too long')
        expect((story as Exclude<typeof story, string>).map(({ change }) => change.seq)).toEqual(
          ofHold.map(({ seq }) => seq),
        )
      }
    })
  }
})

it('the next batch goes on where the first edition stopped', async () => {
  const { node, close } = await startListeningNode(test.url, { VOELGOED_REAPER: 'off' })
  try {
    for (const entries of byEvent().values()) {
      const { organization_id, event_id, seq } = entries.at(-1)!
      const scope = TenantScope.of(organization_id as OrganizationId)
      const lane = node.lanes.lane(scope, event_id as EventId)
      const commandId = randomUUID() as CommandId
      const answer = await lane.submit({
        kind: 'event_changed',
        commandId,
        actor: { person: null, ip: null, source: 'system' },
        saleEnd: null,
      })
      expect(answer.kind).toBe('decided')
      const read = await database.tenant(scope, tx =>
        entriesBetween(tx, event_id, { from: seq, to: seq + 5 }),
      )
      expect(read.map(entry => [entry.change.seq, entry.commandId])).toEqual([
        [seq, entries.at(-1)!.command_id],
        [seq + 1, commandId],
      ])
    }
  } finally {
    await close()
  }
})
