import { fork } from 'node:child_process'
import { once } from 'node:events'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startGuestSession } from '@voelgoed/core/contract/accounts'
import { createEvent, publishEvent, replacePolicy } from '@voelgoed/core/contract/events'
import { activateLayoutVersion, createLayout, createVenue } from '@voelgoed/core/contract/layouts'
import { generateVenue } from '@voelgoed/core/layout/generate'
import { Caller } from '../../call-route.ts'
import { foundOrganization } from '../../found-organization.ts'
import { Random } from '../../random.ts'
import { type Child, startScript } from './child.ts'
import type { LoadFigures, LoadOrder } from './load.ts'
import type { BenchPostgres } from './postgres.ts'
import { postgresSeconds, secondsOf } from './processor-time.ts'

export interface HttpOptions {
  readonly connections: readonly number[]
  readonly seconds: number
  readonly seats: number
  readonly guests: number
  readonly warmUpSeconds: number
  readonly seed: number
  say(line: string): void
}

export interface HttpFigures extends LoadFigures {
  readonly connections: number
  /** Processor time meanwhile. Null where there is no /proc. */
  readonly serverSeconds: number | null
  readonly postgresSeconds: number | null
}

const ROOT_KEY = 'root-key-of-the-bench'
const SLUG = 'bench'
/** Faster than this it isn't: enough events are made for it. */
const MOST_PER_SECOND = 30_000

/** The real server, as it is started in earnest, and a crowd of guests on this machine. */
export async function measureHttp(postgres: BenchPostgres, options: HttpOptions): Promise<HttpFigures[]> {
  const logFile = join(tmpdir(), `voelgoed-bench-${process.pid}.log`)
  const log = await open(logFile, 'w')
  const server = startScript(['server/src/main.ts'], {
    env: {
      PORT: '0',
      DATABASE_URL: postgres.url,
      VOELGOED_ROOT_KEY: ROOT_KEY,
      VOELGOED_DEMO: '0',
      // All guests come from one address.
      VOELGOED_LIMITS: 'off',
    },
    stderr: log.fd,
  })
  try {
    const url = await server.find(line => /^Ready at (http:\S+)/.exec(line)?.[1] ?? null)
    const caller = new Caller(url)
    try {
      return await measureOn({ url, server, postgres, caller }, options)
    } finally {
      caller.close()
    }
  } finally {
    await server.stop()
    await log.close()
    await rm(logFile, { force: true })
  }
}

async function measureOn(
  { url, server, postgres, caller }: { url: string; server: Child; postgres: BenchPostgres; caller: Caller },
  options: HttpOptions,
): Promise<HttpFigures[]> {
  const { say, seconds } = options
  say(
    `  preparing ${options.seats.toLocaleString('en')} seats and ${options.guests.toLocaleString('en')} guests …`,
  )
  const hall = await prepareHall(caller, options)
  const tokens = await startGuests(caller, options.guests)
  const port = Number(new URL(url).port)
  const order = async (connections: number, forSeconds: number): Promise<LoadOrder> => {
    const events = Math.ceil((forSeconds * MOST_PER_SECOND) / options.seats)
    const eventIds: string[] = []
    for (let count = 0; count < events; count += 1) eventIds.push(await hall.openEvent())
    return { port, connections, seconds: forSeconds, tokens, eventIds, seatIds: hall.seatIds }
  }
  await applyLoad(await order(50, options.warmUpSeconds))

  const figures: HttpFigures[] = []
  for (const connections of options.connections) {
    const load = await order(connections, seconds)
    const before = { server: secondsOf(server.pid), postgres: postgresSeconds(postgres.pid) }
    const measured = await applyLoad(load)
    const after = { server: secondsOf(server.pid), postgres: postgresSeconds(postgres.pid) }
    figures.push({
      connections,
      ...measured,
      serverSeconds: difference(before.server, after.server),
      postgresSeconds: difference(before.postgres, after.postgres),
    })
    say(`  ${connections} connections: ${Math.round(measured.perSecond).toLocaleString('en')} holds a second`)
  }
  return figures
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}

/** An organization whose policy limits nobody, and a layout to open events on. */
async function prepareHall(caller: Caller, { seats, seed }: HttpOptions) {
  const { tokens } = await foundOrganization(caller, ROOT_KEY, SLUG)
  const token = tokens.organizer
  await caller.get(replacePolicy, {
    token,
    body: {
      max_wheelchair_seats_per_booking: null,
      max_holds_per_user: null,
      max_holds_per_ip: null,
      holds_per_window: null,
      default_hold_ttl_seconds: 7_200,
    },
  })
  const venue = await caller.get(createVenue, { token, body: { name: 'Stadium' } })
  // Ids of our own choice: then nobody has to read a layout of 200,000 seats to learn them.
  const random = new Random(seed)
  const config = generateVenue({ kind: 'stadium', seats, seed })
  const seatIds: string[] = []
  for (const seat of config.zones.flatMap(zone => zone.seats ?? [])) {
    seat.seat_id = random.uuid()
    seatIds.push(seat.seat_id)
  }
  shuffle(seatIds, random)
  const layout = await caller.get(createLayout, {
    token,
    params: { venue: venue.data.id },
    bytes: Buffer.from(JSON.stringify({ name: 'Stadium', config })),
  })
  const layoutId = layout.data.layout_id
  await caller.get(activateLayoutVersion, { token, params: { layout: layoutId, v: '1' } })
  const openEvent = async () => {
    const body = { name: 'Final', venue_id: venue.data.id, layout_id: layoutId }
    const event = await caller.get(createEvent, { token, body })
    await caller.get(publishEvent, { token, params: { event: event.data.id } })
    return event.data.id
  }
  return { openEvent, seatIds }
}

function shuffle(list: string[], random: Random): void {
  for (let left = list.length - 1; left > 0; left -= 1) {
    const other = random.below(left + 1)
    const kept = list[left]!
    list[left] = list[other]!
    list[other] = kept
  }
}

async function startGuests(caller: Caller, count: number): Promise<string[]> {
  const tokens: string[] = []
  let begun = 0
  const start = async () => {
    while (begun < count) {
      begun += 1
      tokens.push((await caller.get(startGuestSession, { body: { organization: SLUG } })).data.token)
    }
  }
  await Promise.all(Array.from({ length: 16 }, start))
  return tokens
}

async function applyLoad(order: LoadOrder): Promise<LoadFigures> {
  const child = fork(fileURLToPath(new URL('load.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the load generator ended with ${code}`)
  })
  ended.catch(() => {})
  child.send(order)
  const [figures] = (await Promise.race([once(child, 'message'), ended])) as [LoadFigures]
  return figures
}
