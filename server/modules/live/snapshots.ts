import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { statusAt } from '@voelgoed/core/event/availability'
import { isAlive } from '@voelgoed/core/event/holds/active-hold'
import { isKept, keptFrom } from '@voelgoed/core/event/rules/companions'
import { AVAILABLE, BLOCKED, type EventState, isAccessible } from '@voelgoed/core/event/state'
import { occupancy, type ZoneOccupancy } from '@voelgoed/core/event/view'
import type { UserId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import type { Encoding } from '@voelgoed/kit/http/growing-document'
import { type EncodedSeats, markAsMine } from './encode-seats.ts'
import { zoneAnswers, zoneCounts } from './occupancy-answer.ts'
import { SeatsEncoder } from './seats-encoder.ts'

/** An answer that is ready to be sent. */
export interface Snapshot {
  readonly seq: number
  readonly etag: string
  readonly encoding: Encoding
  readonly bytes: Uint8Array
}

/**
 * While an event changes all the time, its JSON is made again after five times the time that it takes, so
 * that it keeps a fifth of a thread busy; but not more often than this, and at least that often.
 */
const SHARE = 5
const MIN_INTERVAL_MS = 20
const MAX_INTERVAL_MS = 250
/** Readers of one event that wait for the next JSON. */
const MAX_WAITING = 10_000
const MAX_BYTES = 128 * 1024 * 1024
const MAX_EVENTS = 1_000
/** Less than this is sent as it is. */
const WORTH_COMPRESSING = 1_024
/** A frame with holds that have run out and are not tidied up may be shown for so long. */
const UNTIDY_MS = 1_000

/**
 * Ids are random and hardly get smaller: brotli at 1 takes a quarter of the time of 4,
 * and its result is 7 % larger.
 */
const compress = {
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 1 }),
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
}

/** An event at one seq, and what was made of it so far. */
interface Frame {
  readonly state: WeakRef<EventState>
  readonly seq: number
  /** By the database's clock: then the next hold runs out, and its seat is free without any change of seq. */
  readonly validUntil: number
  /** The policy can change without a change of seq. */
  readonly isEnforced: boolean
  readonly packed: Buffer
  readonly hash: string
  json: Promise<EncodedSeats> | null
  readonly compressed: Partial<Record<Encoding, Promise<Uint8Array>>>
  bytes: number
}

interface EventFrames {
  frame: Frame | null
  /** When the next JSON may be made. */
  jsonNotBefore: number
  tookMs: number
  readonly waiting: Waiting[]
  timer: NodeJS.Timeout | null
}

interface Waiting {
  readonly userId: UserId
  /** As the reader has it. The event may have left memory and come back between two readers. */
  readonly view: CommittedView
  resolve(found: { frame: Frame; mine: readonly number[] }): void
}

/**
 * Availability as it goes over the wire: made once for each seq of an event, and shared by everyone who asks.
 * The JSON is written in a thread of its own and compressed on the thread pool. A buyer with holds gets a
 * copy in which their own seats are marked. While an event changes faster than its JSON can be made, readers
 * wait for the next one, so that what is made grows neither with the readers nor with the changes, and every
 * answer is at least as new as its question.
 */
export class Snapshots {
  readonly counts = { packed: 0, json: 0, compressed: 0, marked: 0 }
  readonly #encoder = new SeatsEncoder()
  /** The event asked for last at the end. */
  readonly #events = new Map<string, EventFrames>()

  /** Two bits a seat by ordinal. */
  binary(view: CommittedView): Snapshot {
    const { seq, hash, packed } = this.#frame(this.#framesOf(view), view)
    return { seq, etag: `"${hash}-bits"`, encoding: 'identity', bytes: packed }
  }

