import { randomUUID } from 'node:crypto'
import type { Person, Role } from '@voelgoed/core/access'
import { NO_GUESTS } from '@voelgoed/core/guests/guest-rule'
import type { CheckoutId, CommandId, EventId, HoldId, OrganizationId } from '@voelgoed/core/ids'
import type { LaneAnswer } from '@voelgoed/engine/lane/lane-answer'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { pino } from 'pino'
import { expect } from 'vitest'
import { parseConfig } from '../server/config.ts'
import { sellCommand } from '../server/modules/orders/sale.ts'
import type { NodeDeps } from '../server/node/node-deps.ts'
import { type Node, startNode } from '../server/node.ts'
import { historyWritten } from './all-holds.ts'
import { PASSWORD, rememberingPassword } from './argon2.ts'
import { checkAnswer, type SeenAnswer } from './conformance.ts'
import { oneOfEverything } from './example.ts'
import { createDatabaseWithNeighbour, type Neighbour, type TestDatabase } from './test-database.ts'
import { PATIENT, WITHIN_MS, waitUntil } from './wait-until.ts'

export const ROOT_KEY = 'root-key-of-the-tests'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect to be there
  readonly body: any
}

interface RequestOptions {
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
    return systemClock.now() + this.#offset + this.#jumped
  }
  elapsed(): number {
    return (this.#frozenAt ?? systemClock.elapsed()) + this.#offset
  }
  /** From now on time passes only when a test says so: for limits that count what happens in a second. */
  freeze(): void {
    this.#frozenAt = systemClock.elapsed()
  }
  /** Time passes by itself again. */
  thaw(): void {
    this.#frozenAt = null
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
  /** So much time passes: for the database, this node, and the events that it has in memory. */
  passes(ms: number): Promise<void>
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

export const ROLES: readonly Role[] = ['customer', 'scanner', 'support', 'organizer', 'admin']

/** A `worker` leaves the jobs of the machine to others. */
type ServerOptions = Pick<NodeDeps, 'pageFolder' | 'stripeServer' | 'worker'>

/**
 * A whole server on a database of its own. There is always a neighbour: an organization with something of
 * everything, of which nothing may change, whatever the tests of the file do. `close` makes sure of it.
 */
export async function startTestServer(
  env: Record<string, string> = {},
  options: ServerOptions = {},
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

/** A node knows the database's clock as of the last look at each event. */
export async function catchUp(
  { lanes }: Pick<Node, 'lanes'>,
  { sql }: Pick<TestDatabase, 'sql'>,
): Promise<void> {
  const events = await sql<{ organization: OrganizationId; event: EventId }>(
    'select organization_id as organization, event_id as event from event_ledgers',
  )
  const known = events.filter(({ organization, event }) =>
    lanes.inMemory(TenantScope.of(organization), event),
  )
  await Promise.all(
    known.map(({ organization, event }) => lanes.lane(TenantScope.of(organization), event).sync()),
  )
}

/** A server without a neighbour. */
async function serve(
  database: TestDatabase,
  env: Record<string, string> = {},
  options: ServerOptions = {},
): Promise<TestServer> {
  const clock = new TestClock()
  const config = parseConfig({
    VOELGOED_WORKERS: '1',
    VOELGOED_ROOT_KEY: ROOT_KEY,
    VOELGOED_LIMITS: 'off',
    ...PATIENT,
    PORT: '0',
    ...(!env.STRIPE_SECRET_KEY && { VOELGOED_PAYMENTS: 'simulator' }),
    ...env,
  })
  const log = pino({ level: 'fatal' })
  const node = await startNode(config, database.url, { log, clock, pagePatienceMs: WITHIN_MS, ...options })
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

  const makeOrganization = async (name: string): Promise<TestOrganization> => {
    const slug = `org-${randomUUID().slice(0, 13)}`
    const created = await request('POST', '/api/platform/organizations', {
      token: ROOT_KEY,
      body: { name, slug },
    })
    expect(created.status).toBe(201)
    const { id } = created.body.data
    const tokens = {} as Record<Role, string>
    for (const role of ROLES) {
      const email = `${role}@${slug}.example`
      const user = await request('POST', `/api/platform/organizations/${id}/users`, {
        token: ROOT_KEY,
        body: { email, password: PASSWORD, role },
      })
      expect(user.status).toBe(201)
      const session = await request('POST', '/api/sessions', {
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
    async passes(ms) {
      await database.passes(ms)
      clock.advance(ms)
      await catchUp(node, database)
    },
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
  await oneOfEverything(server, neighbour)
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
  // Rows that are swept when their time is over stay for longer than a run: a run may be slow.
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

/** The first ticket of a sale. */
export function ticketOf(answer: LaneAnswer): string {
  const changes = answer.kind === 'decided' && answer.outcome.ok ? answer.outcome.value.changes : []
  const sold = changes.find(change => change.kind === 'seat_converted')
  return sold!.ticketIds[0]!
}

/** Does what a checkout does: starts the payment, and sells the hold once the money is there. */
export async function sell(
  server: Pick<TestServer, 'node'>,
  organization: Pick<TestOrganization, 'id'>,
  eventId: string,
  holdId: string,
  membership: Pick<Person, 'membershipTier' | 'membershipStatus'> = NO_MEMBERSHIP,
): Promise<LaneAnswer> {
  const lane = server.node.lanes.lane(TenantScope.of(organization.id as OrganizationId), eventId as EventId)
  const hold = (await lane.ready())!.state.holds.get(holdId as HoldId)!
  const buyer = { userId: hold.user.key, role: 'customer' as const, ...membership }
  const { quantity } = hold
  const orderId = randomUUID()
  const actor = { person: buyer, ip: null, source: 'web' as const }
  const holds = [{ holdId: holdId as HoldId, quantity, cartToken: null, ended: null }]
  const rest = { actor, allowStranding: true }
  await lane.submit({
    ...{ kind: 'start_payment', commandId: randomUUID() as CommandId, ...rest },
    ...{ holdIds: [holdId as HoldId], checkoutId: orderId as CheckoutId },
  })
  return lane.submit(
    sellCommand({ ...rest, orderId, buyer, guests: NO_GUESTS, holds, now: systemClock.now() }),
  )
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

/** A job makes these of the other tables, at any time. */
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
