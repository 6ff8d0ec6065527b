import { type DigestedEvent, type DigestedHold, digestOf, HoldsDigest } from '@voelgoed/core/event/digest'
import type { ZoneOccupancy } from '@voelgoed/core/event/view'
import type { HoldId, SeatId } from '@voelgoed/core/ids'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import { isSamePoint } from '@voelgoed/engine/tables/ledger'
import { RedisUnavailable } from '@voelgoed/kit/redis/breaker'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import { type EventKeys, eventKeys } from '@voelgoed/kit/redis/keys'
import { META_MS, parsePoint } from './copy.ts'
import { parseHold, zonesOf } from './copy-words.ts'
import type { Claim } from './tables/node-reports.ts'

/**
 * A look at the copy of an event in Redis ends in one of these ways. `moving`: it changed each time that it
 * was read; `unclear`: a hold ran out so long ago that what it was for is gone; `damaged`: its parts do not
 * fit each other.
 */
export type CopyRead =
  | { readonly kind: 'read'; readonly claim: Claim }
  | { readonly kind: 'damaged'; readonly point: EpochPoint }
  | { readonly kind: 'absent' | 'moving' | 'unclear' | 'unavailable' }

/** Each reads all of it. While sales go on, only a small copy can be read between two writes. */
const ATTEMPTS = 3
/** Holds that are read in one step. */
const STEP = 200
/** Keys expire by the clock of Redis, which may be so far ahead. */
const CLOCKS_APART_MS = 5_000

/** Reads the whole copy, a step at a time. `now`: the database's clock. Never throws what Redis says. */
export async function readCopy(redis: RedisConnection, event: EventAddress, now: number): Promise<CopyRead> {
  const keys = eventKeys(event.scope, event.eventId)
  try {
    for (let left = ATTEMPTS; left > 0; left -= 1) {
      const before = await readPoint(redis, keys)
      if (before === null) return { kind: 'absent' }
      if (before === 'being written') continue
      const read = await readParts(redis, keys, now)
      const after = await readPoint(redis, keys)
      if (after === null || after === 'being written' || !isSame(before, after)) continue
      if (read === 'damaged') return { kind: 'damaged', point: before }
      return read === 'unclear' ? { kind: 'unclear' } : { kind: 'read', claim: { ...before, ...read } }
    }
    return { kind: 'moving' }
  } catch (error) {
    if (error instanceof RedisUnavailable) return { kind: 'unavailable' }
    // A key has another type.
    if ((error as Error).name === 'ReplyError') return { kind: 'damaged', point: NO_POINT }
    throw error
  }
}

/** Where the copy is, as it says. Null: there is none, or Redis does not answer. */
export async function copyPoint(
  redis: RedisConnection,
  { scope, eventId }: EventAddress,
): Promise<EpochPoint | 'being written' | null> {
  return readPoint(redis, eventKeys(scope, eventId)).catch(() => null)
}

const NO_POINT: EpochPoint = { epoch: 0, seq: 0, tip: null }

async function readPoint(
  redis: RedisConnection,
  { seq }: EventKeys,
): Promise<EpochPoint | 'being written' | null> {
  const [fields] = await redis.fieldsOfEach([seq], ['epoch', 'seq', 'tip', 'writer'])
  const [epoch, at, tip, writer] = fields!
  return writer ? 'being written' : parsePoint(epoch, at, tip)
}

async function readParts(
  redis: RedisConnection,
  keys: EventKeys,
  now: number,
): Promise<Pick<Claim, 'holds' | 'digest'> | 'damaged' | 'unclear'> {
  const reply = await redis.read('read-event', [keys.seq, keys.seats, keys.holds, keys.occupancy], 0, 0)
  if (reply === null) return 'damaged'
  const [, , , bitmap, counts] = reply as [Buffer, Buffer, Buffer, Buffer, Buffer[]]
  const fields = new Map<string, string>()
  for (let index = 0; index < counts.length; index += 2) {
    fields.set(String(counts[index]), String(counts[index + 1]))
  }
  const event = eventOf(fields, bitmap)
  if (!event) return 'damaged'
  const zoneIndexes = new Map(event.zones.map(({ zoneId }, index) => [zoneId as string, index]))
  const holds = new HoldsDigest()
  for (let from = 0; ; from += STEP) {
    const some = await redis.rangeWithScores(keys.holds, from, from + STEP - 1)
    const read = await readHolds(redis, keys, some, { zoneIndexes, now })
    if (read === 'damaged' || read === 'unclear') return read
    for (const hold of read) holds.add(hold)
    if (some.length < STEP) return digestOf(event, holds)
  }
}

function eventOf(fields: ReadonlyMap<string, string>, seatBits: Uint8Array): DigestedEvent | null {
  const zones: readonly ZoneOccupancy[] | null = zonesOf(fields)
  const status = fields.get('status')
  const count = (name: string) => Number(fields.get(name) ?? -1)
  if (!zones || status === undefined) return null
  return {
    status,
    zones,
    totals: {
      available: count('available'),
      held: count('held'),
      sold: count('sold'),
      blocked: count('blocked'),
      total: count('total'),
    },
    seatBits,
  }
}

/** Some holds, each as its meta key says, if the set of holds and the seat's key say the same. */
async function readHolds(
  redis: RedisConnection,
  keys: EventKeys,
  some: readonly { readonly member: string; readonly score: number }[],
  { zoneIndexes, now }: { readonly zoneIndexes: ReadonlyMap<string, number>; readonly now: number },
): Promise<DigestedHold[] | 'damaged' | 'unclear'> {
  if (some.length === 0) return []
  const metas = await redis.fieldsOfEach(
    some.map(({ member }) => keys.holdMeta(member as HoldId)),
    ['seat', 'ordinal', 'zone', 'quantity', 'until'],
  )
  const holds: DigestedHold[] = []
  const ofSeats: { readonly holdId: string; readonly until: number; readonly seatKey: string }[] = []
  for (const [index, { member, score }] of some.entries()) {
    const [seat, ordinal, zone, quantity, until] = metas[index]!
    const isOver = score < now + CLOCKS_APART_MS
    if (zone === null && score + META_MS < now + CLOCKS_APART_MS) return 'unclear'
    const zoneIndex = zoneIndexes.get(zone ?? '')
    if (zoneIndex === undefined || Number(until) !== score) return 'damaged'
    if (seat && !isOver) {
      ofSeats.push({ holdId: member, until: score, seatKey: keys.seatHold(seat as SeatId) })
    }
    holds.push({
      holdId: member,
      ordinal: ordinal === null || ordinal === undefined ? null : Number(ordinal),
      zoneIndex,
      quantity: Number(quantity),
      heldUntil: score,
    })
  }
  const texts = await redis.texts(ofSeats.map(({ seatKey }) => seatKey))
  const fits = ofSeats.every(({ holdId, until }, index) => {
    const found = parseHold(texts[index] ?? '')
    return found?.holdId === holdId && found.until === until
  })
  return fits ? holds : 'damaged'
}

function isSame(a: EpochPoint, b: EpochPoint): boolean {
  return a.epoch === b.epoch && isSamePoint(a, b)
}
