import { systemClock } from '@voelgoed/kit/base/clock'
import { OwnAddressLimits } from '@voelgoed/kit/http/address-limits'
import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { openPool } from '@voelgoed/testing/test-database'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { Sweeper, type SweepRun } from './sweep.ts'
import { verify } from './verify/verify.ts'

let server: TestServer
let ours: TestOrganization

/** A worker does no jobs of the machine: a sweep of its own would take what these tests count. */
const WORKER = {
  number: 1,
  count: 1,
  addressLimits: new OwnAddressLimits(systemClock),
  readMetrics: async () => null,
}

beforeAll(async () => {
  server = await startTestServer({}, { worker: WORKER })
  ours = await server.organization()
})
afterAll(() => server.close())

const runs: SweepRun[] = []

function sweeper() {
  return new Sweeper({
    sweeps: server.node.sweeps,
    log: pino({ level: 'silent' }),
    onRun: run => runs.push(run),
  })
}

async function guest(): Promise<{ token: string; id: string }> {
  const answer = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  return { token: answer.body.data.token, id: answer.body.data.user.id }
}

it('deletes what has expired, in as many batches as it takes, and nothing else', async () => {
  const { token, id } = await guest()
  await server.database.sql(
    `insert into sessions (organization_id, token_hash, user_id, expires_at)
     select $1, decode(md5(i::text), 'hex'), $2, now() - interval '1 second' from generate_series(1, 12000) i`,
    [ours.id, id],
  )
  expect((await sweeper().sweep()).deleted).toMatchObject({ sessions: 12_000 })
  expect((await sweeper().sweep()).deleted).toMatchObject({ sessions: 0 })
  expect((await server.request('GET', '/api/session', { token })).status).toBe(200)
})

/** One row that has expired, in each table whose rows can be renewed, and what renews it. */
const RENEWED: readonly (readonly [table: string, insert: string, renew: string])[] = [
  [
    'idempotency_keys',
    `(organization_id, key_hash, fingerprint, status, answer, created_at)
     values ($1, '\\x01', '\\x01', 201, '\\x01', now() - interval '25 hours')`,
    'created_at = now()',
  ],
  [
    'sign_in_failures',
    `(organization_id, subject_hash, failures, window_ends_at) values ($1, '\\x01', 3, now() - interval '1 s')`,
    "window_ends_at = now() + interval '1 hour'",
  ],
  [
    'sign_in_address_failures',
    `(organization_id, subject_hash, address_key, failures, window_ends_at)
     values ($1, '\\x01', 'a', 3, now() - interval '1 s')`,
    "window_ends_at = now() + interval '1 hour'",
  ],
  [
    'sign_in_addresses',
    `(organization_id, subject_hash, address_key, last_at) values ($1, '\\x01', 'a', now() - interval '1 year')`,
    'last_at = now()',
  ],
  [
    'mails',
    `(organization_id, id, user_id, key, kind, recipient, data, status, ended_at)
     select $1, gen_random_uuid(), id, 'k', 'password_reset', 'a@b.example', '{}', 'kept', now() - interval '1 year'
     from users where organization_id = $1 limit 1`,
    "status = 'queued', ended_at = null",
  ],
]

