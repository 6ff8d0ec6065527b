import {
  PASSWORD,
  ROOT_KEY,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Passwords } from './passwords.ts'

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
})
afterAll(() => server.close())

const signIn = (email: string, password: string, organization = ours.slug) =>
  server.request('POST', '/api/sessions', { body: { organization, email, password } })

describe('signing in', () => {
  it('gives a token that says who I am', async () => {
    const session = await signIn(`admin@${ours.slug}.example`, PASSWORD)
    const me = await server.request('GET', '/api/session', { token: session.body.data.token })
    expect(me.body.data).toMatchObject({
      user: { email: `admin@${ours.slug}.example`, role: 'admin' },
      organization: { id: ours.id, slug: ours.slug },
    })
  })

  it('does not care about the case of an email', async () => {
    expect((await signIn(`ADMIN@${ours.slug}.Example`, PASSWORD)).status).toBe(201)
  })

  it('answers an unknown email and a wrong password with the same words', async () => {
    const unknown = await signIn('nobody@example.org', 'wrong password')
    const wrong = await signIn(`support@${ours.slug}.example`, 'wrong password')
    expect(unknown.status).toBe(401)
    const { request_id: a, ...first } = unknown.body as Record<string, unknown>
    const { request_id: b, ...second } = wrong.body as Record<string, unknown>
    expect(first).toEqual(second)
    expect(a).not.toBe(b)
  })

  it('hashes a password also for an email that no account has, so that both take as long', async () => {
    const verifying = vi.spyOn(Passwords.prototype, 'verify')
    await signIn('someone-else@example.org', 'wrong password')
    expect(verifying.mock.calls).toEqual([[null, 'wrong password']])
    verifying.mockRestore()
  })

  it('an account of one organization is none in another', async () => {
    const other = await server.organization()
    expect((await signIn(`admin@${ours.slug}.example`, PASSWORD, other.slug)).status).toBe(401)
  })

  it('unknown organization: said so', async () => {
    const answer = await signIn('a@example.org', PASSWORD, 'no-such-place')
    expect(answer).toMatchObject({ status: 404, body: { code: 'organization_not_found' } })
  })
})

describe('limits', () => {
  it('ten failures from an address lock this address out of this account, known or not, until the window ends', async () => {
    for (const email of ['unknown@example.org', `scanner@${ours.slug}.example`]) {
      for (let i = 0; i < 10; i += 1) expect((await signIn(email, 'wrong password')).status).toBe(401)
      const refused = await signIn(email, PASSWORD)
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', retryable: true } })
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30)
    }
    await server.database.sql(
      `update sign_in_address_failures set window_ends_at = now() - interval '1 second'`,
    )
    expect((await signIn(`scanner@${ours.slug}.example`, PASSWORD)).status).toBe(201)
  })

  it('many at once can not slip under the limit together', async () => {
    // As clients do: where the server had no time, nothing was counted, and they ask again.
    const persist = async (): ReturnType<typeof signIn> => {
      const answer = await signIn('burst@example.org', 'wrong password')
      return answer.status === 503 ? persist() : answer
    }
    const answers = await Promise.all(Array.from({ length: 30 }, persist))
    expect(answers.filter(answer => answer.status === 401)).toHaveLength(10)
    expect(answers.filter(answer => answer.status === 429)).toHaveLength(20)
  })

  it('an attempt for which the server had no time makes no address wait', async () => {
    const email = 'hurried@example.org'
    for (let i = 0; i < 9; i += 1) await signIn(email, 'wrong password')
    const verifying = vi.spyOn(Passwords.prototype, 'verify').mockResolvedValueOnce(null)
    expect((await signIn(email, 'wrong password')).status).toBe(503)
    expect((await signIn(email, 'wrong password')).status).toBe(401)
    verifying.mockRestore()
    expect((await signIn(email, 'wrong password')).status).toBe(429)
  })

  it('a success starts the count of its address again', async () => {
    const email = `customer@${ours.slug}.example`
    for (let i = 0; i < 9; i += 1) await signIn(email, 'wrong password')
    expect((await signIn(email, PASSWORD)).status).toBe(201)
    for (let i = 0; i < 9; i += 1) expect((await signIn(email, 'wrong password')).status).toBe(401)
    expect((await signIn(email, PASSWORD)).status).toBe(201)
  })

  it('by network address, unless lifted', async () => {
    const limited = await startTestServer({ VOELGOED_LIMITS: 'on' })
    limited.clock.freeze()
    const statuses = new Set<number>()
    for (let i = 0; i < 40; i += 1) {
      const answer = await limited.request('POST', '/api/sessions', {
        body: { organization: 'no-such-place', email: `${i}@example.org`, password: 'x' },
      })
      statuses.add(answer.status)
    }
    expect([...statuses]).toEqual([404, 429])
    limited.clock.advance(5 * 60_000)
    const later = await limited.request('POST', '/api/sessions', {
      body: { organization: 'no-such-place', email: 'later@example.org', password: 'x' },
    })
    expect(later.status).toBe(404)
    await limited.close()
  })
})

