import { randomUUID } from 'node:crypto'
import { Scene } from '@voelgoed/core/event/test/scene'
import type { CommandId, EventId, HoldId, OrganizationId, SeatId } from '@voelgoed/core/ids'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import { CommittedView } from '@voelgoed/engine/view/committed-view'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { RedisConnection } from '@voelgoed/kit/redis/connection'
import { type EventKeys, eventKeys } from '@voelgoed/kit/redis/keys'
import { patientRedis } from '@voelgoed/testing/patient-redis'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { copyOf, readCopy } from '@voelgoed/testing/redis-copy'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { Copy } from './copy.ts'
import { Unwritten } from './unwritten.ts'

patientRedis()

let server: RedisServer
let redis: Redis
let connection: RedisConnection
beforeAll(async () => {
  server = await RedisServer.start()
  redis = new Redis(server.url)
  connection = new RedisConnection([server.url], pino({ level: 'silent' }))
  await waitUntil('connected', () => connection.state === 'ok')
})
afterAll(async () => {
  connection.close()
  redis.disconnect()
  await server.stop()
})

const scope = TenantScope.of(randomUUID() as OrganizationId)
const none = () => new Unwritten()

/** An event with a copy in Redis, and what its scene has done since. */
class Written {
  readonly scene = new Scene()
  readonly keys: EventKeys
  readonly copy: Copy
  view: CommittedView
  epoch = 1

  constructor(eventId = randomUUID() as EventId, node = 'node-a') {
    this.scene.now = systemClock.now()
    this.keys = eventKeys(scope, eventId)
    this.view = this.viewOf(eventId)
    this.copy = new Copy(connection, this.view, node)
  }

  viewOf(eventId: EventId): CommittedView {
    const { scene } = this
    const seats = { map: scene.state.seats, rows: [], numbers: [], prices: [] }
    const clockOffset = systemClock.now() - systemClock.elapsed()
    const written = this
    const hot = {
      state: scene.state,
      seats,
      zones: [],
      get tip() {
        return `command ${scene.state.seq}` as CommandId
      },
      get epoch() {
        return written.epoch
      },
      eventRevision: 1,
      policyRevision: 1,
      clockOffset,
    }
    return new CommittedView({ scope, eventId }, hot as never)
  }

  /** Notes the changes of the scene from this one on. */
  since(count: number): Unwritten {
    const unwritten = new Unwritten()
    for (const change of this.scene.changes.slice(count)) unwritten.note(change)
    return unwritten
  }

  at(seq: number): EpochPoint {
    return { epoch: this.epoch, seq, tip: `command ${seq}` as CommandId }
  }

  async isRight(): Promise<void> {
    expect(await readCopy(redis, this.view)).toEqual(copyOf(this.view))
  }
}

/** Before the n-th write (the first is 0), `act` runs to its end: no race between two connections. */
function beforeWrite(n: number, act: () => Promise<unknown>): void {
  const write = connection.write.bind(connection)
  let writes = 0
  vi.spyOn(connection, 'write').mockImplementation(async (...asked) => {
    if (writes++ === n) await act()
    return write(...asked)
  })
}

let event: Written
beforeEach(async () => {
  event = new Written()
  event.scene.holdSeats('ann', [0, 1])
  expect((await event.copy.rebuild(none)).status).toBe('applied')
  await event.isRight()
})

it('says what has changed, and no buyer', async () => {
  const { scene } = event
  scene.giveBack('ann', ['h1'])
  scene.holdSeats('ben', [0])
  scene.holdPlaces('ben', 2, 2)
  scene.block([4])
  const written = await event.copy.write(event.at(2), event.since(2), none)
  expect(written).toEqual({ status: 'applied', point: event.at(scene.state.seq) })
  await event.isRight()
  const text = JSON.stringify(await readCopy(redis, event.view))
  for (const hold of scene.state.holds.values()) expect(text).not.toContain(hold.user.key)
})

it('takes nothing older, and nothing of an older epoch', async () => {
  event.scene.giveBack('ann', ['h1'])
  await event.copy.write(event.at(2), event.since(2), none)
  const before = await readCopy(redis, event.view)
  await redis.hset(event.keys.seq, 'seq', '9')
  expect((await event.copy.write(event.at(2), event.since(2), none)).status).toBe('newer')
  expect((await event.copy.rebuild(none)).status).toBe('newer')
  await redis.hset(event.keys.seq, 'seq', '1', 'epoch', '2')
  expect((await event.copy.write(event.at(2), event.since(2), none)).status).toBe('newer')
  expect((await event.copy.rebuild(none)).status).toBe('newer')
  expect((await readCopy(redis, event.view)).others).toEqual(before.others)
})

