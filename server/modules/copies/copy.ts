import { seatBits, seatBitsLength } from '@voelgoed/core/event/seat-bits'
import type { EventState } from '@voelgoed/core/event/state'
import type { CommandId, HoldId, SeatId } from '@voelgoed/core/ids'
import type { EpochPoint } from '@voelgoed/engine/tables/epochs'
import type { CommittedView } from '@voelgoed/engine/view/committed-view'
import { databaseNow } from '@voelgoed/engine/view/hot-event'
import type { RedisConnection } from '@voelgoed/kit/redis/connection'
import { type EventKeys, eventKeys } from '@voelgoed/kit/redis/keys'
import { occupancyFields, type Part, partOf } from './copy-words.ts'
import { type MadeUnder, madeUnder, parseMadeUnder, textOf } from './made-under.ts'
import type { Unwritten } from './unwritten.ts'

/** An attempt to write ended like this: put-event.lua says what each status means. */
export interface Written {
  readonly status: 'applied' | 'newer' | 'busy' | 'gap' | 'missing' | 'other' | 'taken'
  /** The copy is at this point now. Null: Redis has no copy that can be used. */
  readonly point: EpochPoint | null
}

type TakeMore = () => Unwritten | null

/** Keys that no node writes any more go by themselves. */
const LIFE_MS = 24 * 60 * 60_000
/** A writer that was silent for so long has stopped in the middle. */
const SILENT_MS = 2_000
/** A hold's meta key outlives it, so that a reader can tell which seat is free again. */
export const META_MS = 10 * 60_000
/** More than this is no epoch, but damage. */
const MAX_EPOCH = 1e12
/** Holds, and seats, of one part: Redis serves no other client while it runs a script. */
export const MOST_A_PART = 200
/** Within this time every node has heard that an event is over. */
const REMOVED_MS = 60_000
/** Holds that are looked at in one step when old ones are tidied up. */
const STEP = 500

/** The copy of one event in Redis: how it is written, not when. Every call may throw `RedisUnavailable`. */
export class Copy {
  readonly view: CommittedView
  readonly #redis: RedisConnection
  readonly #keys: EventKeys
  readonly #node: string
  readonly #mostAPart: number
  #attempts = 0

  constructor(redis: RedisConnection, view: CommittedView, node: string, mostAPart = MOST_A_PART) {
    this.#redis = redis
    this.#mostAPart = mostAPart
    this.view = view
    this.#keys = eventKeys(view.scope, view.eventId)
    this.#node = node
  }

  /** Tells where the copy is, its holds, what it was made under. Null: there is none, or it is not whole. */
  async look(): Promise<{
    readonly point: EpochPoint
    readonly holds: number
    readonly under: MadeUnder | null
  } | null> {
    const reply = await this.#redis.write('look-at-event', this.#fixed(), seatBitsLength(this.view.state))
    if (reply === null) return null
    const [epoch, seq, tip, holds, under] = reply as [string, string, string, number, string]
    const point = parsePoint(epoch, seq, tip)
    return point && { point, holds, under: parseMadeUnder(under) }
  }

