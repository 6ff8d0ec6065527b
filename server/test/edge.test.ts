import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { OrganizationId } from '@voelgoed/core/ids'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import { draftEvent } from '@voelgoed/engine/view/load-event'
import { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { ALL_HOLDS } from '@voelgoed/testing/all-holds'
import {
  eventOnSale,
  PASSWORD,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventSource } from '../modules/events/event-source.ts'
import { findEvent } from '../modules/events/tables/events.ts'
import { Passwords } from '../modules/sign-in/passwords.ts'

let server: TestServer
let ours: TestOrganization
let seats: string[]
let eventUrl: string

beforeAll(async () => {
  // Requests of tests come from 127.0.0.1, so this makes each test its own proxy.
  server = await startTestServer({ VOELGOED_TRUST_PROXY: '127.0.0.1' })
  ours = await server.organization()
  const { eventId } = await eventOnSale(server, ours, undefined, {
    seating_overrides: { max_holds_per_ip: 1 },
  })
  eventUrl = `/api/events/${eventId}`
  const layout = await server.request('GET', `${eventUrl}/layout`, { token: ours.tokens.customer })
  seats = layout.body.data.zones[0].seats.map((seat: { seat_id: string }) => seat.seat_id)
})
afterAll(() => server.close())
afterEach(() => vi.restoreAllMocks())

async function guest(): Promise<string> {
  const answer = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
  expect(answer.status).toBe(201)
  return answer.body.data.token
}

const NOT_ADDRESSES = ['unknown', '_hidden', 'x'.repeat(50), '999.1.1.1', '[', "1.1.1.1'; --", ',,,']
const ADDRESSES = {
  '203.0.113.7:51234': '203.0.113.7',
  '[2001:db8::1]:443': '2001:db8::1',
  '::ffff:203.0.113.9': '203.0.113.9',
  'fe80::1%eth0': 'fe80::1',
}

describe('behind a proxy', () => {
  it.each([...NOT_ADDRESSES.map(header => [header, '127.0.0.1']), ...Object.entries(ADDRESSES)])(
    'X-Forwarded-For: %s is %s in the audit log, and never a failure',
    async (header, ip) => {
      const email = `${crypto.randomUUID()}@example.org`
      const answer = await server.request('POST', '/api/accounts', {
        body: { organization: ours.slug, email, password: PASSWORD },
        headers: { 'x-forwarded-for': header, 'x-request-id': email.slice(0, 36) },
      })
      expect(answer.status, answer.text).toBe(201)
      const rows = await server.database.sql<{ ip: string }>(
        'select host(ip) as ip from audit_log where request_id = $1',
        [email.slice(0, 36)],
      )
      expect(rows).toEqual([{ ip }])
    },
  )

  it('a malformed address does not lose the refused attempts that are written with it', async () => {
    const [buyer, other] = [await guest(), await guest()]
    const reserve = (token: string, header: string, seat: string) =>
      server.request('POST', `${eventUrl}/seats/${seat}/reserve`, {
        token,
        body: {},
        headers: { 'x-forwarded-for': header, 'x-request-id': `lost-${header}`.slice(0, 60) },
      })
    const held = await reserve(buyer, '198.51.100.1', seats[0]!)
    expect(held.status, held.text).toBe(201)
    for (const header of ['198.51.100.2', 'unknown', '203.0.113.7:51234']) {
      expect((await reserve(other, header, seats[0]!)).status).toBe(409)
    }
    const written = () =>
      server.database.sql(
        `select host(ip) as ip from audit_log
         where action = 'seat_reserve_failed' and request_id like 'lost-%' order by id`,
      )
    await waitUntil('the refused attempts are written', async () => (await written()).length === 3)
    expect(await written()).toEqual([{ ip: '198.51.100.2' }, { ip: '127.0.0.1' }, { ip: '203.0.113.7' }])
    await server.request('DELETE', `/api/holds/${held.body.data.hold_id}`, { token: buyer })
  })

  it('what staff hold does not count against the buyers behind the same address', async () => {
    const hold = async (token: string, seat: string) =>
      server.request('POST', `${eventUrl}/seats/${seat}/reserve`, {
        token,
        body: {},
        headers: { 'x-forwarded-for': '203.0.113.60' },
      })
    expect((await hold(ours.tokens.organizer, seats[0]!)).status).toBe(201)
    expect((await hold(await guest(), seats[1]!)).status).toBe(201)
    const [row] = await server.database.sql<{ addresses: (string | null)[] }>(
      `select array_agg(ip order by ip nulls first) as addresses from ${ALL_HOLDS} h
       where organization_id = $1 and status = 'active'`,
      [ours.id],
    )
    expect(row!.addresses).toEqual([null, '203.0.113.60'])
    expect((await hold(await guest(), seats[2]!)).body).toMatchObject({ quota: 'max_holds_per_ip' })
    await releaseAll()
  })

  it.each([
    ['2001:db8:7:7::1', '2001:db8:7:7:ffff::2', '2001:db8:7:8::1'],
    ['203.0.113.50', '::ffff:203.0.113.50', '203.0.113.51'],
  ])('%s and %s hold as one address, %s as another', async (one, same, another) => {
    const hold = async (header: string, seat: string) =>
      server.request('POST', `${eventUrl}/seats/${seat}/reserve`, {
        token: await guest(),
        body: {},
        headers: { 'x-forwarded-for': header },
      })
    const [first, second] = [seats[0]!, seats[1]!]
    expect((await hold(one, first)).status).toBe(201)
    expect((await hold(same, second)).body).toMatchObject({
      code: 'quota_exceeded',
      quota: 'max_holds_per_ip',
    })
    expect((await hold(another, second)).status).toBe(201)
    await releaseAll()
  })

  async function releaseAll(): Promise<void> {
    const holds = await server.request('GET', `${eventUrl.replace('/api/', '/api/admin/')}/holds`, {
      token: ours.tokens.organizer,
    })
    const ids = holds.body.data.map((hold: { hold_id: string }) => hold.hold_id)
    await server.request('POST', '/api/admin/seats/release', {
      token: ours.tokens.organizer,
      body: { hold_ids: ids },
    })
  }
})

describe('requests of one session', () => {
  let limited: TestServer
  let theirs: TestOrganization
  beforeAll(async () => {
    limited = await startTestServer({ VOELGOED_LIMITS: 'on' })
    theirs = await limited.organization()
    limited.clock.freeze()
  })
  afterAll(() => limited.close())

  const ask = (token: string) => limited.request('GET', '/api/session', { token })
  const statusesOf = async (token: string, count: number) => {
    const statuses: number[] = []
    for (let i = 0; i < count; i += 1) statuses.push((await ask(token)).status)
    return statuses
  }

  it('are let through in a burst of 60, then 20 a second', async () => {
    limited.clock.advance(60_000)
    expect(new Set(await statusesOf(theirs.tokens.customer, 60))).toEqual(new Set([200]))
    const refused = await ask(theirs.tokens.customer)
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', retryable: true } })
    expect(refused.headers['retry-after']).toBe('1')
    limited.clock.advance(1_000)
    const next = await statusesOf(theirs.tokens.customer, 30)
    expect(next.filter(status => status === 200)).toHaveLength(20)
    const metrics = await limited.request('GET', '/metrics')
    expect(metrics.text).toMatch(/voelgoed_rate_limited_total\{limit="session"\} 11\b/)
  })

  it('are refused before the body is read and the id is looked at', async () => {
    limited.clock.advance(60_000)
    await statusesOf(theirs.tokens.customer, 60)
    const answer = await limited.request('POST', '/api/events/no-id/holds', {
      token: theirs.tokens.customer,
      raw: Buffer.alloc(300_000, 'x'),
    })
    expect(answer.status).toBe(429)
  })

  it('of another session of the same buyer, or of staff, are not counted with them', async () => {
    limited.clock.advance(60_000)
    await statusesOf(theirs.tokens.customer, 61)
    const again = await limited.request('POST', '/api/sessions', {
      body: { organization: theirs.slug, email: `customer@${theirs.slug}.example`, password: PASSWORD },
    })
    expect((await ask(again.body.data.token)).status).toBe(200)
    expect(new Set(await statusesOf(theirs.tokens.organizer, 100))).toEqual(new Set([200]))
  })
})

describe('buyers and staff behind one address', () => {
  let limited: TestServer
  let theirs: TestOrganization
  beforeAll(async () => {
    limited = await startTestServer({ VOELGOED_LIMITS: 'on' })
    theirs = await limited.organization()
    limited.clock.freeze()
  })
  afterAll(() => limited.close())

  const wish = (token: string, event: string) =>
    limited.request('POST', `/api/events/${event}/seats/${crypto.randomUUID()}/reserve`, { token })
  /** A second later the session may ask again. */
  async function wishes(token: string, count: number, event: () => string): Promise<number[]> {
    const statuses: number[] = []
    // Twenty at once: one after another, twelve hundred take half a minute on a busy machine.
    for (let done = 0; done < count; done += 20) {
      limited.clock.advance(1_000)
      const some = Array.from({ length: Math.min(20, count - done) }, () => wish(token, event()))
      for (const { status } of await Promise.all(some)) statuses.push(status)
    }
    return statuses
  }

  it('are not shut out by wishes for what does not exist, and such wishes leave nothing behind', async () => {
    const before = limited.node.lanes.stats().lanes
    const statuses = await wishes(theirs.tokens.customer, 1_200, () => crypto.randomUUID())
    expect(new Set(statuses)).toEqual(new Set([404]))
    expect(limited.node.lanes.stats().lanes).toBe(before)
    const rows = await limited.database.sql(
      `select 1 from refused_attempt_counts where organization_id = $1
       union all select 1 from funnel_counts where organization_id = $1`,
      [theirs.id],
    )
    expect(rows).toEqual([])
  })

  const signIn = (email: string, password: string, organization = theirs.slug) =>
    limited.request('POST', '/api/sessions', { body: { organization, email, password } })
  const newcomer = () => signIn(`${crypto.randomUUID()}@example.org`, 'wrong password')

  it('are not kept from signing in by sign-ins to organizations that do not exist', async () => {
    limited.clock.advance(5 * 60_000)
    const elsewhere = []
    for (let done = 0; done < 35; done += 1) {
      elsewhere.push((await signIn('a@example.org', PASSWORD, 'no-such-place')).status)
    }
    expect(new Set(elsewhere)).toEqual(new Set([404, 429]))
    expect(elsewhere.at(-1)).toBe(429)
    expect((await newcomer()).status).toBe(401)
  })

  it('sign in where they signed in before, while others guess; their own guesses are counted', async () => {
    limited.clock.advance(5 * 60_000)
    const guesses = []
    for (let done = 0; done < 35; done += 1) guesses.push((await newcomer()).status)
    expect(new Set(guesses)).toEqual(new Set([401, 429]))
    expect(guesses.at(-1)).toBe(429)
    // From here this account was signed in to before.
    const known = `scanner@${theirs.slug}.example`
    expect((await signIn(known, PASSWORD)).status).toBe(201)
    expect((await newcomer()).status).toBe(429)
    const wrong = []
    for (let done = 0; done < 11; done += 1) wrong.push((await signIn(known, 'wrong password')).status)
    expect(wrong).toEqual([...Array<number>(10).fill(401), 429])
  })

  it('have a bound on all their sign-ins together, before Postgres is asked', async () => {
    limited.clock.advance(5 * 60_000)
    for (let done = 0; done < 601; done += 1) await signIn('a@example.org', PASSWORD, 'no-such-place')
    const asked = vi.spyOn(limited.node.database, 'platform')
    expect((await signIn(`scanner@${theirs.slug}.example`, PASSWORD)).status).toBe(429)
    // Jobs of the server may ask for something else meanwhile.
    expect(asked).not.toHaveBeenCalledWith('find an organization by its slug', expect.anything())
  })

  it('do not fail because their password was not looked at', async () => {
    limited.clock.advance(5 * 60_000)
    const email = `organizer@${theirs.slug}.example`
    const verify = vi.spyOn(Passwords.prototype, 'verify').mockResolvedValue(null)
    for (let done = 0; done < 35; done += 1) {
      expect((await signIn(email, PASSWORD)).body).toMatchObject({ status: 503, code: 'busy' })
    }
    verify.mockRestore()
    expect((await newcomer()).status).toBe(401)
    expect((await signIn(email, PASSWORD)).status).toBe(201)
  })

  it('are not kept from signing in by others who sign in', async () => {
    limited.clock.advance(5 * 60_000)
    for (let done = 0; done < 35; done += 1) {
      const answer = await limited.request('POST', '/api/sessions', {
        body: { organization: theirs.slug, email: `support@${theirs.slug}.example`, password: PASSWORD },
      })
      expect(answer.status, answer.text).toBe(201)
    }
  })
})

describe('a wall clock that is set back by ten minutes', () => {
  it('or set forward tells nothing about the reaper: monotonic time does', async () => {
    const reaper = async () => (await jumping.request('GET', '/readyz')).body.reaper
    await waitUntil('the reaper has run', async () => (await reaper()) === 'ok')
    const real = systemClock.now()
    const wall = vi.spyOn(Date, 'now')
    for (const ms of [-600_000, 600_000]) {
      wall.mockReturnValue(real + ms)
      jumping.clock.jump(ms)
      expect(await reaper()).toBe('ok')
      jumping.clock.jump(-ms)
    }
    wall.mockRestore()
    // The reaper may run in between, and then it is well for another 90 s.
    await waitUntil('the reaper is late', async () => {
      jumping.clock.advance(90_000)
      return (await reaper()) === 'degraded'
    })
  })

  it("or set forward does not reach a draft: its time is the database's", async () => {
    const { venueId, layoutId } = await eventOnSale(jumping, theirs)
    const made = await jumping.request('POST', '/api/admin/events', {
      token: theirs.tokens.organizer,
      body: { name: 'Draft', venue_id: venueId, layout_id: layoutId },
    })
    vi.spyOn(Date, 'now').mockReturnValue(0)
    const { database } = jumping.node
    const now = await database.tenant(TenantScope.of(theirs.id as OrganizationId), async tx =>
      databaseNow(await draftEvent(tx, new SeatMaps(eventSource), (await findEvent(tx, made.body.data.id))!)),
    )
    const [row] = await jumping.database.sql<{ year: number }>('select extract(year from now())::int as year')
    expect(new Date(now).getUTCFullYear()).toBe(row!.year)
  })

  let jumping: TestServer
  let theirs: TestOrganization
  let second: ListeningNode
  beforeAll(async () => {
    jumping = await startTestServer({ VOELGOED_LIMITS: 'on' })
    theirs = await jumping.organization()
    second = await startListeningNode(jumping.database.url)
  })
  afterAll(async () => {
    await second.close()
    await jumping.close()
  })

  it('locks no user out', async () => {
    const { customer } = theirs.tokens
    const guestSession = () =>
      jumping.request('POST', '/api/sessions/guest', { body: { organization: theirs.slug } })
    const ask = (token: string) => jumping.request('GET', '/api/session', { token })
    expect([(await ask(customer)).status, (await guestSession()).status]).toEqual([200, 201])
    jumping.clock.jump(-600_000)
    expect([(await ask(customer)).status, (await guestSession()).status]).toEqual([200, 201])
    const email = `customer@${theirs.slug}.example`
    const again = await jumping.request('POST', '/api/sessions', {
      body: { organization: theirs.slug, email, password: PASSWORD },
    })
    expect(again.status).toBe(201)
    jumping.clock.jump(600_000)
  })

  it.each([-600_000, 600_000])('or moved by %d ms makes tokens that other nodes take', async ms => {
    const { eventId } = await eventOnSale(jumping, theirs)
    jumping.clock.jump(ms)
    const guestAnswer = await jumping.request('POST', '/api/sessions/guest', {
      body: { organization: theirs.slug },
    })
    const { token, expires_at } = guestAnswer.body.data
    expect(Date.parse(expires_at)).toBeGreaterThan(systemClock.now() + 11 * 3_600_000)
    expect(Date.parse(expires_at)).toBeLessThan(systemClock.now() + 13 * 3_600_000)
    const live = await jumping.request('POST', `/api/events/${eventId}/live-token`, { token })
    jumping.clock.jump(-ms)
    const there = await fetch(`${second.url}/api/session`, { headers: { authorization: `Bearer ${token}` } })
    expect(there.status).toBe(200)
    const stop = new AbortController()
    const stream = await fetch(`${second.url}/api/events/${eventId}/live?token=${live.body.data.token}`, {
      signal: stop.signal,
    })
    expect(stream.status).toBe(200)
    stop.abort()
  })
})

describe('guessing the password of one account from many addresses', () => {
  const from = (ip: string, email: string, password: string) =>
    server.request('POST', '/api/sessions', {
      body: { organization: ours.slug, email, password },
      headers: { 'x-forwarded-for': ip },
    })
  /**
   * Every guess comes from another address, and none waits: the database is told that the time has passed.
   */
  async function guess(email: string, times: number): Promise<number[]> {
    const statuses: number[] = []
    for (let i = 0; i < times; i += 1) {
      statuses.push((await from(`198.51.100.${i}`, email, 'wrong password')).status)
      await server.database.sql(
        'update sign_in_failures set next_try_at = now() where organization_id = $1 and failures < $2',
        [ours.id, times],
      )
    }
    return statuses
  }

  it('slows new addresses down by seconds, and those where the owner was before not at all', async () => {
    const email = `support@${ours.slug}.example`
    expect((await from('192.0.2.10', email, PASSWORD)).status).toBe(201)
    expect(new Set(await guess(email, 14))).toEqual(new Set([401]))
    const elsewhere = await from('192.0.2.99', email, PASSWORD)
    expect(elsewhere.status).toBe(429)
    expect(Number(elsewhere.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(elsewhere.headers['retry-after'])).toBeLessThanOrEqual(30)
    expect((await from('192.0.2.10', email, PASSWORD)).status).toBe(201)
    // Refused attempts were not counted: they can't make the wait longer, nor use the address up.
    for (let i = 0; i < 12; i += 1) await from('192.0.2.99', email, PASSWORD)
    await server.database.sql('update sign_in_failures set next_try_at = now() where organization_id = $1', [
      ours.id,
    ])
    expect((await from('192.0.2.99', email, PASSWORD)).status).toBe(201)
  })

  it('looks the same for an account that does not exist', async () => {
    const email = 'no-such-account@example.org'
    expect(new Set(await guess(email, 14))).toEqual(new Set([401]))
    const refused = await from('192.0.2.99', email, PASSWORD)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(30)
  })

  it('an address that is locked out slows no other address down', async () => {
    const email = `scanner@${ours.slug}.example`
    for (let i = 0; i < 10; i += 1) await from('203.0.113.200', email, 'wrong password')
    await server.database.sql('update sign_in_failures set next_try_at = now() where organization_id = $1', [
      ours.id,
    ])
    for (let i = 0; i < 5; i += 1)
      expect((await from('203.0.113.200', email, 'wrong password')).status).toBe(429)
    expect((await from('203.0.113.201', email, PASSWORD)).status).toBe(201)
  })

  it('the twenty addresses of an account that were used last are remembered', async () => {
    const email = `admin@${ours.slug}.example`
    for (let i = 0; i < 22; i += 1)
      expect((await from(`192.0.2.${100 + i}`, email, PASSWORD)).status).toBe(201)
    const known = await server.database.sql<{ address_key: string }>(
      `select address_key from sign_in_addresses a where organization_id = $1
         and subject_hash = sha256(convert_to($2, 'UTF8')) order by last_at`,
      [ours.id, email],
    )
    expect(known).toHaveLength(20)
    expect(known.at(-1)!.address_key).toBe('192.0.2.121')
  })
})

describe('one address, several spellings', () => {
  const signUp = (email: string) =>
    server.request('POST', '/api/accounts', {
      body: { organization: ours.slug, email, password: PASSWORD },
    })
  const signIn = (email: string) =>
    server.request('POST', '/api/sessions', {
      body: { organization: ours.slug, email, password: PASSWORD },
    })

  it.each([
    ['İx@example.org', 'i̇x@example.org'],
    ['i̇y@example.org', 'İY@example.org'],
    ['ＡＮＮＡ@example.org', 'anna@example.org'],
    ['e\u0301ric@example.org', 'Éric@example.org'],
  ])('%s and %s are one account', async (one, other) => {
    expect((await signUp(one)).status).toBe(201)
    expect((await signUp(other)).body).toMatchObject({ status: 409, code: 'already_exists' })
    expect([(await signIn(one)).status, (await signIn(other)).status]).toEqual([201, 201])
  })

  it('what is no address once it is normalised is refused', async () => {
    expect((await signUp('a＠b@example.org')).body).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: '/email' }],
    })
  })
})

