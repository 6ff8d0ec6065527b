import { randomUUID } from 'node:crypto'
import { Validator } from '@seriousme/openapi-schema-validator'
import { routes } from '@voelgoed/contract/routes'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { hashSecret, makeResetToken } from '@voelgoed/kit/http/tokens'
import { oneOfEverything } from '@voelgoed/testing/example'
import { startForgingProvider } from '@voelgoed/testing/forging-provider'
import {
  eventOnSale,
  PASSWORD,
  ROOT_KEY,
  SMALL_LAYOUT,
  sell,
  startTestServer,
  type TestOrganization,
  type TestServer,
  ticketOf,
} from '@voelgoed/testing/harness'
import { CLIENT } from '@voelgoed/testing/test-provider'
import { waitUntil } from '@voelgoed/testing/wait-until'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { stepAt, totpCode } from '../modules/sign-in/totp.ts'

const PICTURE = { create: { width: 20, height: 10, channels: 3 as const, background: '#336699' } }

let server: TestServer
let ours: TestOrganization

beforeAll(async () => {
  server = await startTestServer({ VOELGOED_PRIVATE_PROVIDERS: 'on' })
  ours = await server.organization()
})
afterAll(() => server.close())

it('the server serves the routes of the contract, all of them and no others', () => {
  expect([...server.node.app.router.served].map(name).sort()).toEqual(routes.map(name).sort())
})

