import { spawnSync } from 'node:child_process'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { exampleAnswer } from '@voelgoed/contract/example-answer'
import type { Route } from '@voelgoed/contract/route'
import { routes } from '@voelgoed/contract/routes'
import { nameOf, tasks } from '@voelgoed/contract/tasks'
import { compileValidation } from '@voelgoed/kit/http/validation'
import { oneOfEverything } from '@voelgoed/testing/example'
import { ROOT_KEY, startTestServer, type TestOrganization, type TestServer } from '@voelgoed/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curlLine } from '../modules/operations/curl-line.ts'

let server: TestServer
let ours: TestOrganization
let shell: Record<string, string>

beforeAll(async () => {
  server = await startTestServer()
  ours = await server.organization()
  const ids = await oneOfEverything(server, ours)
  shell = {
    ...ids,
    base: 'http://base',
    token: ours.tokens.admin,
    platform_key: ROOT_KEY,
    user_id: ids.user!,
    reset_token: 'EXAMPLE',
    session: '0197a000-0000-7000-8000-000000000006',
  }
})
afterAll(() => server.close())

describe('the OpenAPI document', () => {
  it("passes Redocly's recommended rules without an error or a warning", async () => {
    const { text } = await server.request('GET', '/openapi.json')
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source: text, config })
    const said = problems.map(
      ({ severity, ruleId, message, location }) =>
        `${severity} ${ruleId}: ${message} ${location[0]?.pointer ?? ''}`,
    )
    expect(said).toEqual([])
  })

  it('has each route once, in the order of the tasks', async () => {
    const inTasks = tasks.flatMap(task => task.routes.map(nameOf))
    expect([...inTasks].sort()).toEqual(routes.map(nameOf).sort())
  })
})

it('every route with a JSON answer has an example of it, which its schema allows', () => {
  for (const route of routes) {
    const schema = Object.entries(route.answers).find(
      ([status, answer]) => answer && Number(status) < 300,
    )?.[1]
    const example = exampleAnswer(route)
    expect(example === undefined, nameOf(route)).toBe(!schema)
    if (schema) expect(compileValidation(schema)(example!.body), nameOf(route)).toEqual([])
  }
})

/** Reads what curl is given, as a shell reads the line. */
function argumentsOf(route: Route): string[] {
  const script = `set -u; curl() { printf '%s\\0' "$@"; }; ${curlLine(route)}`
  const { stdout, stderr, status } = spawnSync('bash', ['-c', script], { env: { ...process.env, ...shell } })
  expect(status, `${nameOf(route)}: ${stderr}`).toBe(0)
  return stdout.toString().split('\0').slice(0, -1)
}

function requestOf(route: Route) {
  const given = argumentsOf(route)
  const after = (option: string) =>
    given.flatMap((part, index) => (part === option ? [given[index + 1]!] : []))
  const headers = Object.fromEntries(after('-H').map(header => header.split(/: (.*)/s) as [string, string]))
  const [body] = after('-d')
  const url = given.find(part => part.startsWith('http://base'))!.slice('http://base'.length)
  const sends = body !== undefined || given.includes('--data-binary')
  return { method: after('-X')[0] ?? (sends ? 'POST' : 'GET'), url, headers, body }
}

describe('the curl line of a route', () => {
  // One shell for each route.
  it('is what a shell sends to that route, with a body that the route takes', () => {
    for (const route of routes) {
      const { method, url, headers, body } = requestOf(route)
      const path = new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`)
      expect(`${method} ${url.split('?')[0]}`).toMatch(new RegExp(`^${route.method} `))
      expect(url.split('?')[0]).toMatch(path)
      expect('authorization' in headers, nameOf(route)).toBe(route.access !== 'public')
      if (body === undefined) continue
      expect(headers['content-type']).toBe('application/json')
      expect(compileValidation(route.body!)(JSON.parse(body)), nameOf(route)).toEqual([])
    }
  })

  it('works: everything that only reads, and what a buyer does', async () => {
    const writes = [
      'POST /api/platform/organizations/:org/users',
      'POST /api/events/:event/live-token',
      'POST /api/holds/:hold/extend',
      'POST /api/admin/venues',
      'POST /api/admin/venues/:venue/layouts',
      'PUT /api/admin/policy',
      'PATCH /api/admin/policy',
      'POST /api/admin/events/:event/whitelist',
      'POST /api/admin/events/:event/whitelist/import',
      'DELETE /api/admin/events/:event/whitelist/:entry',
    ]
    // A stream does not end, and 403 and 404 are for others to test: the hold is not the administrator's own.
    const asked = routes.filter(
      route => (route.method === 'GET' && !route.tokenInQuery) || writes.includes(nameOf(route)),
    )
    expect(asked.length).toBeGreaterThan(25)
    for (const route of asked) {
      const isOfBuyer = /^\/api\/(holds|tickets|checkouts)\//.test(route.path)
      shell.token = isOfBuyer ? ours.tokens.customer : ours.tokens.admin
      const { method, url, headers, body } = requestOf(route)
      const answer = await server.request(method, url, {
        headers,
        ...(body !== undefined && { raw: body }),
      })
      expect(answer.status, `${nameOf(route)}: ${answer.text}`).toBeLessThan(300)
    }
  })
})

describe('the page', () => {
  it('introduces the API, has an example and a curl line for each route, and anchors that exist', async () => {
    const { text, headers } = await server.request('GET', '/docs')
    for (const title of [
      'How to sign in',
      'Errors',
      'Idempotency',
      'Pages of a list',
      'Limits',
      'The live feed',
    ]) {
      expect(text).toContain(`<h2>${title}</h2>`)
    }
    expect(text.match(/<pre tabindex="0" class="curl">/g)).toHaveLength(routes.length)
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    const anchors = [...text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor)
    expect(anchors.filter(anchor => !ids.has(anchor))).toEqual([])
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*script-src 'sha256-[^']+'/)
  })
})
