import { createLayout, createVenue, listVenues } from '@voelgoed/contract/layouts'
import type { Route } from '@voelgoed/contract/route'
import { describe, expect, it } from 'vitest'
import { judge } from './check-answer.ts'
import type { Draft } from './draft.ts'
import type { HostileRequest } from './make-request.ts'
import type { Answer, Outcome } from './wire.ts'

const PROBLEM = {
  type: '/docs#problem-invalid_request',
  title: 'The request is not valid',
  status: 400,
  code: 'invalid_request',
  detail: 'See errors.',
  retryable: false,
}

function requestTo(route: Route, draft: Partial<Draft> = {}): HostileRequest {
  const whole: Draft = {
    route,
    method: route.method,
    path: route.path,
    query: '',
    version: 'HTTP/1.1',
    headers: [],
    document: undefined,
    body: null,
    framing: 'length',
    raw: null,
    alone: false,
    incomplete: false,
    mayClose: false,
    mustBeRefused: false,
    ...draft,
  }
  return { index: 0, attack: 'test', route, draft: whole, bytes: [] }
}

function answered(status: number, body: unknown, headers: Record<string, string> = {}): Outcome {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const contentType = status < 300 ? 'application/json' : 'application/problem+json'
  const answer: Answer = {
    status,
    headers: new Map(Object.entries({ 'content-type': contentType, ...headers })),
    body: bytes,
    bytes: bytes.length,
  }
  return { answers: [answer], end: 'answered', error: null, receivedBytes: bytes.length }
}

const closed: Outcome = { answers: [], end: 'closed', error: 'ECONNRESET', receivedBytes: 0 }
const busy = { ...PROBLEM, status: 503, code: 'busy', retryable: true }

describe('judge', () => {
  it.each<[string, HostileRequest, Outcome]>([
    ['a refusal in the words of the contract', requestTo(createVenue), answered(400, PROBLEM)],
    ['a success that the contract knows', requestTo(listVenues), answered(200, { data: [], next: null })],
    ['a busy layout compiler', requestTo(createLayout), answered(503, busy, { 'retry-after': '5' })],
    ['a page under another spelling', requestTo(listVenues), answered(308, '', { location: '/docs?A=B' })],
    ['a closed connection, for what is no HTTP', requestTo(createVenue, { mayClose: true }), closed],
  ])('lets pass: %s', (_, request, outcome) => {
    expect(judge(request, outcome).violation).toBeNull()
  })

  it.each<[string, HostileRequest, Outcome, RegExp]>([
    ['a failure of the server', requestTo(createVenue), answered(500, PROBLEM), /status 500/],
    ['a redirect', requestTo(listVenues), answered(308, '', { location: '//elsewhere' }), /somewhere else/],
    ['busy elsewhere', requestTo(createVenue), answered(503, busy, { 'retry-after': '5' }), /status 503/],
    [
      'a refusal without a reason',
      requestTo(createVenue),
      answered(400, { ...PROBLEM, detail: 1 }),
      /without detail/,
    ],
    [
      'a code that is not in the contract',
      requestTo(createVenue),
      answered(400, { ...PROBLEM, code: 'toString' }),
      /not in the contract/,
    ],
    ['another status inside', requestTo(createVenue), answered(404, PROBLEM), /400 in the body/],
    [
      'a page instead of a problem',
      requestTo(createVenue),
      answered(404, '', { 'content-type': 'text/html' }),
      /html/,
    ],
    [
      'a stack trace',
      requestTo(createVenue),
      answered(400, { ...PROBLEM, x: 'E\n    at f (a:1)' }),
      /gives something/,
    ],
    [
      'words of Postgres',
      requestTo(createVenue),
      answered(400, { ...PROBLEM, x: 'relation "a"' }),
      /gives something/,
    ],
    [
      'a stranger let in',
      requestTo(listVenues, { mustBeRefused: true }),
      answered(200, { data: [], next: null }),
      /let in/,
    ],
    [
      'a success of another shape',
      requestTo(listVenues),
      answered(200, { data: 1 }),
      /contract does not allow/,
    ],
    ['a closed connection', requestTo(createVenue), closed, /ECONNRESET/],
    ['silence', requestTo(createVenue, { mayClose: true }), { ...closed, end: 'silent' }, /no answer/],
  ])('catches: %s', (_, request, outcome, why) => {
    expect(judge(request, outcome).violation).toMatch(why)
  })
})
