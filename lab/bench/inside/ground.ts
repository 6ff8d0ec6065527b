import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { startGuestSession } from '@voelgoed/contract/accounts'
import { archiveEvent, cancelEvent, replacePolicy } from '@voelgoed/contract/events'
import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { generateVenue } from '@voelgoed/core/layout/generate'
import type { Lane } from '@voelgoed/engine/lane/lane'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { PATIENT } from '@voelgoed/testing/wait-until'
import pg from 'pg'
import { pino } from 'pino'
import { parseConfig } from '../../../server/config.ts'
import { type Node, startNode } from '../../../server/node.ts'
import { Caller } from '../../call-route.ts'
import { foundOrganization } from '../../found-organization.ts'
import { buildHall, type Hall, NO_LIMITS } from '../stage/hall.ts'

const ROOT_KEY = 'root-key-of-the-bench'
const SLUG = 'bench'

/**
 * A whole node (lanes, journal, followers, bus, metrics, reaper) on a database of its own,
 * with one organization.
 */
export interface Ground {
  /** This node runs now; `restart` puts another in its place. */
  readonly node: Node
  readonly databaseUrl: string
  readonly scope: TenantScope
  readonly seed: number
  /** A layout of so many seats: the same for the same number. */
  layout(seats: number): Promise<Hall>
  /** A new event on it, on sale. */
  event(hall: Hall, options?: { ttlSeconds?: number }): Promise<EventId>
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

export async function openGround(serverUrl: string, { seed }: { seed: number }): Promise<Ground> {
  const admin = new pg.Client({ connectionString: serverUrl })
  await admin.connect()
  const name = `bench_${randomBytes(6).toString('hex')}`
  await admin.query(`create database ${name}`)
  const address = new URL(serverUrl)
  address.pathname = `/${name}`
  const databaseUrl = address.toString()
  const owner = new pg.Client({ connectionString: databaseUrl })
  await owner.connect()
  let port = '0'
  const start = ({ reaper = 'on', redisUrl }: { reaper?: 'on' | 'off'; redisUrl?: string } = {}) => {
    const config = parseConfig({
      ...PATIENT,
      VOELGOED_WORKERS: '1',
      VOELGOED_ROOT_KEY: ROOT_KEY,
      VOELGOED_LIMITS: 'off',
      PORT: port,
      VOELGOED_REAPER: reaper,
      ...(redisUrl && { REDIS_URL: redisUrl }),
    })
    const log = pino({ level: 'warn' }, pino.destination(2))
    return startNode(config, databaseUrl, { log, clock: systemClock })
  }
  let node = await start()

  // The next node has the same port: halls go on asking there.
  const url = await node.listen()
  port = new URL(url).port
  const caller = new Caller(url)
  const { id, people } = await foundOrganization(caller, ROOT_KEY, SLUG)
  const { token } = people.organizer
  await caller.get(replacePolicy, { token, body: NO_LIMITS })
  const scope = TenantScope.of(id as OrganizationId)
  const halls = new Map<number, Promise<Hall>>()

  return {
    get node() {
      return node
    },
    databaseUrl,
    scope,
    seed,
    layout(seats) {
      const config = generateVenue({ kind: 'stadium', seats, seed })
      const hall = halls.get(seats) ?? buildHall(caller, token, { config, seed })
      halls.set(seats, hall)
      return hall
    },
    event: async (hall, options) => (await hall.openEvent(options)) as EventId,
    async guest() {
      return (await caller.get(startGuestSession, { body: { organization: SLUG } })).data.token
    },
    async restart(options = {}) {
      await node.drain()
      node = await start(options)
      await node.listen()
    },
    lane: eventId => node.lanes.lane(scope, eventId),
    async endEvent(event) {
      await caller.get(cancelEvent, { token, params: { event } })
      await untilArchived(() => caller.get(archiveEvent, { token, params: { event } }))
    },
    async sql(text, values = []) {
      return (await owner.query(text, values)).rows
    },
    async checkpoint() {
      await owner.query('checkpoint')
    },
    async close() {
      caller.close()
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