describe('sessions', () => {
  it('sign-out works at once', async () => {
    const { token } = (await signIn(`admin@${ours.slug}.example`, PASSWORD)).body.data
    expect((await server.request('GET', '/api/session', { token })).status).toBe(200)
    expect((await server.request('DELETE', '/api/session', { token })).status).toBe(204)
    expect((await server.request('GET', '/api/session', { token })).status).toBe(401)
    expect((await server.request('DELETE', '/api/session', { token })).status).toBe(401)
  })

  it('expire', async () => {
    const { token } = (await signIn(`admin@${ours.slug}.example`, PASSWORD)).body.data
    expect((await server.request('GET', '/api/session', { token })).status).toBe(200)
    const life = 12 * 60 * 60 * 1000 + 10_000
    // Now and then the node reads the clock of the database, for which none of this time has passed.
    await waitUntil('the session is over', async () => {
      server.clock.advance(life)
      const { status } = await server.request('GET', '/api/session', { token })
      server.clock.advance(-life)
      return status === 401
    })
  })

  it('a new role and a lost membership work on open sessions', async () => {
    const created = await server.request('POST', `/api/platform/organizations/${ours.id}/users`, {
      token: ROOT_KEY,
      body: { email: 'rising@example.org', password: PASSWORD, role: 'customer', membership_tier: 'gold' },
    })
    expect(created.body.data).toMatchObject({ membership_tier: 'gold', membership_status: 'active' })
    const { token } = (await signIn('rising@example.org', PASSWORD)).body.data
    expect((await server.request('GET', '/api/admin/venues', { token })).status).toBe(403)
    const patch = await server.request(
      'PATCH',
      `/api/platform/organizations/${ours.id}/users/${created.body.data.id}`,
      {
        token: ROOT_KEY,
        body: { role: 'organizer', membership_tier: null },
      },
    )
    expect(patch.body.data).toMatchObject({
      role: 'organizer',
      membership_tier: null,
      membership_status: null,
    })
    expect((await server.request('GET', '/api/admin/venues', { token })).status).toBe(200)
  })

  it('tokens and passwords are nowhere in the database', async () => {
    const { token } = (await signIn(`admin@${ours.slug}.example`, PASSWORD)).body.data
    const tables = await server.database.sql<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    for (const { name } of tables) {
      const rows = await server.database.sql(
        `select 1 from ${name} t where position($1 in t::text) > 0 or position($2 in t::text) > 0`,
        [token, PASSWORD],
      )
      expect(`${name}: ${rows.length}`).toBe(`${name}: 0`)
    }
  })
})

describe('guests and sign-up', () => {
  it('a guest is a customer without an email', async () => {
    const guest = await server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })
    expect(guest).toMatchObject({ status: 201, body: { data: { user: { email: null, role: 'customer' } } } })
    const events = await server.request('GET', '/api/events', { token: guest.body.data.token })
    expect(events.status).toBe(200)
  })

  it('sign-up signs in as a customer; the same email again is refused', async () => {
    const body = { organization: ours.slug, email: 'new@example.org', password: PASSWORD }
    const first = await server.request('POST', '/api/accounts', { body })
    expect(first).toMatchObject({ status: 201, body: { data: { user: { role: 'customer' } } } })
    const second = await server.request('POST', '/api/accounts', {
      body: { ...body, email: 'NEW@example.org' },
    })
    expect(second).toMatchObject({ status: 409, body: { code: 'already_exists', field: 'email' } })
  })

  it('a sign-up repeated with its key gives the same session again', async () => {
    const headers = { 'idempotency-key': 'sign-up-1' }
    const body = { organization: ours.slug, email: 'twice@example.org', password: PASSWORD }
    const first = await server.request('POST', '/api/accounts', { body, headers })
    const again = await server.request('POST', '/api/accounts', { body, headers })
    expect(again.status).toBe(201)
    expect(again.body).toEqual(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    const other = await server.request('POST', '/api/accounts', {
      body: { ...body, password: 'another long password' },
      headers,
    })
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } })
  })
})

describe('the audit log', () => {
  it('tells who signed in, from where, and who was refused', async () => {
    const org = await server.organization()
    await server.request('POST', '/api/sessions', {
      body: { organization: org.slug, email: `admin@${org.slug}.example`, password: 'wrong password' },
      headers: { 'user-agent': 'curl/8', 'x-request-id': 'req-77' },
    })
    const log = await server.request('GET', '/api/admin/audit?action=sign_in_refused', {
      token: org.tokens.admin,
    })
    expect(log.body.data).toHaveLength(1)
    expect(log.body.data[0]).toMatchObject({
      action: 'sign_in_refused',
      actor: 'anonymous',
      ip: '127.0.0.1',
      user_agent: 'curl/8',
      request_id: 'req-77',
      changes: { reason: 'wrong_password', attempt: 1 },
    })
  })

  it('is read page by page, newest first, each entry once', async () => {
    const org = await server.organization()
    for (let i = 0; i < 7; i += 1) {
      await server.request('POST', '/api/admin/venues', { token: org.tokens.admin, body: { name: `V${i}` } })
    }
    const names: string[] = []
    let after = ''
    do {
      const page = await server.request('GET', `/api/admin/audit?action=venue_created&limit=3${after}`, {
        token: org.tokens.admin,
      })
      names.push(...page.body.data.map((entry: { changes: { name: string } }) => entry.changes.name))
      after = page.body.next ? `&after=${page.body.next}` : ''
    } while (after)
    expect(names).toEqual(['V6', 'V5', 'V4', 'V3', 'V2', 'V1', 'V0'])
  })
})