it('is made again for a newer epoch, whatever its seq', async () => {
  await redis.hset(event.keys.seq, 'seq', '900')
  event.epoch = 2
  event.scene.giveBack('ann', ['h1'])
  expect((await event.copy.write(event.at(2), event.since(2), none)).status).toBe('missing')
  expect((await event.copy.rebuild(none)).status).toBe('applied')
  await event.isRight()
})

it('notices a gap, and another history at the same seq', async () => {
  const { scene, copy, keys } = event
  scene.giveBack('ann', ['h1'])
  scene.giveBack('ann', ['h2'])
  expect((await copy.write(event.at(3), event.since(3), none)).status).toBe('gap')
  const other = { ...event.at(2), tip: 'another command' as CommandId }
  expect((await copy.write(other, event.since(2), none)).status).toBe('other')
  await redis.hset(keys.seq, 'seq', '4', 'tip', 'another command')
  expect((await copy.write(event.at(2), event.since(2), none)).status).toBe('other')
})

it.each(['seats', 'occupancy', 'holds', 'seq'] as const)('notices that it lacks its %s', async lost => {
  event.scene.holdSeats('ben', [2])
  await redis.unlink(event.keys[lost])
  expect((await event.copy.write(event.at(2), event.since(2), none)).status).toBe('missing')
  expect(await event.copy.look()).toBeNull()
})

it('counts its holds: one too few or too many is noticed by the next write', async () => {
  const { scene, copy, keys } = event
  await redis.zadd(keys.holds, 1, 'a hold that is none')
  scene.holdSeats('ben', [2])
  expect((await copy.write(event.at(2), event.since(2), none)).status).toBe('missing')
  expect(await copy.look()).toBeNull()
  expect((await copy.rebuild(none)).status).toBe('applied')
  await event.isRight()
})

it('a write that was sent twice changes nothing, also when the seat has its next hold by then', async () => {
  const { scene, copy, keys } = event
  scene.giveBack('ann', ['h1'])
  const first = event.since(2)
  await copy.write(event.at(2), first, none)
  scene.holdSeats('ben', [0])
  await copy.write(event.at(3), event.since(3), none)
  expect((await copy.write(event.at(2), first, none)).status).toBe('applied')
  await event.isRight()
  // Compared before it is deleted, also when old holds are tidied up.
  const seat = scene.state.seats.seatIds.at(0)
  const forgotten = [keys.seq, keys.holds, keys.holdMeta('h1' as HoldId), keys.seatHold(seat)]
  await redis.hset(keys.seq, 'writer', 'node-a/9')
  expect(await connection.write('forget-holds', forgotten, 'node-a/9', 'h1', seat)).toBe(1)
  await redis.hdel(keys.seq, 'writer')
  await event.isRight()
})

it('one writer at a time: what an attempt that was overtaken still sends is not written', async () => {
  // A writer that is silent for two seconds is overtaken. This one began in a minute: it is not, however slow
  // the machine.
  const since = String(systemClock.now() + 60_000)
  await redis.hset(event.keys.seq, 'writer', 'node-b/1', 'writing_since', since)
  expect((await event.copy.rebuild(none)).status).toBe('busy')
  expect((await event.copy.write(event.at(2), none(), none)).status).toBe('busy')
  expect(await event.copy.look()).toBeNull()
  await redis.hset(event.keys.seq, 'writing_since', String(systemClock.now() - 60_000))
  // While this node writes, another one begins: after this one's beginning and first part were sent.
  const much = new Unwritten()
  for (let count = 0; count < 450; count += 1) much.holds.set(`gone ${count}` as HoldId, null)
  const more = [much]
  beforeWrite(3, () => redis.hset(event.keys.seq, 'writer', 'node-b/2'))
  expect((await event.copy.rebuild(() => more.pop() ?? none())).status).toBe('taken')
  expect(await redis.hget(event.keys.seq, 'writer')).toBe('node-b/2')
})

