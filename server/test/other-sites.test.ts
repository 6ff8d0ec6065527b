import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  eventOnSale,
  startTestServer,
  type TestOrganization,
  type TestServer,
} from '@voelgoed/testing/harness'
import { temporaryFolder } from '@voelgoed/testing/process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const SHOP = 'https://shop.example.org'
const STRANGER = 'https://stranger.example.org'
/** A new setting counts after so long at most. */
const KNOWN_MS = 10_000

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let server: TestServer
let ours: TestOrganization
let other: TestOrganization
let eventId: string

beforeAll(async () => {
  folder = await temporaryFolder()
  await mkdir(join(folder.path, 'assets'))
  await writeFile(join(folder.path, 'index.html'), '<html lang="en"><title>Shell</title></html>')
  await writeFile(join(folder.path, 'voelgoed-seats.js'), 'export {}')
  server = await startTestServer({}, { pageFolder: folder.path })
  ours = await server.organization('Ours')
  other = await server.organization('Other')
  eventId = (await eventOnSale(server, ours)).eventId
  await allow(ours, [SHOP])
})
afterAll(async () => {
  await server.close()
  await folder.remove()
})

const set = (organization: TestOrganization, origins: unknown, role: 'organizer' | 'support' = 'organizer') =>
  server.request('PATCH', '/api/admin/organization', {
    token: organization.tokens[role],
    body: { allowed_origins: origins },
  })

async function allow(organization: TestOrganization, origins: readonly string[]): Promise<void> {
  const answer = await set(organization, origins)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.data.allowed_origins).toEqual(origins)
  server.clock.advance(KNOWN_MS)
}

const guest = (organization: TestOrganization, origin: string) =>
  server.request('POST', '/api/sessions/guest', {
    headers: { origin },
    body: { organization: organization.slug },
  })

const cors = (answer: { headers: Readonly<Record<string, unknown>> }) =>
  answer.headers['access-control-allow-origin']

