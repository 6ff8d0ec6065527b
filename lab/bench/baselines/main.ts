import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { RedisClient } from '@voelgoed/testing/redis/client'
import Fastify from 'fastify'
import pg from 'pg'
import { percentiles } from '../load/percentiles.ts'
import type { BaselineCommand, BaselineTold, DriveFigures, DriveOrder, Variant } from './protocol.ts'
import {
  ORGANIZATION,
  type Reserved,
  reserveWithRedis,
  reserveWithRowLock,
  type Wish,
} from './reserve-seat.ts'
import SCHEMA from './schema.sql?raw'

/**
 * Runs the baselines in a process of their own: the usual algorithm behind the same route, and that route
 * with nothing behind it. The process reads and writes lines of JSON (protocol.ts) and ends when standard
 * input does.
 */
const { databaseUrl, redisUrl } = JSON.parse(process.argv[2]!) as {
  databaseUrl: string
  redisUrl: string | null
}
/** More than the product has, because each of these is busy for one request only. */
const CONNECTIONS = 32
const ROUTE = '/api/events/:event/seats/:seat/reserve'

const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS })
await pool.query(SCHEMA)
const redis = redisUrl === null ? null : await RedisClient.connect(redisUrl)
const tell = (told: BaselineTold) => process.stdout.write(`${JSON.stringify(told)}\n`)
tell({
  ports: {
    empty: await serveNothing(),
    rowLock: await serve(wish => reserveWithRowLock(pool, wish)),
    redis: redis && (await serve(wish => reserveWithRedis(pool, redis, wish))),
  },
})

for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as BaselineCommand
  if ('prepare' in command) {
    await prepare(command.prepare)
    tell({ prepared: true })
  } else tell({ driven: await drive(command.drive) })
}
process.exit(0)

/** The ceiling of HTTP on this machine: the route, and an answer that is always the same. */
async function serveNothing(): Promise<number> {
  const app = Fastify({ logger: false })
  app.post(ROUTE, (_request, reply) => reply.code(201).send({ status: 'held' }))
  return listen(app)
}

async function serve(reserve: (wish: Wish) => Promise<Reserved>): Promise<number> {
  const app = Fastify({ logger: false })
  // Sessions that are in memory, as they would be after the first request of each.
  const users = new Map<string, string>()
  app.post<{ Params: { event: string; seat: string } }>(ROUTE, async (request, reply) => {
    const token = request.headers.authorization ?? ''
    const userId = users.get(token) ?? randomUUID()
    users.set(token, userId)
    const { event: eventId, seat: seatId } = request.params
    const reserved = await reserve({ eventId, seatId, userId })
    if (reserved.kind !== 'held') {
      return reply.code(reserved.kind === 'seat_taken' ? 409 : 400).send({ error: reserved.kind })
    }
    return reply.code(reserved.isNew ? 201 : 200).send({
      hold_id: reserved.holdId,
      seat_id: seatId,
      event_id: eventId,
      status: 'held',
      held_until: reserved.heldUntil,
      expires_in_seconds: Math.round((reserved.heldUntil.getTime() - Date.now()) / 1000),
      message: 'Seat reserved. Proceed to checkout.',
    })
  })
  return listen(app)
}

async function listen(app: ReturnType<typeof Fastify>): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

async function prepare({ eventIds, seatIds }: { eventIds: readonly string[]; seatIds: readonly string[] }) {
  await pool.query(
    `insert into events (organization_id, id, status) select $1, unnest($2::uuid[]), 'published'`,
    [ORGANIZATION, eventIds],
  )
  for (const eventId of eventIds) {
    await pool.query('insert into seats (organization_id, event_id, id) select $1, $2, unnest($3::uuid[])', [
      ORGANIZATION,
      eventId,
      seatIds,
    ])
  }
  await pool.query('vacuum analyze seats')
  await pool.query('checkpoint')
}

/** Without HTTP: always so many under way, each for a seat that no other buyer asks for. */
async function drive({ variant, concurrent, seconds, eventIds, seatIds }: DriveOrder): Promise<DriveFigures> {
  const reserve: Record<Variant, (wish: Wish) => Promise<Reserved>> = {
    rowLock: wish => reserveWithRowLock(pool, wish),
    redis: wish => reserveWithRedis(pool, redis!, wish),
  }
  const users = Array.from({ length: 1_000 }, () => randomUUID())
  const ms: number[] = []
  const startedAt = performance.now()
  const endsAt = startedAt + seconds * 1000
  let next = 0
  const buy = async () => {
    for (;;) {
      const began = performance.now()
      const at = next
      const eventId = eventIds[Math.floor(at / seatIds.length)]
      // One in any case: a slow machine may not come to it before a very short time is over.
      if ((began >= endsAt && at > 0) || eventId === undefined) return
      next += 1
      const seatId = seatIds[at % seatIds.length]!
      const reserved = await reserve[variant]({ eventId, seatId, userId: users[at % users.length]! })
      if (reserved.kind !== 'held') throw new Error(`a free seat was not held: ${reserved.kind}`)
      ms.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: concurrent }, buy))
  const taken = (performance.now() - startedAt) / 1000
  return { holds: ms.length, seconds: taken, perSecond: ms.length / taken, ...percentiles(ms) }
}