  /**
   * As JSON, for one buyer. Null: too many wait, or the thread that encodes has ended.
   */
  async json(
    view: CommittedView,
    { userId, encoding }: { userId: UserId; encoding: Encoding },
  ): Promise<Snapshot | null> {
    const frames = this.#framesOf(view)
    const frame = this.#frame(frames, view)
    if (frame.json || frames.jsonNotBefore <= performance.now()) {
      this.#startJson(frames, frame, view)
      return this.#answer(frames, frame, mineOf(view, userId), encoding)
    }
    if (frames.waiting.length >= MAX_WAITING) return null
    const later = await new Promise<Parameters<Waiting['resolve']>[0]>(resolve => {
      frames.waiting.push({ userId, view, resolve })
      frames.timer ??= setTimeout(() => this.#serveWaiting(frames), frames.jsonNotBefore - performance.now())
    })
    return this.#answer(frames, later.frame, later.mine, encoding)
  }

  async close(): Promise<void> {
    for (const { timer } of this.#events.values()) if (timer) clearTimeout(timer)
    await this.#encoder.close()
  }

  #serveWaiting(frames: EventFrames): void {
    frames.timer = null
    const waiting = frames.waiting.splice(0)
    // A view that has left memory hears of nothing more: only the newest is as new as each question.
    const view = waiting.map(each => each.view).reduce(newer)
    const frame = this.#frame(frames, view)
    this.#startJson(frames, frame, view)
    for (const { userId, resolve } of waiting) {
      resolve({ frame, mine: mineOf(view, userId) })
    }
  }

  #framesOf({ scope, eventId }: CommittedView): EventFrames {
    const key = `${scope.organizationId}/${eventId}`
    const known = this.#events.get(key)
    const frames = known ?? { frame: null, jsonNotBefore: 0, tookMs: 0, waiting: [], timer: null }
    if (known) this.#events.delete(key)
    this.#events.set(key, frames)
    if (!known && this.#events.size > MAX_EVENTS) this.#dropOldest(MAX_EVENTS, MAX_BYTES)
    return frames
  }

  #frame(frames: EventFrames, view: CommittedView): Frame {
    const now = databaseNow(view)
    const { frame } = frames
    const { state } = view
    const isEnforced = state.settings.policy.enforce_accessibility_rules
    const isSame = frame?.seq === state.seq && frame.isEnforced === isEnforced
    if (frame && isSame && frame.state.deref() === state && now < frame.validUntil) return frame
    this.counts.packed += 1
    const bytes = packed(state, now)
    const first = state.queue.first?.heldUntil ?? Number.POSITIVE_INFINITY
    frames.frame = {
      state: new WeakRef(state),
      seq: state.seq,
      isEnforced,
      validUntil: first > now ? first : now + UNTIDY_MS,
      packed: bytes,
      hash: hashOf(bytes, state.seq, occupancy(state)),
      json: null,
      compressed: {},
      bytes: bytes.length,
    }
    return frames.frame
  }

  #startJson(frames: EventFrames, frame: Frame, view: CommittedView): void {
    if (frame.json) return
    this.counts.json += 1
    const startedAt = performance.now()
    const interval = Math.max(MIN_INTERVAL_MS, Math.min(MAX_INTERVAL_MS, SHARE * frames.tookMs))
    frames.jsonNotBefore = startedAt + interval
    const { state } = view
    const now = databaseNow(view)
    frame.json = this.#encoder.encode(view.scope.organizationId, view.seats, {
      packed: frame.packed,
      // Others are blocked by staff, and that is what they are.
      kept: keptSeats(state).filter(ordinal => statusAt(state, ordinal, now) === AVAILABLE),
      leftOut: Uint8Array.from(state.zones, ({ settings }) =>
        Number(settings.disabled || !hasSeats(settings.zoneType)),
      ),
      head: `{"data":{"seq":${state.seq},"seats":[`,
      tail: `],"zones":${JSON.stringify(zoneAnswers(state))}}}`,
    })
    frame.json.then(
      ({ bytes }) => {
        frames.tookMs = performance.now() - startedAt
        this.#grew(frame, bytes.length)
      },
      () => {
        frame.json = null
      },
    )
  }

  async #answer(
    frames: EventFrames,
    frame: Frame,
    mine: readonly number[],
    encoding: Encoding,
  ): Promise<Snapshot | null> {
    const encoded = await frame.json!.catch(() => null)
    if (!encoded) return null
    const { seq, hash } = frame
    if (mine.length > 0) {
      // Not compressed: that would be work for one buyer alone.
      this.counts.marked += 1
      const own = createHash('sha256').update(Uint32Array.from(mine)).digest('base64url').slice(0, 12)
      const etag = `"${hash}-${own}"`
      return { seq, etag, encoding: 'identity', bytes: markAsMine(encoded, mine) }
    }
    if (encoding === 'identity' || encoded.bytes.length < WORTH_COMPRESSING) {
      return { seq, etag: `"${hash}"`, encoding: 'identity', bytes: encoded.bytes }
    }
    frame.compressed[encoding] ??= this.#compress(frames, frame, encoded.bytes, encoding)
    return { seq, etag: `"${hash}-${encoding}"`, encoding, bytes: await frame.compressed[encoding] }
  }

  async #compress(
    frames: EventFrames,
    frame: Frame,
    bytes: Uint8Array,
    encoding: 'gzip' | 'br',
  ): Promise<Uint8Array> {
    this.counts.compressed += 1
    const startedAt = performance.now()
    const compressed = await compress[encoding](bytes)
    frames.tookMs += performance.now() - startedAt
    this.#grew(frame, compressed.length)
    return compressed
  }

  #grew(frame: Frame, bytes: number): void {
    frame.bytes += bytes
    this.#dropOldest(MAX_EVENTS, MAX_BYTES)
  }

  #dropOldest(maxEvents: number, maxBytes: number): void {
    let total = 0
    for (const { frame } of this.#events.values()) total += frame?.bytes ?? 0
    for (const [key, { frame, waiting }] of this.#events) {
      if (total <= maxBytes && this.#events.size <= maxEvents) return
      if (waiting.length > 0) continue
      this.#events.delete(key)
      total -= frame?.bytes ?? 0
    }
  }
}

