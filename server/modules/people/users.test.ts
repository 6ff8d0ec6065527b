import { FeedReader } from '@voelgoed/testing/feed-reader'
import {
  eventOnSale,
  PASSWORD,
  ROOT_KEY,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { type ListeningNode, startListeningNode } from '@voelgoed/testing/second-node'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Passwords } from '../sign-in/passwords.ts'

let server: TestServer
let ours: TestOrganization
let otherNode: ListeningNode

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  otherNode = await startListeningNode(server.database.url)
  return async () => {
    await otherNode.close()
  }
})
afterAll(() => server.close())

async function newUser(role: string, organization = ours) {
  const email = `${role}-${Math.random().toString(36).slice(2)}@users.example`
  const created = await server.request('POST', `/api/platform/organizations/${organization.id}/users`, {
    token: ROOT_KEY,
    body: { email, password: PASSWORD, role },
  })
  expect(created.status, created.text).toBe(201)
  const signIn = () =>
    server.request('POST', '/api/sessions', {
      body: { organization: organization.slug, email, password: PASSWORD },
    })
  const session = await signIn()
  return { id: created.body.data.id as string, email, token: session.body.data.token as string, signIn }
}

const patch = (userId: string, body: object, token: string) =>
  server.request('PATCH', `/api/admin/users/${userId}`, { token, body })

const onOtherNode = (token: string) =>
  fetch(`${otherNode.url}/api/session`, { headers: { authorization: `Bearer ${token}` } })

describe('a user who is disabled', () => {
  it('is out at once, on every node, and can not come back until enabled', async () => {
    const ben = await newUser('customer')
    expect((await onOtherNode(ben.token)).status).toBe(200)
    expect((await server.request('GET', '/api/session', { token: ben.token })).status).toBe(200)
    const answer = await patch(ben.id, { disabled: true }, ours.tokens.organizer)
    expect(answer.body.data).toMatchObject({ id: ben.id, disabled: true, sessions_ended: 1 })
    expect((await server.request('GET', '/api/session', { token: ben.token })).status).toBe(401)
    await waitUntil('the other node knows', async () => (await onOtherNode(ben.token)).status === 401)
    const again = await ben.signIn()
    expect([again.status, again.body.code]).toEqual([403, 'account_disabled'])
    const wrong = await server.request('POST', '/api/sessions', {
      body: { organization: ours.slug, email: ben.email, password: 'not the password' },
    })
    expect([wrong.status, wrong.body.code]).toEqual([401, 'unauthorized'])
    expect((await patch(ben.id, { disabled: false }, ours.tokens.organizer)).status).toBe(200)
    expect((await ben.signIn()).status).toBe(201)
    const audit = await server.request('GET', `/api/admin/audit?entity_id=${ben.id}`, {
      token: ours.tokens.admin,
    })
    const actions = audit.body.data.map((entry: { action: string }) => entry.action)
    expect(actions).toEqual(expect.arrayContaining(['user_disabled', 'user_enabled', 'sign_in_refused']))
  })

  it('has no session that began at the same moment', async () => {
    const ben = await newUser('customer')
    await server.database.sql('update users set disabled_at = now() where id = $1', [ben.id])
    expect((await onOtherNode(ben.token)).status).toBe(401)
  })

  it('reads no live feed any more', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const ben = await newUser('customer')
    const feed = await FeedReader.open(`${otherNode.url}/api/events/${eventId}/live`, { token: ben.token })
    expect(feed.status).toBe(200)
    await patch(ben.id, { disabled: true }, ours.tokens.admin)
    await waitUntil('the feed ends', () => feed.isClosed)
  })

  it('keeps their holds, or gives them back when that is asked for', async () => {
    const { eventId } = await eventOnSale(server, ours)
    const ben = await newUser('customer')
    const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token: ben.token })
    const [stalls, pit] = layout.body.data.zones
    await server.request('POST', `/api/events/${eventId}/seats/${stalls.seats[0].seat_id}/reserve`, {
      token: ben.token,
    })
    await server.request('POST', `/api/events/${eventId}/holds`, {
      token: ben.token,
      body: { zone_id: pit.zone_id, quantity: 3 },
    })
    const held = async () =>
      (await server.request('GET', `/api/events/${eventId}/occupancy`, { token: ours.tokens.support })).body
        .data.held
    expect((await patch(ben.id, { disabled: true }, ours.tokens.admin)).body.data.places_released).toBe(0)
    expect(await held()).toBe(4)
    const again = await patch(ben.id, { disabled: true, release_holds: true }, ours.tokens.admin)
    expect(again.body.data.places_released).toBe(4)
    expect(await held()).toBe(0)
  })
})

