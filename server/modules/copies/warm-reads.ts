import type { EventStatus } from '@voelgoed/core/event/lifecycle'
import { AVAILABLE, BLOCKED, HELD } from '@voelgoed/core/event/state'
import type { ZoneOccupancy } from '@voelgoed/core/event/view'
import type { HoldId, SeatId } from '@voelgoed/core/ids'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { RefusalProof } from '@voelgoed/engine/proofs/refusal-proofs'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import { isSamePoint, type Ledger } from '@voelgoed/engine/tables/ledger'
import { RedisUnavailable } from '@voelgoed/kit/redis/breaker'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import { eventKeys } from '@voelgoed/kit/redis/keys'
import { parsePoint } from './copy.ts'
import { parseHold, zonesOf } from './copy-words.ts'
import { isOf, type MadeUnder, parseMadeUnder } from './made-under.ts'

/** More holds than this that have run out and are not tidied up: the copy is passed over. */
const MAX_DUE = 1_000

/**
 * Redis could not answer a read for one of these reasons: there is no whole copy; it is older than the
 * ledger, or of another epoch, or was made under another policy; a hold in it has run out and nothing says of
 * which seat, or if that seat is kept; Redis does not answer.
 */
export const MISSES = ['absent', 'behind', 'unclear', 'unavailable'] as const
type Miss = (typeof MISSES)[number]

export interface WarmReadsDeps {
  readonly redis: RedisConnection
  /** Reads how far the event is in Postgres, after the question. Null: it was never on sale. */
  prove(event: EventAddress): Promise<RefusalProof | null>
  onRead(read: { readonly ms: number; readonly miss: Miss | null }): void
}

/** All seats of an event, as buyers should see them. */
export interface WarmSeats {
  readonly point: EpochPoint
  readonly status: EventStatus
  /** Two bits a seat by ordinal, the first seat in the lowest bits. */
  readonly packed: Buffer
  readonly zones: readonly ZoneOccupancy[]
}

export interface WarmSeat {
  readonly point: EpochPoint
  readonly status: EventStatus
  /** An index into SEAT_STATUSES. */
  readonly code: number
  /** Null: the seat is not held. */
  readonly hold: { readonly holdId: HoldId; readonly until: number } | null
  /** By the database's clock. */
  readonly now: number
}

/**
 * Reads for a node that does not have the event in memory. A copy is used only if it is of the ledger's epoch
 * and not older than the ledger, which is read first, so an answer is never older than its question; what
 * Postgres does not have is passed over too. Null: Redis can't tell, and the event must be loaded.
 * It throws only what Postgres says; a Redis that does not answer costs one time-out.
 */
export class WarmReads {
  readonly #deps: WarmReadsDeps
  readonly #underWay = new Map<string, Promise<RawSeats | null>>()

  constructor(deps: WarmReadsDeps) {
    this.#deps = deps
  }

  seats(event: EventAddress): Promise<WarmSeats | null> {
    return this.#measured(async () => {
      const before = await this.#deps.prove(event)
      if (!before) return 'absent'
      const raw = await this.#readSeats(event, before.ledger)
      if (!raw) return 'absent'
      if (!(await this.#isCurrent(event, raw, before.ledger))) return 'behind'
      const free = await this.#freeAgain(event, raw)
      if (!free) return 'unclear'
      const packed = turned(raw.bitmap)
      for (const [ordinal, code] of free) putCode(packed, ordinal, code)
      return { point: raw.point, status: raw.status, packed, zones: raw.zones }
    })
  }