it('writes much in parts, and no reader believes it in between', async () => {
  const { scene, copy } = event
  const unwritten = new Unwritten()
  scene.giveBack('ann', ['h1'])
  for (const change of scene.changes.slice(2)) unwritten.note(change)
  for (let count = 0; count < 450; count += 1) unwritten.holds.set(`gone ${count}` as HoldId, null)
  const seen: unknown[] = []
  beforeWrite(1, async () => seen.push(await redis.hget(event.keys.seq, 'writer'), await copy.look()))
  expect((await copy.write(event.at(2), unwritten, none)).status).toBe('applied')
  expect(seen).toEqual([expect.stringMatching(/^node-a\//), null])
  await event.isRight()
})

it('is whole when another node makes it again while it is removed, and is removed once more', async () => {
  const { range } = connection
  const other = new Copy(connection, event.view, 'node-b')
  connection.range = async (...words) => {
    connection.range = range
    const ids = await connection.range(...words)
    // This node does not know yet that the event is over.
    expect((await other.rebuild(none)).status).toBe('applied')
    return ids
  }
  expect(await event.copy.remove()).toBe('again')
  await event.isRight()
  expect(await event.copy.remove()).toBe('removed')
  await onlyTheMarkIsLeft()
})

it('is not made again, once it was removed, by a node that has not heard of the end', async () => {
  const behind = new Written(event.view.eventId, 'node-b')
  expect(behind.view.seq).toBeLessThan(event.view.seq)
  expect(await event.copy.remove()).toBe('removed')
  expect((await behind.copy.rebuild(none)).status).toBe('newer')
  expect(await behind.copy.look()).toBeNull()
  await onlyTheMarkIsLeft()
})

it('is not made again by a node that is behind: after damage, or while another node made it', async () => {
  const behind = new Written(event.view.eventId, 'node-b')
  expect(behind.view.seq).toBeLessThan(event.view.seq)
  await redis.zadd(event.keys.holds, 1, 'not ours')
  event.scene.giveBack('ann', ['h1'])
  expect((await event.copy.write(event.at(2), event.since(2), none)).status).toBe('missing')
  expect(await event.copy.look()).toBeNull()
  expect((await behind.copy.rebuild(none)).status).toBe('newer')

  expect((await event.copy.rebuild(() => null)).status).toBe('gap')
  await redis.hset(event.keys.seq, 'writing_since', String(systemClock.now() - 60_000))
  expect((await behind.copy.rebuild(none)).status).toBe('newer')
  expect((await event.copy.rebuild(none)).status).toBe('applied')
  await event.isRight()
})

it('is not ended by an attempt that does not know any more what has changed', async () => {
  const before = await redis.hgetall(event.keys.seq)
  event.scene.giveBack('ann', ['h1'])
  expect((await event.copy.rebuild(() => null)).status).toBe('gap')
  expect(await event.copy.look()).toBeNull()
  expect(before).not.toHaveProperty('writer')
  expect((await event.copy.rebuild(none)).status).toBe('applied')
  await event.isRight()
})

it('is removed whatever another program has put where its holds were', async () => {
  await redis.set(event.keys.holds, 'x')
  expect(await event.copy.remove()).toBe('removed')
  expect(await redis.exists(event.keys.holds)).toBe(0)
})

it('leaves nothing when it is removed, but a mark that goes by itself', async () => {
  await event.copy.remove()
  await onlyTheMarkIsLeft()
})

async function onlyTheMarkIsLeft(): Promise<void> {
  const { seq } = event.keys
  expect(await redis.keys(`*${event.view.eventId}*`)).toEqual([seq])
  const { epoch } = event.view.epochPoint
  expect(await redis.hgetall(seq)).toEqual({
    least_epoch: `${epoch}`,
    least_seq: `${event.view.seq}`,
  })
  expect(await redis.pttl(seq)).toBeGreaterThan(0)
}

it('a hold that has run out is gone by itself; every key has a life', async () => {
  for (const key of await redis.keys(`*${event.view.eventId}*`)) {
    expect(await redis.pttl(key), key).toBeGreaterThan(0)
  }
  const seat = event.scene.state.seats.seatIds.at(0) as SeatId
  const hold = event.scene.state.holds.get('h1' as HoldId)!
  expect(await redis.pexpiretime(event.keys.seatHold(seat))).toBe(hold.heldUntil)
})