it('the OpenAPI document is valid', async () => {
  const { body } = await server.request('GET', '/openapi.json')
  const result = await new Validator().validate(body)
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

it('the documentation page names every route and every problem, and loads nothing from elsewhere', async () => {
  const page = (await server.request('GET', '/docs')).text
  for (const route of routes) expect(page).toContain(route.path.replace(/:(\w+)/g, '{$1}'))
  expect(page).toContain('id="problem-layout_frozen"')
  expect(page).not.toMatch(
    /src=|@import|url\(|https?:\/\/(?!127\.0\.0\.1:3000|(login|tickets)\.example\.org)/,
  )
})

it.each(['/openapi.json', '/docs'])('%s is packed, and not sent again', async path => {
  const sent = await server.request('GET', path, { headers: { 'accept-encoding': 'br' } })
  expect(sent.headers).toMatchObject({ 'content-encoding': 'br', etag: expect.stringMatching(/^"[^"]+"$/) })
  const headers = { 'accept-encoding': 'br', 'if-none-match': String(sent.headers.etag) }
  expect(await server.request('GET', path, { headers })).toMatchObject({ status: 304, text: '' })
})

/**
 * Every answer that passes through the harness is held against its schema, in all test files. This one makes
 * sure that no route is left out: each is asked for something that succeeds.
 */
describe('every route answers as its schema says', () => {
  it('with success, each at least once', async () => {
    await readExamples()
    const admin = ours.tokens.admin
    const { venueId, layoutId, eventId } = await eventOnSale(server, ours)
    const get = (url: string, token = admin) => server.request('GET', url, { token })
    const send = (method: string, url: string, body?: unknown, token = admin) =>
      server.request(method, url, { token, ...(body !== undefined && { body }) })

    const [user] = await server.database.sql<{ id: string }>(
      `select id from users where organization_id = $1 limit 1`,
      [ours.id],
    )
    await send('PATCH', `/api/platform/organizations/${ours.id}/users/${user!.id}`, {}, ROOT_KEY)
    await send('POST', '/api/accounts', {
      organization: ours.slug,
      email: 'c@example.org',
      password: PASSWORD,
    })
    const guest = await send('POST', '/api/sessions/guest', { organization: ours.slug })
    await send('PATCH', `/api/platform/organizations/${ours.id}`, {}, ROOT_KEY)
    await get(`/api/admin/holds?user_id=${user!.id}`)
    await send('PATCH', `/api/admin/users/${guest.body.data.user.id}`, {})
    const invited = await send('POST', '/api/admin/invitations', { email: 'i@example.org', role: 'support' })
    await send('POST', '/api/admin/users', { email: 'j@example.org', role: 'support' })
    await send('POST', `/api/admin/users/${invited.body.data.id}/invite`)
    const rows = [{ line: 1, email: 'c@example.org', tier: 'gold', status: '' }]
    await send('POST', '/api/admin/members/import', { dry_run: true, rows })
    await sessionsOf(guest.body.data.user.id)
    await secondFactor(invited.body.data.id)
    await identityProvider()
    const key = await send('POST', '/api/admin/api-keys', { name: 'Shop', role: 'support' })
    await get('/api/admin/api-keys')
    await send('DELETE', `/api/admin/api-keys/${key.body.data.key_id}`)
    await send('POST', '/api/admin/ticket-keys/rotate')
    await send('POST', '/api/password-resets', { organization: ours.slug, email: 'c@example.org' })
    await send('POST', '/api/accounts/password', { current: PASSWORD, new: PASSWORD }, ours.tokens.scanner)
    const leaving = await send('POST', '/api/sessions/guest', { organization: ours.slug })
    await send('DELETE', '/api/session', undefined, leaving.body.data.token)
    await send('DELETE', `/api/admin/users/${guest.body.data.user.id}/sessions`)

    await send('PUT', '/api/admin/policy', { allow_vip_zones: true })
    await send('PATCH', '/api/admin/policy', { allow_vip_zones: true })
    await send('PATCH', '/api/admin/organization', { time_zone: 'Africa/Johannesburg' })
    await send('PUT', '/api/admin/organization/stripe-account', { stripe_account: null })
    await send('PATCH', '/api/admin/organization/seller', { legal_name: 'Ours (Pty) Ltd' })
    await get(`/api/organization/seller?organization=${ours.slug}`)
    for (const place of ['organization/logo', 'organization/cover', `events/${eventId}/image`]) {
      const raw = await sharp(PICTURE).png().toBuffer()
      const headers = { 'content-type': 'image/png' }
      await server.request('PUT', `/api/admin/${place}`, { token: admin, raw, headers })
      await send('DELETE', `/api/admin/${place}`)
    }
    const upload = await server.request('POST', '/api/admin/images', {
      token: admin,
      raw: await sharp(PICTURE).png().toBuffer(),
      headers: { 'content-type': 'image/png' },
    })
    await get(`/api/images/${upload.body.data.image_id}`)
    await send('PATCH', `/api/admin/venues/${venueId}`, { address: '1 Church Street' })
    await send('PUT', `/api/admin/layouts/${layoutId}`, { config: SMALL_LAYOUT })
    await send('POST', `/api/admin/layouts/${layoutId}/versions/2/activate`)
    await send('POST', `/api/admin/layouts/${layoutId}/versions/2/archive`)
    await send('PATCH', `/api/admin/events/${eventId}`, { name: 'Other', starts_at: '2099-03-01T17:30:00Z' })
    await server.request('PUT', `/api/admin/events/${eventId}/layout`, {
      token: admin,
      headers: { 'if-match': '"1"' },
      body: { overrides: {} },
    })
    const layout = await get(`/api/events/${eventId}/layout`)
    const [stalls, pit] = layout.body.data.zones
    const { example } = routes.find(({ method, path }) => method === 'PUT' && path.endsWith('/prices'))!
    await server.request('PUT', `/api/admin/events/${eventId}/prices`, {
      token: admin,
      headers: { 'if-match': '"0"' },
      body: { ...(example as object), zones: { [pit.zone_id]: 'premium' } },
    })
    await get(`/api/admin/events/${eventId}/prices`)
    await get(`/api/events/${eventId}/prices`)
    const seat = stalls.seats[0].seat_id
    const held = await send('POST', `/api/events/${eventId}/seats/${seat}/reserve`, {})
    const places = await send('POST', `/api/events/${eventId}/holds`, { zone_id: pit.zone_id, quantity: 2 })
    await send('PATCH', `/api/holds/${places.body.data.holds[0].hold_id}`, { quantity: 1 })
    const stranger = await send('POST', '/api/sessions/guest', { organization: ours.slug })
    await send('POST', '/api/holds/transfer', { from_token: stranger.body.data.token })
    await get(`/api/holds?event_id=${eventId}`)
    await send('POST', `/api/events/${eventId}/live-token`)
    await send('POST', `/api/holds/${held.body.data.hold_id}/extend`)
    await send('DELETE', `/api/holds/${held.body.data.hold_id}`)
    const blocks = { seat_ids: [seat], reason: 'camera' }
    await send('POST', `/api/admin/events/${eventId}/seats/block`, blocks)
    await send('POST', `/api/admin/events/${eventId}/seats/unblock`, blocks)
    const contact = { name: 'Ben', email: 'ben@example.org' }
    const body = { event_id: eventId, hold_ids: [places.body.data.holds[0].hold_id], contact }
    const checkout = await send('POST', '/api/checkouts', body)
    const checkoutUrl = `/api/checkouts/${checkout.body.data.checkout_id}`
    await get(checkoutUrl)
    await send('POST', `${checkoutUrl}/pay`, DECLINED)
    await send('DELETE', checkoutUrl)
    const toSell = await send('POST', `/api/events/${eventId}/holds`, { zone_id: pit.zone_id, quantity: 2 })
    const order = await send('POST', '/api/admin/orders', {
      event_id: eventId,
      hold_ids: [toSell.body.data.holds[0].hold_id],
      method: 'cash',
      contact: { email: 'c@example.org' },
    })
    const { order_id } = order.body.data
    const scope = TenantScope.of(ours.id as OrganizationId)
    const ticketId = order.body.data.tickets[0].ticket_id
    const token = await server.node.ticketKeys.sign(scope, {
      eventId: eventId as EventId,
      ticketId,
      version: 1,
    })
    const shown = { scan_id: 'a', token, at: new Date().toISOString() }
    await send('POST', '/api/scans', { token, device_id: 'gate' })
    await send('POST', '/api/scans/batch', { device_id: 'gate', scans: [shown] })
    await get(`/api/scans/bundle?event_id=${eventId}`)
    await get(`/api/admin/events/${eventId}/attendance`)
    await get(`/api/admin/events/${eventId}/attendance/conflicts`)
    for (const report of ['scans', 'sales', 'sales/series', 'revenue'])
      await get(`/api/admin/events/${eventId}/${report}`)
    for (const report of ['sales', 'revenue', 'orders.csv']) await get(`/api/admin/${report}`)
    await get('/api/admin/orders')
    await get(`/api/admin/orders/${order_id}`)
    await get('/api/orders')
    await get(`/api/orders/${order_id}`)
    await send('POST', `/api/admin/orders/${order_id}/resend`)
    await send('POST', `/api/orders/${order_id}/resend`)
    // Without a mail server, mails are kept: by this look, or by one of the node's own that is under way.
    await server.node.mailSender.look()
    await waitUntil('all mails are kept', async () => {
      const queued = 'select 1 from mails where organization_id = $1 and ended_at is null'
      return (await server.database.sql(queued, [ours.id])).length === 0
    })
    const mails = await get('/api/admin/mails')
    await send('POST', `/api/admin/mails/${mails.body.data[0].mail_id}/resend`)
    const resetToken = makeResetToken(ours.id as OrganizationId)
    await server.database.sql(
      `insert into password_resets (organization_id, mail_id, user_id, token_hash, expires_at)
       select $1, $2, id, $3, now() + interval '1 hour' from users where organization_id = $1 and email = $4`,
      [ours.id, randomUUID(), hashSecret(resetToken), 'c@example.org'],
    )
    await send('POST', `/api/password-resets/${resetToken}`, { password: PASSWORD })
    const { id } = (await get('/api/session', ours.tokens.scanner)).body.data.user
    await send('PATCH', `/api/admin/users/${id}`, { email_proven: false })
    await send('POST', '/api/accounts/email-confirmations', undefined, ours.tokens.scanner)
    const confirmation = makeResetToken(ours.id as OrganizationId)
    await server.database.sql(
      `insert into password_resets (organization_id, mail_id, user_id, token_hash, expires_at)
       values ($1, $2, $3, $4, now() + interval '1 hour')`,
      [ours.id, randomUUID(), id, hashSecret(confirmation)],
    )
    await send('POST', `/api/accounts/email-confirmations/${confirmation}`, undefined, ours.tokens.scanner)
    const { ticket_id } = order.body.data.tickets[0]
    await send('POST', `/api/admin/orders/${order_id}/tickets/${ticket_id}/reissue`)
    await send('POST', `/api/admin/orders/${order_id}/refund`, { reason: 'ill' })
    await send('POST', '/api/admin/seats/release', { hold_ids: [held.body.data.hold_id] })
    await send('POST', `/api/admin/events/${eventId}/release`, { all: true, notes: 'rebuilt' })
    const whitelist = `/api/admin/events/${eventId}/whitelist`
    await send('POST', whitelist, { entries: [{ email: 'friend@example.org' }] })
    await send('POST', `${whitelist}/import`, { csv: 'other@example.org' })
    await get(`${whitelist}/export`)
    const [entry] = (await get(whitelist)).body.data
    await bringGuests()
    await send('DELETE', `${whitelist}/${entry.entry_id}`)
    await get(`/api/admin/events/${eventId}/registry`)
    await send('POST', `/api/admin/events/${eventId}/registry/reconcile`)
    await get(`/api/admin/events/${eventId}/journal`)
    await get(`/api/admin/events/${eventId}/funnel`)
    const copy = await send('POST', `/api/admin/events/${eventId}/copy`, { name: 'Again', starts_at: null })
    for (const action of ['publish', 'unpublish'])
      await send('POST', `/api/admin/events/${copy.body.data.id}/${action}`)
    const draft = await send('POST', `/api/admin/events/${eventId}/copy`, { name: 'Not so', starts_at: null })
    await send('DELETE', `/api/admin/events/${draft.body.data.id}`)
    for (const action of ['go-live', 'complete', 'archive'])
      await send('POST', `/api/admin/events/${eventId}/${action}`)
    const second = await eventOnSale(server, ours)
    const url = `/api/admin/events/${second.eventId}`
    const { seats } = (await get(`/api/events/${second.eventId}/layout`)).body.data.zones[0]
    const last = await send('POST', `/api/events/${second.eventId}/seats/${seats[0].seat_id}/reserve`, {})
    const cash = { event_id: second.eventId, hold_ids: [last.body.data.hold_id], method: 'cash' }
    const owed = await send('POST', '/api/admin/orders', { ...cash, allow_stranding: true })
    const toMove = { ticket_id: owed.body.data.tickets[0].ticket_id, seat_id: seats[1].seat_id }
    await send('POST', `/api/admin/orders/${owed.body.data.order_id}/move`, { moves: [toMove] })
    await send('POST', `${url}/cancel`)
    await send('POST', `${url}/refunds/stop`)
    await send('POST', `${url}/refunds/resume`)
    await get(`${url}/refunds`)
    await server.node.refundRuns.bite(10)
    // The node's own run may have been the one that refunds it, and be at it still.
    const isRefunded = () =>
      server.database.sql('select 1 from refunds where order_id = $1', [owed.body.data.order_id])
    await waitUntil('the order is refunded', async () => (await isRefunded()).length > 0)
    await get(`${url}/refunds/orders?state=by_hand`)
    const refundUrl = `/api/admin/orders/${owed.body.data.order_id}/refund`
    await server.database.sql(`update refunds set key = 'k', look_at = null where order_id = $1`, [
      owed.body.data.order_id,
    ])
    await send('POST', `${refundUrl}/retry`)
    // The retry has woken this work, which notes how it went.
    await server.node.paymentWork.runNow()
    await server.database.sql(`update refunds set look_at = null where order_id = $1`, [
      owed.body.data.order_id,
    ])
    await send('POST', `${refundUrl}/given-back`)
    // There is no mail server here.
    vi.spyOn(server.node.mailSender, 'canSend', 'get').mockReturnValueOnce(true)
    await send('POST', '/api/admin/mails/send-kept')
    await personalData()
    await gatewayEvents()
    await get('/api/admin/audit')

    const succeeded = new Set(server.seen.filter(seen => seen.status < 300).map(seen => name(seen.route)))
    // A stream does not end: live.test.ts reads it over a real connection.
    const streams = ['GET /api/events/:event/live']
    const never = routes.map(name).filter(route => !succeeded.has(route))
    expect(never, 'the example.fixture.ts of a module asks these, or this test does').toEqual(streams)
  })

  /** Makes what the modules' examples make, and reads it by each GET. */
  async function readExamples(): Promise<void> {
    const theirs = await server.organization()
    const ids = await oneOfEverything(server, theirs)
    for (const route of routes.filter(({ method, tokenInQuery }) => method === 'GET' && !tokenInQuery)) {
      const url = route.path.replace(/:(\w+)/g, (_, param: string) => ids[param]!)
      const { admin, customer } = theirs.tokens
      // The holds, orders and tickets are the customer's.
      const token = { root: ROOT_KEY, signed_in: customer }[String(route.access)] ?? admin
      await server.request('GET', url, { token })
    }
  }

  async function personalData(): Promise<void> {
    for (const email of ['own@example.org', 'theirs@example.org']) {
      const body = { organization: ours.slug, email, password: PASSWORD }
      const { token, user } = (await server.request('POST', '/api/accounts', { body })).body.data
      await server.request('PATCH', '/api/account', { token, body: { name: 'Own' } })
      if (email.startsWith('own')) {
        await server.request('POST', '/api/account/erasure', { token, body: { password: PASSWORD } })
      } else await server.request('DELETE', `/api/admin/people/${user.id}/data`, { token: ours.tokens.admin })
    }
  }

  async function sessionsOf(guest: string): Promise<void> {
    const list = (url: string) => server.request('GET', url, { token: ours.tokens.admin })
    const ofGuest = `/api/admin/users/${guest}/sessions`
    const [session] = (await list(ofGuest)).body.data
    const again = {
      body: { organization: ours.slug, email: `admin@${ours.slug}.example`, password: PASSWORD },
    }
    await server.request('POST', '/api/sessions', again)
    const mine = (await list('/api/sessions')).body.data
    const other = mine.find((one: { current: boolean }) => !one.current)
    for (const url of [
      `${ofGuest}/${session.session_id}`,
      `/api/sessions/${other.session_id}`,
      '/api/sessions',
    ]) {
      await server.request('DELETE', url, { token: ours.tokens.admin })
    }
  }

  async function secondFactor(other: string): Promise<void> {
    const { admin } = ours.tokens
    const ask = (method: string, path: string, body?: object) =>
      server.request(method, path, { token: admin, ...(body && { body }) })
    const url = '/api/accounts/second-factor'
    await ask('GET', url)
    const { uri } = (await ask('POST', url, { password: PASSWORD })).body.data
    const secret = new URL(uri).searchParams.get('secret')!
    const bits = [...secret].map(letter =>
      'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
    )
    const key = Buffer.from(
      bits
        .join('')
        .match(/.{8}/g)!
        .map(byte => Number.parseInt(byte, 2)),
    )
    const code = totpCode(key, stepAt(server.clock.now() / 1000))
    const confirmed = await ask('POST', `${url}/confirm`, { code })
    const renewed = await ask('POST', `${url}/recovery-codes`, {
      code: confirmed.body.data.recovery_codes[0],
    })
    await ask('PUT', '/api/admin/organization/second-factor', { required: false })
    await server.database.sql(
      `insert into second_factors (organization_id, user_id, sealed_secret) values ($1, $2, $3)`,
      [ours.id, other, Buffer.alloc(48)],
    )
    await ask('DELETE', `/api/admin/users/${other}/second-factor`)
    await ask('POST', `${url}/remove`, { code: renewed.body.data.recovery_codes[0] })
  }

  /** On a provider of this machine: see identity-provider.test.ts for what it refuses. */
  async function identityProvider(): Promise<void> {
    const provider = await startForgingProvider()
    const { issuer } = provider
    const { admin } = ours.tokens
    const url = '/api/admin/organization/identity-provider'
    const { example } = routes.find(({ method, path }) => method === 'PUT' && path === url)!
    const body = { ...(example as object), issuer, email_domains: ['staff.example'], role_for_new: 'support' }
    await server.request('PUT', url, { token: admin, body: { ...body, client_id: CLIENT.id } })
    await server.request('GET', url, { token: admin })
    await server.request('POST', `${url}/test`, { token: admin, body: { issuer } })
    await server.request('GET', `/api/sessions/ways?organization=${ours.slug}`)
    const organization = ours.slug
    const begun = await server.request('POST', '/api/sessions/provider', { body: { organization } })
    const { authorization_url, browser_secret } = begun.body.data
    const claim = { organization, browser_secret, ...provider.comeBack(authorization_url) }
    const done = await server.request('POST', '/api/sessions/provider/finish', { body: claim })
    await server.request('DELETE', `/api/admin/users/${done.body.data.user.id}/identity`, { token: admin })
    await server.request('DELETE', url, { token: admin })
    await provider.close()
  }

  /** News of the gateway that was given up. */
  async function gatewayEvents(): Promise<void> {
    const token = ours.tokens.admin
    const event = { eventId: 'evt_1', kind: 'payment', organizationId: ours.id, orderId: randomUUID() }
    await server.database.sql(
      `insert into gateway_events (gateway, id, event, state) values ('simulator', 'evt_1', $1, 'given_up')`,
      [JSON.stringify(event)],
    )
    await server.request('GET', '/api/admin/system', { token })
    await server.request('GET', '/api/admin/gateway-events', { token })
    const body = { gateway_event_id: 'evt_1' }
    await server.request('POST', '/api/admin/gateway-events/retry', { token, body })
    await server.database.sql(`delete from gateway_events where id = 'evt_1'`)
  }

  async function bringGuests(): Promise<void> {
    const gold = { membership_tier: 'gold', membership_status: 'active' as const }
    const email = 'gold@example.org'
    await server.request('POST', `/api/platform/organizations/${ours.id}/users`, {
      token: ROOT_KEY,
      body: { email, password: PASSWORD, role: 'customer', ...gold },
    })
    const session = await server.request('POST', '/api/sessions', {
      body: { organization: ours.slug, email, password: PASSWORD },
    })
    const { token } = session.body.data
    const { eventId } = await eventOnSale(server, ours, {
      zones: [{ ...MEMBERS_ZONE, membership_tier: 'gold' }],
    })
    const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token })
    const { zone_id } = layout.body.data.zones[0]
    const held = await server.request('POST', `/api/events/${eventId}/holds`, {
      token,
      body: { zone_id, quantity: 1 },
    })
    const { hold_id } = held.body.data.holds[0]
    const ofHold = `/api/holds/${hold_id}/guests`
    await server.request('PUT', ofHold, { token, body: { guests: [null] } })
    await server.request('GET', ofHold, { token })
    const membership = { membershipTier: 'gold', membershipStatus: 'active' as const }
    const ticketId = ticketOf(await sell(server, ours, eventId, hold_id, membership))
    await server.request('PUT', `/api/tickets/${ticketId}/guest`, { token, body: { guest: null } })
    await server.request('GET', `/api/tickets/${ticketId}/guest`, { token })
  }

  it('to a stranger: 401, on every route that is not public', async () => {
    for (const route of routes.filter(candidate => candidate.access !== 'public')) {
      const url = route.path.replace(/:\w+/g, '01970000-0000-7000-8000-000000000000')
      const answer = await server.request(route.method, url, { body: route.example ?? {} })
      expect(`${name(route)} ${answer.status}`).toBe(`${name(route)} 401`)
    }
  })

  it('to members that the schema does not have: 400 with their path', async () => {
    for (const route of routes.filter(
      candidate => candidate.body && candidate.path === '/api/admin/venues',
    )) {
      const answer = await server.request(route.method, route.path, {
        token: ours.tokens.admin,
        body: { name: 'A', organization_id: ours.id },
      })
      expect(answer.body).toMatchObject({
        code: 'invalid_request',
        errors: [{ path: '/organization_id', message: expect.stringContaining('not known') }],
      })
    }
  })
})

const DECLINED = { card: { number: '4000 0000 0000 0002', expiry: '12/40', cvc: '123' } }

const MEMBERS_ZONE = {
  name: 'Gold',
  zone_type: 'ga_standing',
  capacity: 10,
  access_mode: 'membership_tier',
}

function name(route: { method: string; path: string }): string {
  return `${route.method} ${route.path}`
}