describe('a sign-in that is being verified', () => {
  /** Runs `meanwhile` between the look at the stored password and the session that it opens. */
  async function signInWhile(
    ben: Awaited<ReturnType<typeof newUser>>,
    meanwhile: () => Promise<{ readonly status: number }>,
  ) {
    const verify = Passwords.prototype.verify
    let happened = 0
    const spy = vi.spyOn(Passwords.prototype, 'verify').mockImplementationOnce(async function (
      this: Passwords,
      ...args: Parameters<Passwords['verify']>
    ) {
      const isGood = await verify.apply(this, args)
      happened = (await meanwhile()).status
      return isGood
    })
    const answer = await ben.signIn()
    spy.mockRestore()
    expect(happened).toBeLessThan(300)
    return answer
  }
  const sessionsOf = (id: string) => server.database.sql('select 1 from sessions where user_id = $1', [id])

  it('opens nothing when its owner has chosen another password meanwhile', async () => {
    const ben = await newUser('customer')
    const change = { current: PASSWORD, new: 'another password' }
    const late = await signInWhile(ben, () =>
      server.request('POST', '/api/accounts/password', { token: ben.token, body: change }),
    )
    expect([late.status, late.body.code]).toEqual([401, 'unauthorized'])
    // The one that changed it goes on.
    expect(await sessionsOf(ben.id)).toHaveLength(1)
  })

  it('opens nothing when the account was disabled meanwhile, and has the rights that it has now', async () => {
    const ben = await newUser('customer')
    const late = await signInWhile(ben, () => patch(ben.id, { disabled: true }, ours.tokens.admin))
    expect([late.status, late.body.code]).toEqual([403, 'account_disabled'])
    expect(await sessionsOf(ben.id)).toHaveLength(0)
    const carla = await newUser('support')
    const lower = await signInWhile(carla, () => patch(carla.id, { role: 'customer' }, ours.tokens.admin))
    expect(lower.body.data.user.role).toBe('customer')
  })
})

