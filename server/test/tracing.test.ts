import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { eventOnSale, startTestServer } from '@voelgoed/testing/harness'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly from: bigint
  readonly to: bigint
  readonly attributes: Readonly<Record<string, unknown>>
}

const cleanUps: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp()
})

/** A collector as OTLP over HTTP has it: takes JSON at /v1/traces. */
async function startCollector() {
  const received: { text: string; spans: Span[]; resource: Record<string, unknown> }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (request.url === '/v1/traces') received.push({ text, ...read(text) })
    response.setHeader('content-type', 'application/json').end('{}')
  })
  const endpoint = await listening(server)
  return {
    endpoint,
    received,
    spans: () => received.flatMap(message => message.spans),
    /** The spans of a trace, once its request is among them. */
    async trace(traceId: string): Promise<Span[]> {
      const spans = () => this.spans().filter(span => span.traceId === traceId)
      await expect.poll(() => spans().some(isRequest)).toBe(true)
      return spans()
    },
  }
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUps.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP as it comes
type Otlp = any

function read(text: string): { spans: Span[]; resource: Record<string, unknown> } {
  const [{ resource, scopeSpans }] = (JSON.parse(text) as Otlp).resourceSpans
  const spans = scopeSpans
    .flatMap((scope: Otlp) => scope.spans)
    .map((span: Otlp) => ({
      ...span,
      from: BigInt(span.startTimeUnixNano),
      to: BigInt(span.endTimeUnixNano),
      attributes: plain(span.attributes),
    }))
  return { spans, resource: plain(resource.attributes) }
}