it.each(RENEWED)(
  'keeps a row of %s that is renewed while the sweep waits for it',
  async (table, insert, renew) => {
    const { id } = await server.organization()
    await server.database.sql(`insert into ${table} ${insert}`, [id])
    const count = async () => {
      const rows = await server.database.sql(`select 1 from ${table} where organization_id = $1`, [id])
      return rows.length
    }
    const before = await count()
    const pool = openPool({ connectionString: server.database.url, max: 1 })
    const renewing = await pool.connect()
    // A sweep waits two seconds for a row, which may be over before it is seen to wait.
    const { platform } = server.node.database
    vi.spyOn(server.node.database, 'platform').mockImplementation((purpose, work) =>
      platform(purpose, async tx => {
        await tx.query(`set local lock_timeout = '120s'`)
        return work(tx)
      }),
    )
    try {
      await renewing.query('begin')
      await renewing.query(`update ${table} set ${renew} where organization_id = $1`, [id])
      const sweeping = sweeper().sweep()
      await waitUntil('the sweep waits for the row', async () => {
        const waiting = await server.database.sql(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like $1`,
          [`delete from ${table}%`],
        )
        return waiting.length > 0
      })
      await renewing.query('commit')
      expect((await sweeping).failed).toEqual([])
    } finally {
      renewing.release()
      await pool.end()
    }
    expect(await count()).toBe(before)
    // Verify wants whole rows.
    await server.database.sql(`delete from ${table} where organization_id = $1`, [id])
  },
)

it('deletes refused attempts after their retention, and no other entry of the audit log', async () => {
  for (const action of ['seat_reserve_failed', 'sign_in_refused', 'venue_created', 'holds_released']) {
    await server.database.sql(
      `insert into audit_log (organization_id, action, actor, at)
       select $1, $2, 'user', now() - make_interval(days => age) from unnest(array[29, 31]) as age`,
      [ours.id, action],
    )
  }
  await server.database.sql(
    `insert into refused_attempt_counts (organization_id, user_id, minute, event_id, code, attempts)
     select $1, gen_random_uuid(), now() - make_interval(days => age), gen_random_uuid(), 'rate_limited', 5
     from unnest(array[29, 31]) as age`,
    [ours.id],
  )
  const run = await sweeper().sweep()
  expect(run).toMatchObject({ deleted: { refused_attempts: 2, refused_attempt_counts: 1 }, failed: [] })
  expect(runs.at(-1)).toBe(run)
  const left = await server.database.sql<{ action: string; count: number }>(
    `select action, count(*)::int as count from audit_log
     where organization_id = $1 and at < now() - interval '1 day' group by 1 order by 1`,
    [ours.id],
  )
  expect(left).toEqual([
    { action: 'holds_released', count: 2 },
    { action: 'seat_reserve_failed', count: 1 },
    { action: 'sign_in_refused', count: 1 },
    { action: 'venue_created', count: 2 },
  ])
})

it('deletes guests who never held anything, and keeps those who did', async () => {
  const { eventId } = await eventOnSale(server, ours)
  const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token: ours.tokens.customer })
  const seat = layout.body.data.zones[0].seats[0].seat_id
  const [idle, former, young, moved] = [await guest(), await guest(), await guest(), await guest()]
  const held = await server.request('POST', `/api/events/${eventId}/seats/${seat}/reserve`, {
    token: former.token,
  })
  await server.request('DELETE', `/api/holds/${held.body.data.hold_id}`, { token: former.token })
  const given = await server.request('POST', `/api/events/${eventId}/seats/${seat}/reserve`, {
    token: moved.token,
  })
  // Their hold went to an account: the journal still names the guest.
  await server.database.sql(
    `update event_seats set user_id = $2, last_seq = last_seq + 1, version = version + 1, version_before = version
     where hold_id = $1`,
    [given.body.data.hold_id, young.id],
  )
  await server.database.sql(
    `update users set created_at = now() - interval '8 days' where organization_id = $1 and id <> $2`,
    [ours.id, young.id],
  )
  await server.database.sql(
    `update audit_log set at = now() - interval '8 days' where organization_id = $1 and user_id = any ($2)`,
    [ours.id, [idle.id, former.id, moved.id]],
  )
  await server.database.sql(
    `update sessions set expires_at = now() - interval '7 days' where organization_id = $1 and user_id = any ($2)`,
    [ours.id, [idle.id, former.id, moved.id]],
  )
  await server.database.sql(
    `insert into audit_log (organization_id, action, actor, user_id, at)
     values ($1, 'seat_reserve_failed', 'user', $2, now() - interval '8 days')`,
    [ours.id, idle.id],
  )
  const one = sweeper()
  expect((await one.sweep()).deleted.guests).toBe(1)
  expect((await one.sweep()).deleted.guests).toBe(0)
  // As it was, so that verify finds what the journal tells.
  await server.database.sql('alter table event_seats disable trigger user')
  await server.database.sql(
    `update event_seats set user_id = $2, last_seq = last_seq - 1, version = version - 1, version_before = version_before - 1
     where hold_id = $1`,
    [given.body.data.hold_id, moved.id],
  )
  await server.database.sql('alter table event_seats enable trigger user')
  // The rows that are left of the guest's attempts name no user, and verify does not count that as a fault.
  expect((await verify(server.database.url)).violations).toBe(0)
  const left = await server.database.sql<{ id: string }>(
    'select id from users where organization_id = $1 and id = any ($2) order by id',
    [ours.id, [idle.id, former.id, young.id, moved.id]],
  )
  expect(left.map(row => row.id)).toEqual([former.id, young.id, moved.id].sort())
  const accounts = await server.database.sql(
    'select 1 from users where organization_id = $1 and email is not null',
    [ours.id],
  )
  expect(accounts.length).toBe(5)
  const mentions = await server.database.sql(
    `select 1 from audit_log where organization_id = $1 and user_id = $2 and action = 'guest_session_started'`,
    [ours.id, idle.id],
  )
  expect(mentions).toEqual([])
})

it('one kind that fails does not keep the others from being swept', async () => {
  await server.database.sql('alter table sign_in_failures rename to elsewhere')
  const run = await sweeper().sweep()
  await server.database.sql('alter table elsewhere rename to sign_in_failures')
  expect(run.failed).toEqual(['sign_in_failures'])
  expect(Object.keys(run.deleted)).toContain('guests')
})