describe('uploads that do not end', () => {
  it('have a bound, and keep no other organization out: small requests go on', async () => {
    // An upload that sends nothing for ten seconds is ended: here no second passes.
    const clock = { ...systemClock, elapsed: () => 0 }
    const node = await startListeningNode(server.database.url, {}, { clock })
    const theirs = await server.organization()
    const url = `${node.url}/api/admin/venues/${crypto.randomUUID()}/layouts`
    const upload = (length: number, of = ours) => {
      const request = httpRequest(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${of.tokens.organizer}`,
          'content-type': 'application/json',
          'content-length': String(length),
        },
      })
      request.on('error', () => {})
      return request
    }
    const reserved = async () => {
      const metrics = await (await fetch(`${node.url}/metrics`)).text()
      return Number(/^voelgoed_upload_bytes (\d+)$/m.exec(metrics)?.[1])
    }
    const MIB = 1024 * 1024
    // One MiB less than an organization may have: each counts for what has come of it, and a MiB ahead.
    const unfinished = Array.from({ length: 5 }, () => upload(90 * MIB))
    for (const request of unfinished) request.write(Buffer.alloc(18 * MIB, ' '))
    await waitUntil('all have their place', async () => (await reserved()) === 5 * 19 * MIB)
    const growing = upload(2 * MIB)
    growing.end(Buffer.alloc(2 * MIB, ' '))
    const [answer] = (await once(growing, 'response')) as [IncomingMessage]
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5'])
    // Those of another organization, large and small, are read, and their venue is looked for.
    const body = `{"name":"x","zones":[]}${' '.repeat(2 * MIB)}`
    for (const text of [body, body.slice(0, 45_000)]) {
      const sent = upload(text.length, theirs)
      sent.end(text)
      const [read] = (await once(sent, 'response')) as [IncomingMessage]
      expect(read.statusCode).toBe(404)
    }
    const me = await fetch(`${node.url}/api/session`, {
      headers: { authorization: `Bearer ${ours.tokens.organizer}` },
    })
    expect(me.status).toBe(200)
    for (const request of unfinished) request.destroy()
    await waitUntil('their places are free again', async () => (await reserved()) === 0)
    await node.close()
  })
})
