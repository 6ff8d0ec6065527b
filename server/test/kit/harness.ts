import { randomUUID } from 'node:crypto'
import type { Person, Role } from '@voelgoed/core/access'
import type { CheckoutId, CommandId, EventId, HoldId, OrganizationId, TicketId } from '@voelgoed/core/ids'
import { pino } from 'pino'
import { expect } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import type { LaneAnswer } from '../../src/lane/lane-answer.ts'
import { type Node, type NodeDeps, startNode } from '../../src/node.ts'
import { TenantScope } from '../../src/tenant.ts'
import { historyWritten } from './all-holds.ts'
import { PASSWORD, rememberingPassword } from './argon2.ts'
import { checkAnswer, type SeenAnswer } from './conformance.ts'
import { createDatabaseWithNeighbour, type Neighbour, type TestDatabase } from './test-database.ts'
import { waitUntil } from './wait-until.ts'

export const ROOT_KEY = 'root-key-of-the-tests'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  readonly body: any
}

export interface RequestOptions {
  readonly token?: string
  readonly body?: unknown
  readonly raw?: string | Buffer
  readonly headers?: Record<string, string>
}

/** A clock that tests move. It starts at the real time, because Postgres has a clock of its own. */
class TestClock {
  #offset = 0
  #jumped = 0
  #frozenAt: number | null = null
  now(): number {
    return Date.now() + this.#offset + this.#jumped
  }
  elapsed(): number {
    return (this.#frozenAt ?? performance.now()) + this.#offset
  }
  /** From now on time passes only when a test says so: for limits that count what happens in a second. */
  freeze(): void {
    this.#frozenAt = performance.now()
  }
  advance(ms: number): void {
    this.#offset += ms
  }
  /** The wall clock is set; no time passes. */
  jump(ms: number): void {
    this.#jumped += ms
  }
}

export interface TestServer {
  readonly node: Node
  readonly database: TestDatabase
  readonly clock: TestClock
  readonly seen: SeenAnswer[]
  request(method: string, url: string, options?: RequestOptions): Promise<Answer>
  /** A new organization with a user of each role. */
  organization(name?: string): Promise<TestOrganization>
  close(): Promise<void>
}

export interface TestOrganization {
  readonly id: string
  readonly slug: string
  readonly tokens: Readonly<Record<Role, string>>
}

export { PASSWORD }

const MOST_ATTEMPTS = 5
export const ROLES: readonly Role[] = ['customer', 'scanner', 'support', 'organizer', 'admin']

/**
 * A whole server on a database of its own. There is always a neighbour: an organization with something of
 * everything, of which nothing may change, whatever the tests of the file do. `close` makes sure of it.
 */
export async function startTestServer(
  env: Record<string, string> = {},
  options: Pick<NodeDeps, 'pageFolder' | 'stripeServer'> = {},
): Promise<TestServer> {
  const { neighbour, ...database } = await createDatabaseWithNeighbour(moveNeighbourIn)
  const server = await serve(database, env, options)
  return {
    ...server,
    async close() {
      expect(await fingerprint(database, neighbour.id)).toEqual(neighbour.fingerprint)
      await server.close()
    },
  }
}

/**
 * Asks again while the answer is 503, as clients do: for what a test needs and is not about. A machine that
 * has no time for Postgres gets no connection within the three seconds that a request waits for one.
 */
export async function whileUnavailable(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask()
    if (answer.status !== 503 || attempt === MOST_ATTEMPTS) return answer
  }
}