describe('who may change whom', () => {
  it.each([
    ['organizer', 'customer', { disabled: true }, 200],
    ['organizer', 'organizer', { role: 'support' }, 200],
    ['organizer', 'admin', { disabled: true }, 403],
    ['organizer', 'admin', { role: 'customer' }, 403],
    ['organizer', 'customer', { role: 'admin' }, 403],
    ['admin', 'admin', { disabled: true }, 200],
    ['admin', 'customer', { role: 'admin' }, 200],
    ['support', 'customer', { disabled: true }, 403],
    ['scanner', 'customer', { disabled: true }, 403],
    ['customer', 'customer', { disabled: true }, 403],
  ] as const)('%s changes %s with %j: %i', async (manager, target, body, status) => {
    const user = await newUser(target)
    const before = await server.database.sql('select role, disabled_at from users where id = $1', [user.id])
    expect((await patch(user.id, body, ours.tokens[manager])).status).toBe(status)
    const after = await server.database.sql('select role, disabled_at from users where id = $1', [user.id])
    if (status === 403) expect(after).toEqual(before)
    else expect(after).not.toEqual(before)
    const sessions = await server.request('DELETE', `/api/admin/users/${user.id}/sessions`, {
      token: ours.tokens[manager],
    })
    const maySignOut = manager === 'admin' || (manager === 'organizer' && target !== 'admin')
    expect(sessions.status).toBe(maySignOut ? 200 : 403)
  })

  it('no user changes their own role or disables themselves', async () => {
    const admin = await newUser('admin')
    for (const body of [{ disabled: true }, { role: 'support' }]) {
      const answer = await patch(admin.id, body, admin.token)
      expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
    }
    expect((await patch(admin.id, { role: 'admin', membership_tier: 'gold' }, admin.token)).status).toBe(200)
  })

  it('signed out everywhere is signed out everywhere', async () => {
    const ben = await newUser('customer')
    const second = (await ben.signIn()).body.data.token
    expect((await onOtherNode(second)).status).toBe(200)
    const answer = await server.request('DELETE', `/api/admin/users/${ben.id}/sessions`, {
      token: ours.tokens.admin,
    })
    expect(answer.body.data).toEqual({ sessions_ended: 2 })
    for (const token of [ben.token, second]) {
      expect((await server.request('GET', '/api/session', { token })).status).toBe(401)
      await waitUntil('the other node knows', async () => (await onOtherNode(token)).status === 401)
    }
    expect((await ben.signIn()).status).toBe(201)
  })
})