describe('a page of a site that an organization allows', () => {
  it('may ask before it calls, and call the routes of buyers', async () => {
    const url = `/api/events/${eventId}/holds`
    const asked = await server.request('OPTIONS', url, {
      headers: { origin: SHOP, 'access-control-request-method': 'POST' },
    })
    expect(asked.status).toBe(204)
    expect(cors(asked)).toBe(SHOP)
    expect(asked.headers['access-control-allow-methods']).toBe('POST')
    expect(asked.headers['access-control-allow-headers']).toContain('authorization')
    const session = await guest(ours, SHOP)
    expect(session.status, session.text).toBe(201)
    expect(cors(session)).toBe(SHOP)
    const token = session.body.data.token
    const event = await server.request('GET', `/api/events/${eventId}`, { token, headers: { origin: SHOP } })
    expect(event.status).toBe(200)
    expect(cors(event)).toBe(SHOP)
    expect(event.headers.vary).toBe('origin')
    expect(event.headers['access-control-expose-headers']).toContain('voelgoed-seq')
    // A refusal can be read as well.
    const missing = await server.request('GET', `/api/events/${ours.id}`, {
      token,
      headers: { origin: SHOP },
    })
    expect(missing.status).toBe(404)
    expect(cors(missing)).toBe(SHOP)
  })

  it('never with credentials of the browser, and never on routes of staff, of passwords or of the platform', async () => {
    const { admin } = ours.tokens
    for (const [method, url] of [
      ['GET', '/api/admin/organization'],
      ['POST', '/api/admin/orders'],
      ['POST', '/api/sessions'],
      ['POST', '/api/accounts'],
      ['POST', '/api/password-resets'],
      ['GET', '/api/platform/organizations'],
      ['POST', '/api/scans'],
      ['GET', '/metrics'],
    ] as const) {
      const headers = { origin: SHOP, 'access-control-request-method': method }
      const asked = await server.request('OPTIONS', url, { headers })
      expect(`${url} ${cors(asked)}`).toBe(`${url} undefined`)
      const answer = await server.request(method, url, {
        token: admin,
        headers,
        ...(method === 'POST' && { body: {} }),
      })
      expect(`${url} ${cors(answer)}`).toBe(`${url} undefined`)
    }
    const session = await guest(ours, SHOP)
    expect(session.headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('has no business with the sessions of another organization', async () => {
    const session = await guest(other, SHOP)
    expect(session.status).toBe(403)
    expect(session.body).toMatchObject({ code: 'forbidden', required: ['allowed_origins'] })
    const answer = await server.request('GET', '/api/events', {
      token: other.tokens.customer,
      headers: { origin: SHOP },
    })
    expect(answer.status).toBe(403)
    expect(answer.body.code).toBe('forbidden')
    const program = await server.request('GET', '/api/events', { token: other.tokens.customer })
    expect(program.status).toBe(200)
  })
})

describe('all others', () => {
  it('a site that no organization allows is told nothing that its page could read', async () => {
    const asked = await server.request('OPTIONS', '/api/events', { headers: { origin: STRANGER } })
    expect(asked.status).toBe(204)
    expect(cors(asked)).toBeUndefined()
    expect(cors(await guest(ours, STRANGER))).toBeUndefined()
    for (const origin of ['null', 'file://', `https://${'x'.repeat(400)}`, SHOP.replace('https', 'http')]) {
      expect(cors(await guest(ours, origin))).toBeUndefined()
    }
  })

  it('our own page is not another site, whatever its address', async () => {
    const token = other.tokens.customer
    const own = { origin: 'http://tickets.example', host: 'tickets.example' }
    expect((await server.request('GET', '/api/events', { token, headers: own })).headers.vary).toBeUndefined()
    const proxied = { origin: SHOP, host: 'inner', 'sec-fetch-site': 'same-origin' }
    expect((await server.request('GET', '/api/events', { token, headers: proxied })).status).toBe(200)
  })

  it('a site that is taken off the list is a stranger again', async () => {
    const site = 'https://once.example.org'
    await allow(ours, [SHOP, site])
    expect(cors(await guest(ours, site))).toBe(site)
    await allow(ours, [SHOP])
    expect(cors(await guest(ours, site))).toBeUndefined()
  })
})

describe('the setting', () => {
  it('takes origins as browsers write them, and few', async () => {
    for (const origin of [
      '*',
      'null',
      'https://shop.example.org/',
      'https://shop.example.org/path',
      'https://shop.example.org:443',
      'https://Shop.example.org',
      'https://*.example.org',
      'http://shop.example.org',
      'javascript://x',
      "https://a.example 'unsafe-inline'",
      'https://a.example; script-src *',
    ]) {
      const answer = await set(ours, [origin])
      expect(`${origin} ${answer.status} ${answer.body.code}`).toBe(`${origin} 400 invalid_request`)
    }
    const many = Array.from({ length: 21 }, (_, n) => `https://s${n}.example.org`)
    expect((await set(ours, many)).status).toBe(400)
    expect((await set(ours, [SHOP, SHOP])).status).toBe(400)
    expect((await set(ours, [SHOP], 'support')).status).toBe(403)
    await allow(ours, [SHOP, 'http://localhost:8080', 'http://127.0.0.1:9090'])
    await allow(ours, [SHOP])
  })

  it('stands in the audit', async () => {
    const audit = await server.request('GET', '/api/admin/audit?action=organization_updated', {
      token: ours.tokens.admin,
    })
    expect(JSON.stringify(audit.body.data)).toContain(SHOP)
  })
})

describe('pages in frames', () => {
  const open = (path: string) => server.request('GET', path, { headers: { accept: 'text/html' } })

  it('are allowed to the sites of the organization, on its pages for buyers, and to no other', async () => {
    for (const path of ['', `/events/${eventId}`, `/events/${eventId}/checkout`, `/checkout/${eventId}`]) {
      const answer = await open(`/${ours.slug}${path}`)
      expect(answer.headers['content-security-policy']).toContain(`frame-ancestors ${SHOP}`)
      expect(answer.headers['content-security-policy']).toContain("script-src 'self'")
      expect(answer.headers['x-frame-options']).toBeUndefined()
    }
    for (const path of [
      '/',
      '/scan',
      `/${other.slug}`,
      // Where passwords are typed and staff work, no other site draws around the page.
      `/${ours.slug}/password`,
      `/${ours.slug}/console`,
      `/${other.slug}/checkout/${eventId}`,
      '/unknown-slug',
    ]) {
      const answer = await open(path)
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(answer.headers['x-frame-options']).toBe('DENY')
    }
  })
})

it('the component can be loaded by pages of any site, and nothing else of the page can', async () => {
  const script = await server.request('GET', '/voelgoed-seats.js')
  expect(cors(script)).toBe('*')
  expect(script.headers['cross-origin-resource-policy']).toBe('cross-origin')
  expect(script.headers['cache-control']).toBe('no-cache')
  const shell = await server.request('GET', '/', { headers: { accept: 'text/html', origin: SHOP } })
  expect(cors(shell)).toBeUndefined()
  expect(shell.headers['cross-origin-resource-policy']).toBe('same-origin')
})