function plain(attributes: Otlp[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

function isRequest(span: Span): boolean {
  return 'http.route' in span.attributes
}

function named(spans: readonly Span[], name: string): Span {
  const found = spans.filter(span => span.name === name)
  expect(found, name).toHaveLength(1)
  return found[0]!
}

function traceId(digit: string): string {
  return digit.repeat(32)
}

/** A server that listens, with an event on sale and a way to reserve seats over a real connection. */
async function eventWith(env: Record<string, string>) {
  const server = await startTestServer(env)
  cleanUps.push(() => server.close())
  const url = await server.node.listen()
  const ours = await server.organization()
  const seats = Array.from({ length: 30 }, (_, index) => ({ row: 'A', number: index + 1 }))
  const { eventId } = await eventOnSale(server, ours, {
    zones: [{ name: 'Stalls', zone_type: 'reserved_seating', seats }],
  })
  const token = ours.tokens.customer
  const layout = await server.request('GET', `/api/events/${eventId}/layout`, { token })
  const seatIds: string[] = layout.body.data.zones[0].seats.map((seat: { seat_id: string }) => seat.seat_id)
  const buyers = await Promise.all(
    seatIds.map(() => server.request('POST', '/api/sessions/guest', { body: { organization: ours.slug } })),
  )
  const tokens: string[] = buyers.map(guest => guest.body.data.token)
  const reserve = (index: number, headers: Record<string, string> = {}, buyer = index) =>
    fetch(`${url}/api/events/${eventId}/seats/${seatIds[index]}/reserve`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens[buyer]}`,
        'content-type': 'application/json',
        'x-request-id': `request-${index}`,
        ...headers,
      },
      body: JSON.stringify({ cart_token: 'my-secret-cart' }),
    })
  return { server, ours, url, reserve, tokens }
}

it('loads nothing for it when no collector is configured', async () => {
  const server = await startTestServer()
  cleanUps.push(() => server.close())
  const loaded = Object.keys(createRequire(import.meta.url).cache)
  expect(loaded.filter(path => /@opentelemetry\/(sdk|exporter)/.test(path))).toEqual([])
})

describe('with a collector', () => {
  let collector: Awaited<ReturnType<typeof startCollector>>
  let event: Awaited<ReturnType<typeof eventWith>>

  beforeAll(async () => {
    collector = await startCollector()
    event = await eventWith({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.endpoint}/` })
    const ofAll = cleanUps.splice(0).reverse()
    return async () => {
      for (const cleanUp of ofAll) await cleanUp()
    }
  })

  it('a hold is one trace: the request, continued from its caller, and its time in the lane', async () => {
    const answer = await event.reserve(0, { traceparent: `00-${traceId('a')}-${'b'.repeat(16)}-01` })
    expect(answer.status).toBe(201)

    const spans = await collector.trace(traceId('a'))
    const request = named(spans, 'POST /api/events/:event/seats/:seat/reserve')
    expect(request.parentSpanId).toBe('b'.repeat(16))
    expect(answer.headers.get('traceresponse')).toBe(`00-${traceId('a')}-${request.spanId}-01`)
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/events/:event/seats/:seat/reserve',
      'http.response.status_code': 201,
      'voelgoed.request_id': 'request-0',
      'voelgoed.organization_id': event.ours.id,
    })
    const lane = named(spans, 'lane')
    expect(lane.parentSpanId).toBe(request.spanId)
    expect(lane.attributes).toEqual({
      'voelgoed.command': 'hold_seats',
      'voelgoed.batch.commands': 1,
      'voelgoed.batch.changes': 1,
      'voelgoed.batch.outcome': 'written',
    })
    const parts = ['lane.queue', 'lane.lock', 'lane.commit'].map(name => named(spans, name))
    for (const part of parts) expect(part.parentSpanId).toBe(lane.spanId)
    const [queue, lock, commit] = parts as [Span, Span, Span]
    expect(queue.from <= queue.to && lock.from <= lock.to && commit.from < commit.to).toBe(true)
    expect(lock.to <= commit.from).toBe(true)

    // Postgres was asked who the buyer is, and for the event, which was not in memory yet.
    const transactions = spans.filter(span => span.name === 'postgres')
    expect(transactions.map(span => span.parentSpanId)).toEqual([request.spanId, request.spanId])
    expect(spans).toHaveLength(7)
    expect(collector.received[0]!.resource).toMatchObject({ 'service.name': 'voelgoed-seating' })
    for (const { text } of collector.received) {
      expect(text).not.toContain('my-secret-cart')
      for (const token of event.tokens) expect(text).not.toContain(token)
    }
  })

  it('requests that share a batch keep a trace each, and each knows of the batch', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => (index + 16).toString(16).padStart(32, 'c'))
    const answers = await Promise.all(
      ids.map((id, index) => event.reserve(index + 5, { traceparent: `00-${id}-${'b'.repeat(16)}-01` })),
    )
    expect(answers.map(answer => answer.status)).toEqual(ids.map(() => 201))
    let shared = 0
    for (const id of ids) {
      const spans = await collector.trace(id)
      expect(spans.filter(isRequest)).toHaveLength(1)
      const lane = named(spans, 'lane')
      for (const name of ['lane.queue', 'lane.lock', 'lane.commit']) {
        expect(named(spans, name).parentSpanId).toBe(lane.spanId)
      }
      if (Number(lane.attributes['voelgoed.batch.commands']) > 1) shared += 1
    }
    expect(shared).toBeGreaterThan(0)
  })

  it('a loser who is refused from memory has a trace without a batch; a caller may ask not to be traced', async () => {
    const parent = (digit: string, flags: string) => ({
      traceparent: `00-${traceId(digit)}-${'b'.repeat(16)}-${flags}`,
    })
    const unsampled = await event.reserve(1, parent('d', '00'))
    expect([unsampled.status, unsampled.headers.get('traceresponse')]).toEqual([201, null])
    const lost = await event.reserve(1, parent('e', '01'), 2)
    expect(lost.status).toBe(409)
    const spans = await collector.trace(traceId('e'))
    expect(spans.find(isRequest)!.attributes).toMatchObject({
      'http.response.status_code': 409,
      'voelgoed.refusal': 'seat_held_by_another_user',
    })
    expect(named(spans, 'lane').attributes).toEqual({ 'voelgoed.command': 'hold_seats' })
    expect(collector.spans().filter(span => span.traceId === traceId('d'))).toEqual([])
  })

  it.each([
    'garbage',
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
  ])('a caller who sends %s gets a trace of its own', async traceparent => {
    const answer = await fetch(`${event.url}/api/session`, { headers: { traceparent } })
    expect(answer.status).toBe(401)
    const [, id] = answer.headers.get('traceresponse')!.split('-')
    const [span] = await collector.trace(id!)
    expect(span).not.toHaveProperty('parentSpanId')
  })

  it('health checks and scrapes leave no trace', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await fetch(event.url + path)).headers.get('traceresponse')).toBe(null)
    }
  })
})

describe('a collector that is not there', () => {
  const fails = async (endpoint: string) => {
    const server = await startTestServer({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    const ours = await server.organization()
    const answers = await Promise.all(
      Array.from({ length: 500 }, () =>
        server.request('GET', '/api/session', { token: ours.tokens.customer }),
      ),
    )
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]))
    await server.close()
  }

  it('and refuses connections: requests go on, and so does the end', async () => {
    await fails('http://127.0.0.1:1')
  })

  it('and never answers: the same', async () => {
    await fails(await listening(createServer(() => {})))
  })
})
