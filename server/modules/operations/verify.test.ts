import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { inspect, Snapshot } from '@voelgoed/kit/postgres/inspect'
import { historyWritten } from '@voelgoed/testing/all-holds'
import { makeBusyHistory } from '@voelgoed/testing/busy-history'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { PLANTS, plantIn } from '@voelgoed/testing/plants'
import { openPool } from '@voelgoed/testing/test-database'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programArguments } from '../../../scripts/build/programs.mjs'
import { CHECKS } from './checks/checks.ts'
import { runCheck } from './checks/run-check.ts'
import { printReport } from './verify/print-report.ts'
import { examine, type Report, verify } from './verify/verify.ts'

/** The reaper is off: holds run out while a slow machine tries one plant after another. */
const A_DAY = 86_400

let server: TestServer
let ours: TestOrganization
let owner: pg.Pool
let clean: Report

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
  ours = await server.organization('Ours')
  await makeBusyHistory(server, ours)
  owner = openPool({ connectionString: server.database.url, max: 1 })
  // A plant fails where a follower writes the same row.
  await historyWritten(server.database)
  clean = await verify(server.database.url, { tidyWithinSeconds: A_DAY })
})
afterAll(async () => {
  await owner.end()
  await server.close()
})

it('a busy history is clean, and all of it was looked at', async () => {
  expect(clean.checks.filter(check => check.violations > 0)).toEqual([])
  expect(clean.checks.filter(check => check.examined === 0)).toEqual([])
  const kinds = await server.database.sql<{ kind: string; count: number }>(
    'select kind, count(*)::int from journal_entries group by kind order by kind',
  )
  expect(kinds.map(({ kind }) => kind)).toEqual([
    'event_changed',
    'payment_started',
    'seat_blocked',
    'seat_converted',
    'seat_hold_expired',
    'seat_hold_extended',
    'seat_released',
    'seat_reserved',
    'seat_unblocked',
    'ticket_voided',
  ])
  expect(clean.replay.changes).toBe(kinds.reduce((sum, { count }) => sum + count, 0))
})

describe('every check finds what it is there for', () => {
  it('and no check is without a planted violation', () => {
    expect(Object.keys(PLANTS).sort()).toEqual(clean.checks.map(({ name }) => name).sort())
  })

  it.each(Object.entries(PLANTS))('%s', async (name, plant) => {
    await withPlanted(plant, async snapshot => {
      const check = CHECKS.find(check => check.name === name)
      const found = check
        ? await runCheck(snapshot, check, { tidyWithinSeconds: 60 })
        : (await examine(snapshot)).checks.find(check => check.name === name)!
      expect(found.violations).toBeGreaterThan(0)
      expect(found.examples.length).toBe(Math.min(found.violations, 20))
      expect(found.examples[0]).toHaveProperty(name.includes('two organizations') ? 'id' : 'organization_id')
    })
  })

  it('and all of them together tell of it, untidiness by itself', async () => {
    const plants = [
      'no hold that has run out stays untidied',
      'a stored answer is a success, whole, and belongs to a user',
    ]
    await withPlanted(plants.map(name => PLANTS[name]).join(';'), async snapshot => {
      const report = await examine(snapshot)
      expect(report.untidy).toBeGreaterThan(0)
      expect(report.violations).toBeGreaterThan(0)
      expect(printReport(report)).toMatch(
        /BROKEN 10: a stored answer .*UNTIDY 8: no hold .* VIOLATIONS, .* untidied/s,
      )
      expect((await examine(snapshot, { tidyWithinSeconds: 3_600 })).untidy).toBe(0)
    })
  })

  it('and a journal that can not even be read is a violation, not a crash', async () => {
    await withPlanted(
      `update unpacked set body = body || '{"ordinal": "A-1"}' where seq = 4`,
      async snapshot => {
        const { violations, checks } = await examine(snapshot)
        expect(violations).toBeGreaterThan(0)
        expect(JSON.stringify(checks)).toContain('invalid input syntax for type integer')
      },
    )
  })
})

describe('npm run verify', () => {
  it('ends with 0 when all is well, 1 when something is broken, 2 with one line when it can not tell', async () => {
    const [fine, untold, away] = await Promise.all([
      run('--database', server.database.url, '--tidy-within', String(A_DAY)),
      run('--tidy-within', '60'),
      run('--database', 'postgres://stranger:secret@127.0.0.1:1/none'),
    ])
    expect(fine).toMatchObject({ code: 0, stdout: expect.stringContaining('No violations.') })
    expect(untold).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^verify: --database is.*\n$/),
    })
    expect(away).toMatchObject({ code: 2, stderr: expect.stringMatching(/^verify: no connection .*\n$/) })
    expect(away.stderr).not.toContain('secret')
    await server.database.sql('update idempotency_keys set status = 409 where organization_id = $1', [
      ours.id,
    ])
    expect(await run('--database', server.database.url)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/BROKEN 10: a stored answer .* VIOLATIONS/s),
    })
  })

  it('changes nothing, whatever is asked of it', async () => {
    const change = inspect(server.database.url, snapshot => snapshot.rows('update zone_counts set held = 0'))
    await expect(change).rejects.toThrow('read-only transaction')
  })

  it('sees everything or says that it does not', async () => {
    // A user who may read the tables, but to whom row-level security shows nothing.
    await server.database.sql(`do $$ begin
      if not exists (select from pg_roles where rolname = 'onlooker') then create role onlooker login password 'looks'; end if;
      end $$`)
    await server.database.sql('grant select on all tables in schema public to onlooker')
    const url = new URL(server.database.url)
    url.username = 'onlooker'
    url.password = 'looks'
    await expect(verify(url.href)).rejects.toThrow('may not see every organization')
    await expect(verify(new URL('/postgres', server.database.url).href)).rejects.toThrow(
      'no database of ours',
    )
  })
})

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [...programArguments('verify'), ...args], {
    cwd: new URL('../../../', import.meta.url),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

/** Plants, looks, and takes it back, schema and all. */
async function withPlanted(plant: string, look: (snapshot: Snapshot) => Promise<void>): Promise<void> {
  const client = await owner.connect()
  try {
    await client.query('begin isolation level repeatable read')
    // As if our triggers were not there: what they refuse is what the checks must find.
    await client.query('set local session_replication_role = replica')
    await plantIn(client, plant)
    await client.query('set local session_replication_role = origin')
    await look(new Snapshot(client))
  } finally {
    await client.query('rollback')
    client.release()
  }
}