  /** `ledger` was read after the question, together with the seat's ordinal. */
  seat(
    event: EventAddress,
    {
      seatId,
      ordinal,
      ledger,
    }: { readonly seatId: SeatId; readonly ordinal: number; readonly ledger: Ledger },
  ): Promise<WarmSeat | null> {
    return this.#measured(async () => {
      const keys = eventKeys(event.scope, event.eventId)
      const reply = await this.#deps.redis.read(
        'read-seat',
        [keys.seq, keys.seats, keys.occupancy, keys.seatHold(seatId)],
        ordinal,
      )
      if (reply === null) return 'absent'
      const [epoch, seq, tip, code, text, status, under] = (reply as Buffer[]).map(String)
      const point = parsePoint(epoch, seq, tip)
      if (!point) return 'absent'
      if (!(await this.#isCurrent(event, { point, under: parseMadeUnder(under!) }, ledger))) return 'behind'
      const isHeld = Number(code) === HELD
      const hold = isHeld ? parseHold(text!) : null
      // Its time is over by the clock of Redis, which judges nothing.
      if (isHeld && !hold) return 'unclear'
      return { point, status: status as EventStatus, code: Number(code), hold, now: ledger.now }
    })
  }

  async #measured<T extends object>(read: () => Promise<T | Miss>): Promise<T | null> {
    const startedAt = performance.now()
    const found = await read().catch(error => {
      if (error instanceof RedisUnavailable || isReplyError(error)) return 'unavailable' as const
      throw error
    })
    const miss = typeof found === 'string' ? found : null
    this.#deps.onRead({ ms: performance.now() - startedAt, miss })
    return typeof found === 'string' ? null : found
  }

  /**
   * At least what the ledger had when it was read. A copy that is further must be so because Postgres moved
   * on meanwhile, or else it knows what Postgres has lost. And made under what the ledger says of event and
   * policy.
   */
  async #isCurrent(
    event: EventAddress,
    { point, under }: { readonly point: EpochPoint; readonly under: MadeUnder | null },
    ledger: Ledger,
  ): Promise<boolean> {
    if (under === null) return false
    if (point.epoch !== ledger.epoch || point.seq < ledger.seq) return false
    if (point.seq === ledger.seq) return isSamePoint(point, ledger) && isOf(under, ledger)
    const after = await this.#deps.prove(event)
    if (after === null || after.ledger.epoch !== point.epoch || after.ledger.seq < point.seq) return false
    return isOf(under, ledger) || isOf(under, after.ledger)
  }

  /** Thousands may ask at once: they share what is on its way, if it is as new as the ledger they saw. */
  async #readSeats(event: EventAddress, ledger: Ledger): Promise<RawSeats | null> {
    const key = `${event.scope.organizationId}/${event.eventId}`
    const shared = this.#underWay.get(key)
    const found = shared ? await shared : null
    if (found && found.point.epoch === ledger.epoch && found.point.seq >= ledger.seq) return found
    const reading = this.#underWay.get(key) ?? this.#readNow(event, ledger.now)
    this.#underWay.set(key, reading)
    try {
      return await reading
    } finally {
      if (this.#underWay.get(key) === reading) this.#underWay.delete(key)
    }
  }

  async #readNow({ scope, eventId }: EventAddress, now: number): Promise<RawSeats | null> {
    const { seq, seats, holds, occupancy } = eventKeys(scope, eventId)
    const reply = await this.#deps.redis.read('read-event', [seq, seats, holds, occupancy], now, MAX_DUE)
    if (reply === null) return null
    const [epoch, at, tip, bitmap, counts, due, under] = reply as [
      ...[Buffer, Buffer, Buffer, Buffer],
      ...[Buffer[], Buffer[], Buffer],
    ]
    const point = parsePoint(String(epoch), String(at), String(tip))
    const fields = new Map<string, string>()
    for (let index = 0; index < counts.length; index += 2) {
      fields.set(String(counts[index]), String(counts[index + 1]))
    }
    const zones = zonesOf(fields)
    const status = fields.get('status') as EventStatus | undefined
    if (!point || !status || !zones) return null
    const ids = due.map(id => String(id) as HoldId)
    return { point, under: parseMadeUnder(String(under)), bitmap, status, zones, due: ids }
  }

  /** The seats of holds that have run out by the database's clock and are not tidied up. Null: can't tell. */
  async #freeAgain(
    { scope, eventId }: EventAddress,
    { due, zones, under }: RawSeats,
  ): Promise<Map<number, number> | null> {
    const free = new Map<number, number>()
    if (due.length === 0) return free
    // Only memory can tell which of the seats are companion seats that are kept from now on.
    if (due.length > MAX_DUE || under?.keepsCompanions) return null
    const keys = eventKeys(scope, eventId)
    const metas = due.map(id => keys.holdMeta(id))
    const found = await this.#deps.redis.fieldsOfEach(metas, ['ordinal', 'zone'])
    const closed = new Set(zones.flatMap(zone => (zone.closed ? [zone.zoneId as string] : [])))
    for (const [ordinal, zone] of found) {
      if (zone === null) return null
      if (ordinal !== null) free.set(Number(ordinal), closed.has(zone!) ? BLOCKED : AVAILABLE)
    }
    return free
  }
}

interface RawSeats {
  readonly point: EpochPoint
  readonly under: MadeUnder | null
  /** As Redis has it: the first seat in the highest bits. */
  readonly bitmap: Buffer
  readonly status: EventStatus
  readonly zones: readonly ZoneOccupancy[]
  /** Holds that have run out. */
  readonly due: readonly HoldId[]
}

/** By byte: the same four seats the other way round. */
const TURNED = Uint8Array.from(
  { length: 256 },
  (_, byte) => ((byte & 3) << 6) | ((byte & 12) << 2) | ((byte >> 2) & 12) | (byte >> 6),
)

function turned(bitmap: Buffer): Buffer {
  const packed = Buffer.allocUnsafe(bitmap.length)
  for (let at = 0; at < bitmap.length; at += 1) packed[at] = TURNED[bitmap[at]!]!
  return packed
}

function putCode(packed: Buffer, ordinal: number, code: number): void {
  const shift = (ordinal & 3) * 2
  packed[ordinal >> 2] = (packed[ordinal >> 2]! & ~(3 << shift)) | (code << shift)
}

function isReplyError(error: unknown): boolean {
  return (error as Error).name === 'ReplyError'
}
