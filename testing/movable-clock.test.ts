import { systemClock } from '@voelgoed/kit/base/clock'
import { connectDatabase } from '@voelgoed/kit/postgres/database'
import { DatabaseClock } from '@voelgoed/kit/postgres/database-clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './harness.ts'

const HOUR_MS = 3_600_000

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ VOELGOED_REAPER: 'off' })
})
afterAll(() => server.close())

const read = async () => {
  const [row] = await server.database.sql<{ real: Date; now: Date; clock: Date; written: Date }>(
    `insert into job_runs (name, started_at) values (gen_random_uuid()::text, now())
     returning pg_catalog.clock_timestamp() as real, now(), clock_timestamp() as clock, started_at as written`,
  )
  const { real, ...ours } = row!
  return Object.values(ours).map(at => at.getTime() - real.getTime())
}

it('an hour passes: for statements, for the roles of requests, and for a node that learns the time', async () => {
  const database = connectDatabase(server.database.url, { maxConnections: 1 })
  const before = await read()
  await server.passes(HOUR_MS)
  const after = await read()
  const learned = await DatabaseClock.start(database, server.clock)
  learned.stop()
  await database.close()
  for (const ahead of before) expect(ahead).toBeLessThan(HOUR_MS / 2)
  for (const ahead of after) expect(ahead).toBeGreaterThan(HOUR_MS / 2)
  expect(learned.now() - systemClock.now()).toBeGreaterThan(HOUR_MS / 2)
})

it('defaults and policies go by it as well', async () => {
  const asked = await server.database.sql<{ line: string }>(
    `select pg_get_expr(adbin, adrelid) as line from pg_attrdef union all
     select concat(qual, with_check) from pg_policies where schemaname = 'public'`,
  )
  const clocks = asked.map(({ line }) => line).filter(line => /\b(now|clock_timestamp)\(\)/.test(line))
  expect(clocks.length).toBeGreaterThan(40)
  const [bound] = await server.database.sql<{ real: number }>(
    `select count(*)::int as real from pg_depend d join pg_proc p on p.oid = d.refobjid
     where d.refclassid = 'pg_proc'::regclass and p.proname in ('now', 'clock_timestamp')
       and d.classid in ('pg_attrdef'::regclass, 'pg_policy'::regclass)`,
  )
  // Postgres keeps no dependency of its own functions.
  expect(bound!.real).toBeGreaterThanOrEqual(clocks.length)
})