  /**
   * Brings a copy that is at `from`, or further, to where the view is: writes what has changed since, in
   * several parts if it is much. `takeMore` gives what changed while the others were written; null: that is
   * not known any more, and the copy must not be ended.
   */
  async write(from: EpochPoint, unwritten: Unwritten, takeMore: TakeMore): Promise<Written> {
    const writer = this.#writer()
    const under = madeUnder(this.view)
    const isWhole = unwritten.parts(this.#mostAPart) === 1
    let name: 'whole' | 'first' | 'middle' = isWhole ? 'whole' : 'first'
    for (const part of this.#partsOf(unwritten)) {
      const written = await this.#put(name, writer, from, part, under)
      if (isWhole || written.status !== 'applied') return written
      name = 'middle'
    }
    return this.#finish(writer, takeMore, under)
  }

  /**
   * Makes the copy again, a step at a time, whatever it is now, unless it is newer. `takeMore` gives what
   * changed since this call; null as for `write`.
   */
  async rebuild(takeMore: TakeMore): Promise<Written> {
    const { view } = this
    const { state } = view
    const writer = this.#writer()
    const under = madeUnder(view)
    const begun = await this.#begin(writer, under)
    if (begun.status !== 'applied') return begun
    if (!(await this.#forgetEnded(writer, state))) return { status: 'taken', point: null }
    for (const part of this.#allHolds(state)) {
      const written = await this.#put('middle', writer, view.epochPoint, part, under)
      if (written.status !== 'applied') return written
      // The event was loaded again meanwhile: what was written may be of another history.
      if (view.state !== state) return { status: 'gap', point: null }
    }
    return this.#finish(writer, takeMore, under)
  }

  /**
   * Removes every key of the event, unless the copy is newer than the view. `again`: another node has made it
   * again meanwhile, and it must be removed once more.
   */
  async remove(): Promise<'removed' | 'nothing' | 'again'> {
    const { seq, seats, occupancy, holds } = this.#keys
    const { epoch, seq: upTo } = this.view.epochPoint
    const keys = [seq, seats, occupancy, holds]
    const removed = await this.#redis.write('remove-event', keys, epoch, upTo, REMOVED_MS)
    if (removed === 0) return 'nothing'
    for (;;) {
      const ids = (await this.#redis.range(holds, 0, STEP - 1)) as HoldId[]
      if (ids.length === 0) return removed === 1 ? 'removed' : 'nothing'
      if (!(await this.#forget('', ids))) return 'again'
    }
  }

  #writer(): string {
    this.#attempts += 1
    return `${this.#node}/${this.#attempts}`
  }

  async #begin(writer: string, under: MadeUnder): Promise<Written> {
    const { epoch, seq, tip } = this.view.epochPoint
    const reply = await this.#redis.write(
      'begin-event',
      this.#fixed(),
      ...[this.#node, writer, epoch, seq, tip ?? '', this.#now(), SILENT_MS, LIFE_MS],
      ...[Buffer.from(seatBits(this.view.state).buffer), textOf(under)],
      ...occupancyFields(this.view.state, 'all'),
    )
    return readReply(reply)
  }

  /** Removes the holds of an older copy that have ended since. False: another attempt writes now. */
  async #forgetEnded(writer: string, state: EventState): Promise<boolean> {
    for (let from = 0; ; ) {
      const ids = (await this.#redis.range(this.#keys.holds, from, from + STEP - 1)) as HoldId[]
      if (ids.length === 0) return true
      const ended = ids.filter(id => !state.holds.has(id))
      if (ended.length > 0 && !(await this.#forget(writer, ended))) return false
      from += ids.length - ended.length
    }
  }

  async #forget(writer: string, ids: readonly HoldId[]): Promise<boolean> {
    const metas = ids.map(id => this.#keys.holdMeta(id))
    const seats = (await this.#redis.fieldsOfEach(metas, ['seat'])).map(([seat]) => seat ?? null)
    const keys = ids.flatMap((_, index) => {
      const seat = seats[index] as SeatId | null
      return seat ? [metas[index]!, this.#keys.seatHold(seat)] : [metas[index]!]
    })
    const words = ids.flatMap((id, index) => [id, seats[index] ?? ''])
    const { seq, holds } = this.#keys
    return (await this.#redis.write('forget-holds', [seq, holds, ...keys], writer, ...words)) === 1
  }

  /** Reads the state as it is when each part is asked for; what changes afterwards is written afterwards. */
  *#allHolds(state: EventState): Generator<Part, void, void> {
    let some: [HoldId, number | null][] = []
    for (const { holdId, ordinal } of state.holds.values()) {
      some.push([holdId, ordinal])
      if (some.length < this.#mostAPart) continue
      yield partOf(state, this.#keys, { holds: some, seats: [], fields: [] })
      some = []
    }
    if (some.length > 0) yield partOf(state, this.#keys, { holds: some, seats: [], fields: [] })
  }

  /** Until what is left fits into one part, which ends it. */
  async #finish(writer: string, takeMore: TakeMore, under: MadeUnder): Promise<Written> {
    for (;;) {
      const more = takeMore()
      if (!more) return { status: 'gap', point: null }
      const isLast = more.parts(this.#mostAPart) === 1
      for (const part of this.#partsOf(more)) {
        const name = isLast ? 'last' : 'middle'
        const written = await this.#put(name, writer, this.view.epochPoint, part, under)
        if (isLast || written.status !== 'applied') return written
      }
    }
  }

  /**
   * Makes at least one part, because a part must say where the copy is now. Each is made when it is asked
   * for.
   */
  *#partsOf(unwritten: Unwritten): Generator<Part, void, void> {
    const holds = [...unwritten.holds]
    const seats = [...unwritten.seats]
    for (let part = 0; part < unwritten.parts(this.#mostAPart); part += 1) {
      const [from, to] = [part * this.#mostAPart, (part + 1) * this.#mostAPart]
      const { state } = this.view
      yield partOf(state, this.#keys, {
        holds: holds.slice(from, to),
        seats: seats.slice(from, to),
        fields: part === 0 ? occupancyFields(state, unwritten.zones) : [],
      })
    }
  }

  /** `whole` and `last` must be asked for in the same turn in which their part was made. */
  async #put(
    part: 'whole' | 'first' | 'middle' | 'last',
    writer: string,
    from: EpochPoint,
    { keys, words }: Part,
    begunUnder: MadeUnder,
  ): Promise<Written> {
    const { state, epochPoint: to } = this.view
    const now = madeUnder(this.view)
    // Else the parts written before would not be as the view shows them now.
    const under = now.keepsCompanions === begunUnder.keepsCompanions ? now : begunUnder
    const reply = await this.#redis.write(
      'put-event',
      [...this.#fixed(), ...keys],
      ...[part, this.#node, writer, to.epoch, from.seq, from.tip ?? '', to.seq, to.tip ?? '', this.#now()],
      ...[seatBitsLength(state), state.holds.size, LIFE_MS, SILENT_MS, META_MS, textOf(under)],
      ...words,
    )
    const written = readReply(reply)
    return written.status === 'applied' ? { status: 'applied', point: to } : written
  }

  #fixed(): string[] {
    const { seq, seats, holds, occupancy } = this.#keys
    return [seq, seats, holds, occupancy]
  }

  #now(): number {
    return Math.floor(databaseNow(this.view))
  }
}

function readReply(reply: unknown): Written {
  const [status, epoch, seq, tip] = reply as [Written['status'] | 'begun', string?, string?, string?]
  return { status: status === 'begun' ? 'applied' : status, point: parsePoint(epoch, seq, tip) }
}

/** Null: that is no point. */
export function parsePoint(
  epochText: string | null | undefined,
  seqText: string | null | undefined,
  tip: string | null | undefined,
): EpochPoint | null {
  if (!/^\d{1,13}$/.test(epochText ?? '') || !/^\d{1,15}$/.test(seqText ?? '')) return null
  const epoch = Number(epochText)
  if (epoch > MAX_EPOCH) return null
  return { epoch, seq: Number(seqText), tip: tip ? (tip as CommandId) : null }
}
