import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { generateVenue } from '@voelgoed/core/layout/generate'
import pg from 'pg'
import { pino } from 'pino'
import { systemClock } from '../../../server/src/clock.ts'
import { parseConfig } from '../../../server/src/config.ts'
import type { Lane } from '../../../server/src/lane/lane.ts'
import { type Node, startNode } from '../../../server/src/node.ts'
import { TenantScope } from '../../../server/src/tenant.ts'

const ROOT_KEY = 'root-key-of-the-bench'

/**
 * A whole node (lanes, journal, followers, bus, metrics, reaper) on a database of its own,
 * with one organization.
 */
export interface Ground {
  /** The one that runs now. */
  readonly node: Node
  readonly databaseUrl: string
  readonly scope: TenantScope
  readonly seed: number
  /** A layout of so many seats: the same for the same number. */
  layout(seats: number): Promise<Layout>
  /** A new event on it, on sale. */
  event(layout: Layout, options?: { ttlSeconds?: number }): Promise<EventId>
  /** A buyer's token. */
  guest(): Promise<string>
  /** Another node in place of this one, with nothing in memory. */
  restart(options?: { reaper?: 'on' | 'off'; redisUrl?: string }): Promise<void>
  lane(eventId: EventId): Lane
  /** It is cancelled and archived. */
  endEvent(eventId: EventId): Promise<void>
  /** As the owner, around every guard of the application. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Writes out what is dirty, so that no measurement pays for what came before it. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

export interface Layout {
  readonly venueId: string
  readonly layoutId: string
  readonly seats: number
}

/** What would refuse a buyer who takes a thousand seats. */
const NO_LIMITS = {
  max_seats_per_booking: null,
  max_wheelchair_seats_per_booking: null,
  max_holds_per_user: null,
  max_holds_per_ip: null,
  // Any seat is asked for by itself.
  enforce_accessibility_rules: false,
  holds_per_window: null,
  // As long as it may be: nothing runs out while we measure.
  default_hold_ttl_seconds: 7_200,
}

export async function openGround(serverUrl: string, { seed }: { seed: number }): Promise<Ground> {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  const name = `bench_${randomBytes(6).toString('hex')}`
  await admin.query(`create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const databaseUrl = url.toString()
  const owner = new pg.Client({ connectionString: databaseUrl })
  await owner.connect()
  const start = ({ reaper = 'on', redisUrl }: { reaper?: 'on' | 'off'; redisUrl?: string } = {}) => {
    const config = parseConfig({
      VOELGOED_WORKERS: '1',
      VOELGOED_ROOT_KEY: ROOT_KEY,
      VOELGOED_LIMITS: 'off',
      PORT: '0',
      VOELGOED_REAPER: reaper,
      ...(redisUrl && { REDIS_URL: redisUrl }),
    })
    const log = pino({ level: 'warn' }, pino.destination(2))
    return startNode(config, databaseUrl, { log, clock: systemClock })
  }
  let node = await start()

  const call = async (method: 'POST' | 'PUT', path: string, token: string | null, body?: object) => {
    const response = await node.app.fastify.inject({
      method,
      url: path,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { payload: JSON.stringify(body) }),
    })
    if (response.statusCode > 299) throw new Error(`${method} ${path}: ${response.body.slice(0, 1_000)}`)
    return response.json().data as Record<string, string>
  }
  const organization = await call('POST', '/api/platform/organizations', ROOT_KEY, {
    name: 'Bench',
    slug: 'bench',
  })
  const credentials = { email: 'organizer@bench.example', password: 'a long password' }
  await call('POST', `/api/platform/organizations/${organization.id}/users`, ROOT_KEY, {
    ...credentials,
    role: 'organizer',
  })
  const session = await call('POST', '/api/sessions', null, { organization: 'bench', ...credentials })
  const token = session.token!
  await call('PUT', '/api/admin/policy', token, NO_LIMITS)
  const scope = TenantScope.of(organization.id as OrganizationId)

  const layouts = new Map<number, Promise<Layout>>()
  const addLayout = async (seats: number): Promise<Layout> => {
    const venue = await call('POST', '/api/admin/venues', token, { name: `${seats} seats` })
    const config = generateVenue({ kind: 'stadium', seats, seed })
    const layout = await call('POST', `/api/admin/venues/${venue.id}/layouts`, token, {
      name: `${seats} seats`,
      config,
    })
    await call('POST', `/api/admin/layouts/${layout.layout_id}/versions/1/activate`, token)
    return { venueId: venue.id!, layoutId: layout.layout_id!, seats }
  }

  return {
    get node() {
      return node
    },
    databaseUrl,
    scope,
    seed,
    layout(seats) {
      const layout = layouts.get(seats) ?? addLayout(seats)
      layouts.set(seats, layout)
      return layout
    },
    async event({ venueId, layoutId, seats }, { ttlSeconds = NO_LIMITS.default_hold_ttl_seconds } = {}) {
      const body = {
        name: `${seats} seats`,
        venue_id: venueId,
        layout_id: layoutId,
        seating_overrides: { default_hold_ttl_seconds: ttlSeconds },
      }
      const event = await call('POST', '/api/admin/events', token, body)
      await call('POST', `/api/admin/events/${event.id}/publish`, token)
      return event.id as EventId
    },
    async guest() {
      return (await call('POST', '/api/sessions/guest', null, { organization: 'bench' })).token!
    },
    async restart(options = {}) {
      await node.drain()
      node = await start(options)
    },
    lane: eventId => node.lanes.lane(scope, eventId),
    async endEvent(eventId) {
      await call('POST', `/api/admin/events/${eventId}/cancel`, token)
      await untilArchived(() => call('POST', `/api/admin/events/${eventId}/archive`, token))
    },
    async sql(text, values = []) {
      return (await owner.query(text, values)).rows
    },
    async checkpoint() {
      await owner.query('checkpoint')
    },
    async close() {
      await node.drain()
      await owner.end()
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

/** The holds of a cancelled event end first: a hundred thousand of them take a while. */
async function untilArchived(archive: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + 300_000
  for (;;) {
    try {
      await archive()
      return
    } catch (error) {
      if (!String(error).includes('still ending') || performance.now() > until) throw error
      await setTimeout(500)
    }
  }
}
