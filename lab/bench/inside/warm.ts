import { setTimeout as delay } from 'node:timers/promises'
import type { EventId } from '@voelgoed/core/ids'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { percentiles } from '../load/percentiles.ts'
import type { BySource, FiguresOf, TaskOptions } from '../stage/in-process.ts'
import { assertHeld, Buyers } from './buyers.ts'
import type { Ground } from './ground.ts'

const AT_ONCE = 256
const WITHIN_MS = 120_000

/** Measures the copy of an event in Redis, and what a node that has just started gains by it. */
export async function measureWarm(
  ground: Ground,
  { seats, holds, samples }: TaskOptions<'warm'>,
): Promise<FiguresOf<'warm'>> {
  const redis = await RedisServer.start()
  try {
    const eventId = await ground.event(await ground.layout(seats))
    const token = await ground.guest()
    const read = (path: string, accept = '*/*') =>
      readOnce(ground, `/api/events/${eventId}/${path}`, token, accept)
    await ground.restart({ redisUrl: redis.url })
    await isConnected(ground)
    const bytesBefore = await usedBytes(redis)
    const keysBefore = await keysIn(redis)
    const untilCopiedMs = await fill(ground, eventId, holds, redis)
    const bytes = (await usedBytes(redis)) - bytesBefore
    const keys = (await keysIn(redis)) - keysBefore
    const documents = { layout: (await read('layout')).bytes, map: (await read('map')).bytes }
    const documentKeys = 2
    await until(
      'documents are in Redis',
      async () => (await keysIn(redis)) === keysBefore + keys + documentKeys,
    )

    const times = { availability: bySource(), layout: bySource(), map: bySource() }
    for (let sample = 0; sample < samples; sample += 1) {
      for (const source of ['redis', 'postgres'] as const) {
        await ground.restart(source === 'redis' ? { redisUrl: redis.url } : {})
        if (source === 'redis') await isConnected(ground)
        const first = await read('availability', 'application/octet-stream')
        if (first.tier !== source) throw new Error(`availability came from ${first.tier}, not from ${source}`)
        times.availability[source].push(first.ms)
        // The event is loaded meanwhile: not at the cost of what comes next.
        await ground.lane(eventId).ready()
        for (const form of ['layout', 'map'] as const) times[form][source].push((await read(form)).ms)
      }
    }
    await ground.restart({ redisUrl: redis.url })
    await isConnected(ground)
    await ground.lane(eventId).ready()
    await ground.endEvent(eventId)
    // The mark that the copy was removed goes by itself, a minute later.
    const left = async () => (await keysIn(redis)) - (await marksIn(redis)) - keysBefore - documentKeys
    await until('the copy is removed', async () => (await left()) === 0).catch(() => {})
    return {
      keys,
      bytes,
      untilCopiedMs,
      keysLeft: await left(),
      availability: figuresOf(times.availability),
      layout: { ...figuresOf(times.layout), bytes: documents.layout },
      map: { ...figuresOf(times.map), bytes: documents.map },
    }
  } finally {
    await ground.restart()
    await redis.stop()
  }
}

async function fill(ground: Ground, eventId: EventId, holds: number, redis: RedisServer): Promise<number> {
  const lane = ground.lane(eventId)
  const view = (await lane.ready())!
  const buyers = new Buyers(10_000)
  let next = 0
  const buy = async () => {
    while (next < holds) {
      const ordinal = next
      next += 1
      assertHeld(await lane.submit(buyers.wish(ordinal)))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, buy))
  const filledAt = performance.now()
  const key = `voelgoed:org:${ground.scope.organizationId}:event:{${eventId}}:seq`
  await until('Redis has all holds', async () => {
    const isWhole = (await redis.command('HEXISTS', key, 'writer')) === 0
    return isWhole && Number(await redis.command('HGET', key, 'seq')) === view.seq
  })
  return performance.now() - filledAt
}

async function readOnce(ground: Ground, url: string, token: string, accept: string) {
  const startedAt = performance.now()
  const { statusCode, headers, rawPayload } = await ground.node.app.fastify.inject({
    url,
    headers: { authorization: `Bearer ${token}`, accept, 'accept-encoding': 'br' },
  })
  const ms = performance.now() - startedAt
  if (statusCode !== 200) throw new Error(`${url} gave ${statusCode}`)
  return { ms, tier: headers['voelgoed-tier'], bytes: rawPayload.length }
}

async function isConnected(ground: Ground): Promise<void> {
  await until('Redis is connected', async () => {
    const answer = await ground.node.app.fastify.inject({ url: '/readyz' })
    return answer.json().redis === 'ok'
  })
}

async function usedBytes(redis: RedisServer): Promise<number> {
  return Number(await redis.info('used_memory'))
}

/** All of them: nothing else uses this Redis. It is asked often, so it must not look at each. */
const MARKS = `
local marks = 0
for _, key in ipairs(redis.call('KEYS', '*:seq')) do marks = marks + redis.call('HEXISTS', key, 'least_seq') end
return marks`

async function keysIn(redis: RedisServer): Promise<number> {
  return Number(await redis.command('DBSIZE'))
}

async function marksIn(redis: RedisServer): Promise<number> {
  return Number(await redis.command('EVAL', MARKS, '0'))
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + WITHIN_MS
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await delay(5)
  }
}

const bySource = () => ({ redis: [] as number[], postgres: [] as number[] })

function figuresOf({ redis, postgres }: ReturnType<typeof bySource>): BySource {
  return { redis: percentiles(redis), postgres: percentiles(postgres) }
}