/** Availability that was read elsewhere, as the binary answer: the same as if it were made here. */
export function copiedSnapshot(
  packed: Buffer,
  { seq, zones }: { readonly seq: number; readonly zones: readonly ZoneOccupancy[] },
): Snapshot {
  return { seq, etag: `"${hashOf(packed, seq, zones)}-bits"`, encoding: 'identity', bytes: packed }
}

/** Not of the seq alone: after a failover a seq can come back with other seats or places taken. */
function hashOf(packed: Buffer, seq: number, zones: readonly ZoneOccupancy[]): string {
  return createHash('sha256')
    .update(packed)
    .update(`${seq}${JSON.stringify(zones.map(zoneCounts))}`)
    .digest('base64url')
    .slice(0, 22)
}

function newer(a: CommittedView, b: CommittedView): CommittedView {
  const [at, bt] = [a.epochPoint, b.epochPoint]
  return bt.epoch > at.epoch || (bt.epoch === at.epoch && bt.seq > at.seq) ? b : a
}

/** The seats this buyer holds, and those that are kept for them, by ordinal, in order. */
function mineOf(view: CommittedView, userId: UserId): number[] {
  const now = databaseNow(view)
  const { state } = view
  const ordinals = (state.users.get(userId)?.all.heap ?? []).flatMap(hold =>
    hold.ordinal !== null && isAlive(hold, now) ? [hold.ordinal] : [],
  )
  const isTheirs = (ordinal: number) =>
    statusAt(state, ordinal, now) === AVAILABLE &&
    keptFrom(state, userId, { seats: [ordinal], taken: [] }, now).length === 0
  const hasPlace = state.placeBuyers.size > 0 || ordinals.some(ordinal => isAccessible(state.seats, ordinal))
  if (hasPlace) for (const ordinal of keptSeats(state)) if (isTheirs(ordinal)) ordinals.push(ordinal)
  return ordinals.sort((a, b) => a - b)
}

/** Companion seats that are kept, whether they are free or not. In order. */
function keptSeats(state: EventState): Uint32Array {
  const { rows, companions } = state.seats.hall
  if (companions.placeOf.size === 0) return NO_SEATS
  const ordinals = Array.from(companions.placeOf.keys(), at => rows.ordinals[at]!)
  return Uint32Array.from(ordinals.filter(ordinal => isKept(state, ordinal))).sort()
}

const NO_SEATS = new Uint32Array(0)

/**
 * Two bits a seat, by ordinal, the first seat in the lowest bits. Made of the codes in memory, four seats at
 * a time, and corrected where those are not what buyers should see.
 */
function packed(state: EventState, now: number): Buffer {
  const { seatStatus: codes, zones, seats } = state
  const bytes = Buffer.allocUnsafe(Math.ceil(seats.count / 4))
  for (let at = 0, seat = 0; at < bytes.length; at += 1, seat += 4) {
    // Past the end there is nothing, which counts as zero.
    bytes[at] = codes[seat]! | (codes[seat + 1]! << 2) | (codes[seat + 2]! << 4) | (codes[seat + 3]! << 6)
  }
  state.queue.eachDue(now, ({ ordinal }) => {
    if (ordinal !== null) putCode(bytes, ordinal, AVAILABLE)
  })
  for (const ordinal of keptSeats(state)) {
    if (statusAt(state, ordinal, now) === AVAILABLE) putCode(bytes, ordinal, BLOCKED)
  }
  if (zones.some(({ settings }) => settings.disabled)) {
    for (let ordinal = 0; ordinal < seats.count; ordinal += 1) {
      const isClosed = zones[seats.zoneOf[ordinal]!]!.settings.disabled
      if (isClosed && statusAt(state, ordinal, now) === AVAILABLE) putCode(bytes, ordinal, BLOCKED)
    }
  }
  return bytes
}

function putCode(bytes: Buffer, ordinal: number, code: number): void {
  const shift = (ordinal & 3) * 2
  bytes[ordinal >> 2] = (bytes[ordinal >> 2]! & ~(3 << shift)) | (code << shift)
}
