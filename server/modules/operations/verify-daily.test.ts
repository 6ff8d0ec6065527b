import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { pino } from 'pino'
import { beforeAll, expect, it } from 'vitest'
import { DailyVerify } from './verify-daily.ts'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  return () => server.close()
})

const lines: { level: number; msg: string; violations?: number; broken?: { name: string }[] }[] = []

function daily(everyHours = 24) {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  return new DailyVerify({
    database: server.node.database,
    databaseUrl: server.database.url,
    log,
    everyHours,
  })
}

/** The time passes. */
const age = (hours: number) =>
  server.database.sql(`update job_runs set started_at = started_at - make_interval(hours => $1)`, [hours])

it('runs once a day on one node, in a process of its own, and every node knows the result', async () => {
  const [first, second] = [daily(), daily()]
  const ran = await Promise.all([first.look(), second.look()])
  expect(ran.filter(Boolean).length).toBe(1)
  expect(lines.at(-1)).toMatchObject({ msg: 'the daily verify found nothing' })
  expect(await first.look()).toBe(false)
  expect(await second.look()).toBe(false)
  expect(first.state).toEqual(second.state)
  expect(first.state.succeededAt).not.toBeNull()
  await age(25)
  expect(await daily(0).look()).toBe(false)

  // A row that names someone of another organization: what row-level security is there to prevent.
  const [stranger] = await server.database.sql<{ id: string }>(
    'select id from users where organization_id <> $1 limit 1',
    [ours.id],
  )
  await server.database.sql(
    `insert into audit_log (organization_id, action, actor, user_id) values ($1, 'planted', 'user', $2)`,
    [ours.id, stranger!.id],
  )
  const third = daily()
  expect(await third.look()).toBe(true)
  expect(third.state.findings).toBeGreaterThan(0)
  expect(lines.at(-1)).toMatchObject({ level: 50, msg: 'the daily verify found something that must not be' })
  expect(lines.at(-1)!.broken!.map(({ name }) => name)).toContain(
    'every person who is named belongs to the organization',
  )
})

it('a run that never ended is started again, and one that fails keeps what was found', async () => {
  await server.database.sql('update job_runs set finished_at = null, findings = 7')
  await age(1)
  expect(await daily().look()).toBe(false)
  await age(2)
  const lost = new DailyVerify({
    database: server.node.database,
    databaseUrl: 'postgres://127.0.0.1:1/nowhere',
    log: pino({ level: 'silent' }),
    everyHours: 24,
  })
  expect(await lost.look()).toBe(true)
  expect(lost.state.findings).toBe(7)
})