/** A server without a neighbour. */
async function serve(
  database: TestDatabase,
  env: Record<string, string> = {},
  options: Pick<NodeDeps, 'pageFolder' | 'stripeServer'> = {},
): Promise<TestServer> {
  const clock = new TestClock()
  const config = parseConfig({
    VOELGOED_WORKERS: '1',
    VOELGOED_ROOT_KEY: ROOT_KEY,
    VOELGOED_LIMITS: 'off',
    PORT: '0',
    ...(!env.STRIPE_SECRET_KEY && { VOELGOED_PAYMENTS: 'simulator' }),
    ...env,
  })
  const node = await startNode(config, database.url, { log: pino({ level: 'fatal' }), clock, ...options })
  const seen: SeenAnswer[] = []

  const request: TestServer['request'] = async (method, url, options = {}) => {
    const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
    const response = await node.app.fastify.inject({
      method: method as 'GET',
      url,
      headers: {
        ...(options.token && { authorization: `Bearer ${options.token}` }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(payload !== undefined && { payload }),
    })
    const contentType = String(response.headers['content-type'] ?? '')
    const answer = { status: response.statusCode, contentType, body: response.body }
    if (response.headers['content-encoding'] === undefined) {
      const checked = checkAnswer(method, url, answer)
      if (checked) seen.push(checked)
    }
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      body: /json/.test(contentType) && !response.headers['content-encoding'] ? response.json() : null,
    }
  }

  const served: TestServer['request'] = (...asked) => whileUnavailable(() => request(...asked))

  const makeOrganization = async (name: string): Promise<TestOrganization> => {
    const slug = `org-${randomUUID().slice(0, 13)}`
    const created = await served('POST', '/api/platform/organizations', {
      token: ROOT_KEY,
      body: { name, slug },
    })
    expect(created.status).toBe(201)
    const { id } = created.body.data
    const tokens = {} as Record<Role, string>
    for (const role of ROLES) {
      const email = `${role}@${slug}.example`
      const user = await served('POST', `/api/platform/organizations/${id}/users`, {
        token: ROOT_KEY,
        body: { email, password: PASSWORD, role },
      })
      expect(user.status).toBe(201)
      const session = await served('POST', '/api/sessions', {
        body: { organization: slug, email, password: PASSWORD },
      })
      expect(session.status).toBe(201)
      tokens[role] = session.body.data.token
    }
    return { id, slug, tokens }
  }

  return {
    node,
    database,
    clock,
    seen,
    request,
    organization: (name = 'Test') => rememberingPassword(() => makeOrganization(name)),
    async close() {
      await node.drain()
      await database.drop()
    },
  }
}

/** Once for all files: to make one took a third of the time of most of them. */
async function moveNeighbourIn(database: TestDatabase): Promise<Neighbour> {
  const server = await serve(database)
  const { node } = server
  const neighbour = await server.organization('Neighbour')
  await somethingOfEverything(server, neighbour)
  await historyWritten(database)
  // The mail about its order is sent or kept by now, by this look or by one that was under way.
  await node.mailSender.look()
  await waitUntil('the mails of the neighbour have ended', async () => {
    const [open] = await database.sql('select 1 from mails where organization_id = $1 and ended_at is null', [
      neighbour.id,
    ])
    return open === undefined
  })
  // Nor does its staff come back: when they were last seen is written at the end.
  await node.drain()
  // What is swept when its time is over stays for longer than a run: a run may be slow.
  await database.sql(
    `update sign_in_failures set window_ends_at = now() + interval '1 day' where organization_id = $1`,
    [neighbour.id],
  )
  return { id: neighbour.id, fingerprint: await fingerprint(database, neighbour.id) }
}

/** A venue with a small layout and an event on sale. */
export async function eventOnSale(
  server: Pick<TestServer, 'request'>,
  organization: TestOrganization,
  config: object = SMALL_LAYOUT,
  fields: object = {},
): Promise<{ venueId: string; layoutId: string; eventId: string }> {
  const token = organization.tokens.organizer
  const post = async (url: string, body?: object) => {
    const answer = await server.request('POST', url, { token, ...(body && { body }) })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body.data
  }
  const venue = await post('/api/admin/venues', { name: 'Hall' })
  const layout = await post(`/api/admin/venues/${venue.id}/layouts`, { name: 'Hall', config })
  await post(`/api/admin/layouts/${layout.layout_id}/versions/1/activate`)
  const event = await post('/api/admin/events', {
    name: 'Play',
    venue_id: venue.id,
    layout_id: layout.layout_id,
    ...fields,
  })
  await post(`/api/admin/events/${event.id}/publish`)
  return { venueId: venue.id, layoutId: layout.layout_id, eventId: event.id }
}

export interface Everything {
  readonly venueId: string
  readonly layoutId: string
  readonly eventId: string
  readonly seatId: string
  readonly holdId: string
  readonly ticketId: string
  /** Of the event's whitelist. */
  readonly entryId: string
  readonly orderId: string
  readonly orderSecret: string
  readonly checkoutId: string
  /** About that order. */
  readonly mailId: string
  /** Of an API key. */
  readonly keyId: string
}

/** An event on sale with prices, a seat held, one sold, one blocked, two places held, and a whitelist. */
export async function somethingOfEverything(
  server: Pick<TestServer, 'request' | 'node'>,
  organization: TestOrganization,
): Promise<Everything> {
  // The hold outlives any test: that of a neighbour must not change.
  const fields = { starts_at: '2099-03-01T17:30:00Z', seating_overrides: { default_hold_ttl_seconds: 7_200 } }
  const made = await eventOnSale(server, organization, SMALL_LAYOUT, fields)
  const url = `/api/events/${made.eventId}`
  const token = organization.tokens.customer
  const layout = await server.request('GET', `${url}/layout`, { token })
  const seats = layout.body.data.zones[0].seats.map((seat: { seat_id: string }) => seat.seat_id)
  const hold = async (seatId: string) => {
    const answer = await server.request('POST', `${url}/seats/${seatId}/reserve`, { token })
    expect(answer.status, answer.text).toBe(201)
    return answer.body.data
  }
  const held = await hold(seats[0])
  const sold = await hold(seats[1])
  const order = await server.request('POST', '/api/admin/orders', {
    token: organization.tokens.organizer,
    body: {
      event_id: made.eventId,
      hold_ids: [sold.hold_id],
      method: 'external',
      allow_stranding: true,
      contact: { email: 'buyer@example.org' },
    },
  })
  expect(order.status, order.text).toBe(201)
  const places = await server.request('POST', `${url}/holds`, {
    token,
    body: { zone_id: layout.body.data.zones[1].zone_id, quantity: 2 },
  })
  expect(places.status, places.text).toBe(201)
  await server.request('POST', `/api/admin/events/${made.eventId}/seats/block`, {
    token: organization.tokens.organizer,
    body: { seat_ids: [seats[3]], reason: 'camera' },
  })
  const whitelist = `/api/admin/events/${made.eventId}/whitelist`
  const organizer = { token: organization.tokens.organizer }
  const entries = [{ email: 'friend@example.org' }]
  await server.request('POST', whitelist, { ...organizer, body: { entries } })
  const [entry] = (await server.request('GET', whitelist, organizer)).body.data
  const priced = await server.request('PUT', `/api/admin/events/${made.eventId}/prices`, {
    ...organizer,
    headers: { 'if-match': '"0"' },
    body: {
      currency: 'ZAR',
      categories: [
        { key: 'pit', name: 'Pit', ticket_types: [{ key: 'adult', name: 'Adult', amount: 25_000 }] },
      ],
      zones: { [layout.body.data.zones[1].zone_id]: 'pit' },
    },
  })
  expect(priced.status, priced.text).toBe(200)
  const checkout = await server.request('POST', '/api/checkouts', {
    token,
    body: {
      event_id: made.eventId,
      hold_ids: [places.body.data.holds[0].hold_id],
      contact: { name: 'Ben', email: 'buyer@example.org' },
    },
  })
  expect(checkout.status, checkout.text).toBe(201)
  const key = await server.request('POST', '/api/admin/api-keys', {
    token: organization.tokens.admin,
    body: { name: 'Shop', role: 'support' },
  })
  const mails = await server.request(
    'GET',
    `/api/admin/mails?order_id=${order.body.data.order_id}`,
    organizer,
  )
  return {
    ...made,
    checkoutId: checkout.body.data.checkout_id,
    seatId: seats[0],
    holdId: held.hold_id,
    ticketId: order.body.data.tickets[0].ticket_id,
    orderId: order.body.data.order_id,
    orderSecret: order.body.data.secret,
    mailId: mails.body.data[0].mail_id,
    entryId: entry.entry_id,
    keyId: key.body.data.key_id,
  }
}

/** The first ticket of a sale. */
export function ticketOf(answer: LaneAnswer): string {
  const changes = answer.kind === 'decided' && answer.outcome.ok ? answer.outcome.value.changes : []
  const sold = changes.find(change => change.kind === 'seat_converted')
  return sold!.ticketIds[0]!
}

/** What checkout will do once the money is there: start the payment, turn the hold into a ticket. */
export async function sell(
  server: Pick<TestServer, 'node'>,
  organization: Pick<TestOrganization, 'id'>,
  eventId: string,
  holdId: string,
  membership: Pick<Person, 'membershipTier' | 'membershipStatus'> = NO_MEMBERSHIP,
): Promise<LaneAnswer> {
  const lane = server.node.lanes.lane(TenantScope.of(organization.id as OrganizationId), eventId as EventId)
  const hot = (await lane.ready())!
  const owner = hot.state.holds.get(holdId as HoldId)?.user.key
  const checkoutId = randomUUID() as CheckoutId
  const person = { userId: owner!, role: 'customer' as const, ...membership }
  const actor = { person, ip: null, source: 'web' as const }
  const holdIds = [holdId as HoldId]
  const commandId = () => randomUUID() as CommandId
  await lane.submit({
    kind: 'start_payment',
    commandId: commandId(),
    actor,
    holdIds,
    checkoutId,
    allowStranding: true,
  })
  return lane.submit({
    kind: 'convert',
    commandId: commandId(),
    actor,
    holdIds,
    checkoutId,
    ticketIds: [randomUUID() as TicketId],
  })
}

const NO_MEMBERSHIP = { membershipTier: null, membershipStatus: null }

export const SMALL_LAYOUT = {
  zones: [
    {
      name: 'Stalls',
      zone_type: 'reserved_seating',
      seats: [
        { row: 'A', number: 1, coordinates: { x: 0, y: 0 } },
        { row: 'A', number: 2, coordinates: { x: 1, y: 0 } },
        {
          row: 'A',
          number: 3,
          category: 'wheelchair',
          companion_seat_label: 'A-4',
          coordinates: { x: 2, y: 0 },
        },
        { row: 'A', number: 4, category: 'companion', coordinates: { x: 3, y: 0 } },
      ],
    },
    { name: 'Pit', zone_type: 'ga_standing', capacity: 100 },
  ],
}

/** What a job makes of the other tables, at any time. */
const COUNTED_BY_JOBS = ['funnel_counts', 'funnel_cursors', 'occupancy_snapshots']

/** Everything that an organization has, table by table, as one hash each. */
async function fingerprint(database: TestDatabase, organizationId: string): Promise<Record<string, string>> {
  const tables = await database.sql<{ table_name: string }>(
    `select table_name from information_schema.columns
     where column_name = 'organization_id' and table_schema = 'public' and table_name <> all ($1) order by table_name`,
    [COUNTED_BY_JOBS],
  )
  const result: Record<string, string> = {}
  for (const { table_name } of tables) {
    const [row] = await database.sql<{ hash: string }>(
      `select count(*) || ':' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as hash
       from ${table_name} t where organization_id = $1`,
      [organizationId],
    )
    result[table_name] = row!.hash
  }
  return result
}
