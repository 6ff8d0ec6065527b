import { randomUUID } from 'node:crypto'
import { systemClock } from '@voelgoed/kit/base/clock'
import { openHall } from '@voelgoed/testing/hall'
import { startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RefusedAttempt } from '../holds/refused-attempt.ts'
import { RefusedAttempts } from './refused-attempts.ts'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
})
afterAll(() => server.close())

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** It is that of yesterday: the sweep takes what is older than a month. */
const NOON = Math.floor(systemClock.now() / DAY) * DAY - DAY / 2

function attempt(given: Partial<RefusedAttempt> = {}): RefusedAttempt {
  return {
    organizationId: ours.id,
    eventId: randomUUID(),
    userId: randomUUID(),
    ip: '192.0.2.1',
    userAgent: 'a browser',
    requestId: 'request',
    code: 'seat_not_available',
    at: NOON,
    seatIds: [],
    zoneId: null,
    quantity: 1,
    isAccessible: false,
    ...given,
  }
}

function refusedAttempts() {
  return new RefusedAttempts(server.node.database, pino({ level: 'silent' }))
}

const countsOf = (userId: string) =>
  server.database.sql(
    `select code, minute, attempts, host(ip) as ip, user_agent from refused_attempt_counts
     where organization_id = $1 and user_id = $2 order by code, minute`,
    [ours.id, userId],
  )

const rowsOf = (userId: string) =>
  server.database.sql<{ code: string; ip: string | null; user_agent: string }>(
    `select changes->>'code' as code, host(ip) as ip, user_agent from audit_log
     where organization_id = $1 and user_id = $2 and action = 'seat_reserve_failed' order by id`,
    [ours.id, userId],
  )

describe('refusals by rate', () => {
  it('are one row for each buyer, code and minute, whatever their number', async () => {
    const eventId = randomUUID()
    const userId = randomUUID()
    const attempts = refusedAttempts()
    for (let i = 0; i < 1_000; i += 1) {
      attempts.record(attempt({ userId, eventId, code: 'rate_limited', at: NOON + i }))
    }
    await attempts.flush()
    attempts.record(attempt({ userId, eventId, code: 'rate_limited', at: NOON + 2_000, ip: '192.0.2.9' }))
    attempts.record(attempt({ userId, eventId, code: 'busy', at: NOON + 2_000 }))
    attempts.record(attempt({ userId, eventId, code: 'rate_limited', at: NOON + MINUTE }))
    await attempts.flush()
    const at = (ms: number) => new Date(ms)
    expect(await countsOf(userId)).toEqual([
      { code: 'busy', minute: at(NOON), attempts: 1, ip: '192.0.2.1', user_agent: 'a browser' },
      { code: 'rate_limited', minute: at(NOON), attempts: 1_001, ip: '192.0.2.9', user_agent: 'a browser' },
      {
        code: 'rate_limited',
        minute: at(NOON + MINUTE),
        attempts: 1,
        ip: '192.0.2.1',
        user_agent: 'a browser',
      },
    ])
    expect(await rowsOf(userId)).toEqual([])
    expect(attempts.counts).toEqual({ written: 0, counted: 1_003, dropped: 0 })
  })

  it('are counted over HTTP, with the address and the user agent', async () => {
    const { url, seats } = await openHall(server.request, ours.tokens.organizer, {
      event: { seating_overrides: { holds_per_window: 1 } },
    })
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    const { token, user } = guest.body.data
    const reserve = (index: number) =>
      server.request('POST', `${url}/seats/${seats[index]}/reserve`, {
        token,
        headers: { 'user-agent': 'a robot' },
      })
    expect((await reserve(0)).status).toBe(201)
    for (let i = 0; i < 5; i += 1) expect((await reserve(1)).status).toBe(429)
    const total = async () =>
      (await countsOf(user.id)).reduce((sum, row) => sum + (row.attempts as number), 0)
    await waitUntil('the refusals are counted', async () => (await total()) === 5)
    expect((await countsOf(user.id))[0]).toMatchObject({ code: 'rate_limited', user_agent: 'a robot' })
    expect(await rowsOf(user.id)).toEqual([])
  })
})

describe('other refusals', () => {
  it('are rows of the audit log, twenty a minute; the rest is counted', async () => {
    const eventId = randomUUID()
    const userId = randomUUID()
    const attempts = refusedAttempts()
    for (let i = 0; i < 25; i += 1) attempts.record(attempt({ userId, eventId, at: NOON + i }))
    attempts.record(attempt({ userId, eventId, at: NOON + MINUTE }))
    await attempts.flush()
    const rows = await rowsOf(userId)
    expect(rows.length).toBe(21)
    expect(rows[0]).toEqual({ code: 'seat_not_available', ip: '192.0.2.1', user_agent: 'a browser' })
    expect(await countsOf(userId)).toMatchObject([{ code: 'seat_not_available', attempts: 5 }])
  })

  it('a bad row takes no other of its second with it', async () => {
    const userId = randomUUID()
    const attempts = refusedAttempts()
    for (let i = 0; i < 9; i += 1) attempts.record(attempt({ userId, eventId: randomUUID() }))
    attempts.record(attempt({ organizationId: randomUUID() }))
    attempts.record(attempt({ userId, requestId: 'half a \0 request' }))
    attempts.record(attempt({ userId, ip: 'fe80::1%eth0' }))
    attempts.record(attempt({ userId, ip: 'unknown' }))
    await attempts.flush()
    expect((await rowsOf(userId)).map(row => row.ip)).toEqual([
      ...Array.from({ length: 9 }, () => '192.0.2.1'),
      'fe80::1',
      null,
    ])
    expect(attempts.counts).toEqual({ written: 11, counted: 0, dropped: 2 })
  })

  it('what does not fit in memory is dropped and counted as such', async () => {
    const attempts = refusedAttempts()
    for (let i = 0; i < 5_010; i += 1) attempts.record(attempt())
    for (let i = 0; i < 5_003; i += 1) attempts.record(attempt({ code: 'rate_limited' }))
    await attempts.flush()
    expect(attempts.counts).toEqual({ written: 5_000, counted: 5_000, dropped: 13 })
  })
})