describe('a suspended organization', () => {
  it('can be read and signed in to, and nothing can be held or changed until it is resumed', async () => {
    const theirs = await server.organization('Theirs')
    const { eventId } = await eventOnSale(server, theirs)
    const { customer, admin } = theirs.tokens
    const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token: customer })
    const seats = layout.body.data.zones[0].seats.map((seat: { seat_id: string }) => seat.seat_id)
    const reserve = (index: number) =>
      server.request('POST', `/api/events/${eventId}/seats/${seats[index]}/reserve`, { token: customer })
    const held = await reserve(0)
    const suspend = (suspended: boolean, reason?: string) =>
      server.request('PATCH', `/api/platform/organizations/${theirs.id}`, {
        token: ROOT_KEY,
        body: { suspended, ...(reason && { reason }) },
      })
    const paused = async (path: string) => {
      const { data } = (await server.request('GET', path, { token: customer })).body
      return [data].flat().map((event: { sales_paused: boolean }) => event.sales_paused)
    }
    const suspensionFor = async (token: string) =>
      (await server.request('GET', '/api/session', { token })).body.data.suspension
    const feed = await FeedReader.open(`${otherNode.url}/api/events/${eventId}/live`, { token: customer })
    expect(feed.messages[0]!.data).toMatchObject({ sales_paused: false })
    const venue = (url: string) =>
      fetch(`${url}/api/admin/venues`, {
        method: 'POST',
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        body: '{"name":"Hall"}',
      })
    expect((await venue(otherNode.url)).status).toBe(201)

    expect(await paused('/api/events')).toEqual([false])
    const reason = 'The bank asks for papers'
    const state = { id: theirs.id, suspended: true, suspended_reason: reason }
    expect((await suspend(true, reason)).body.data).toMatchObject(state)
    // Its name changes, or it is suspended again: the reason stays.
    expect((await suspend(true)).body.data).toMatchObject(state)
    expect(await suspensionFor(admin)).toEqual({ since: expect.any(String), reason })
    expect(await suspensionFor(customer)).toEqual({ since: expect.any(String), reason: null })
    expect([await paused('/api/events'), await paused(`/api/events/${eventId}`)]).toEqual([[true], [true]])
    // Pages that are open are told, on every node: their streams end, and the next ones say so.
    await waitUntil('the feed of the other node ends', () => feed.isClosed)
    // The second announcement may come later, and end the next stream before it has said anything.
    const next = await waitUntil('a stream that says something', async () => {
      const reader = await FeedReader.open(`${otherNode.url}/api/events/${eventId}/live`, {
        token: customer,
        lastEventId: feed.messages.at(-1)!.id,
      })
      return reader.messages.length > 0 && reader
    })
    expect(next.messages[0]!.data).toMatchObject({ status: 'published', sales_paused: true })
    const refused = await reserve(1)
    expect([refused.status, refused.body.code]).toEqual([403, 'organization_suspended'])
    await waitUntil('the other node knows', async () => (await venue(otherNode.url)).status === 403)
    // People who have tickets, and staff, find out what is the matter.
    const email = `admin@${theirs.slug}.example`
    for (const [url, body, status] of [
      ['/api/sessions', { organization: theirs.slug, email, password: PASSWORD }, 201],
      ['/api/sessions/guest', { organization: theirs.slug }, 201],
      ['/api/accounts', { organization: theirs.slug, email: 'new@users.example', password: PASSWORD }, 403],
    ] as const) {
      const answer = await server.request('POST', url, { body })
      expect([url, answer.status]).toEqual([url, status])
      if (status === 403) expect(answer.body.code).toBe('organization_suspended')
    }
    expect(
      (await server.request('GET', `/api/admin/events/${eventId}/holds`, { token: admin })).body.data.length,
    ).toBe(1)
    expect((await server.request('GET', `/api/holds`, { token: customer })).body.data.length).toBe(1)
    expect(
      (await server.request('DELETE', `/api/holds/${held.body.data.hold_id}`, { token: customer })).status,
    ).toBe(200)

    expect((await suspend(false)).body.data).toMatchObject({ suspended: false, suspended_reason: null })
    await waitUntil('the feed ends once more', () => next.isClosed)
    expect([await suspensionFor(admin), await paused('/api/events')]).toEqual([null, [false]])
    expect((await reserve(1)).status).toBe(201)
    const audit = await server.request('GET', `/api/admin/audit?entity_id=${theirs.id}`, { token: admin })
    expect(audit.body.data.map((entry: { action: string }) => entry.action)).toEqual([
      'organization_resumed',
      'organization_updated',
      'organization_suspended',
    ])
  })

  it('is in the list of the platform', async () => {
    const list = await server.request('GET', '/api/platform/organizations?limit=1', { token: ROOT_KEY })
    expect(list.body.data.length).toBe(1)
    const rest = await server.request('GET', `/api/platform/organizations?after=${list.body.next}`, {
      token: ROOT_KEY,
    })
    expect(rest.body.data.map((row: { id: string }) => row.id)).toContain(ours.id)
  })
})

it('people are found by the beginning of their address, in any case, page by page', async () => {
  const staff = ours.tokens.support
  const search = async (query: string) =>
    (await server.request('GET', `/api/admin/users?${query}`, { token: staff })).body
  const anna = await newUser('scanner')
  expect((await search(`query=${anna.email.slice(0, 14).toUpperCase()}`)).data).toMatchObject([
    { id: anna.id, email: anna.email, role: 'scanner', disabled: false },
  ])
  expect((await search(`query=${anna.id}`)).data).toMatchObject([{ id: anna.id }])
  expect((await search(`query=${anna.email}&role=admin`)).data).toEqual([])
  expect((await search('query=100%25')).data).toEqual([])
  const all: string[] = []
  for (let after = ''; ; ) {
    const page = await search(`limit=3${after}`)
    all.push(...page.data.map((user: { email: string }) => user.email))
    if (page.next === null) break
    after = `&after=${page.next}`
  }
  expect(all).toEqual([...all].sort())
  expect(new Set(all).size).toBe(all.length)
  const [{ count } = { count: 0 }] = await server.database.sql<{ count: number }>(
    'select count(*)::int as count from users where organization_id = $1 and email is not null',
    [ours.id],
  )
  expect(all.length).toBe(count)
})
