import type { EventId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { findHolds, type HoldRecord } from '@voelgoed/engine/tables/holds'
import { SharedTurns } from '@voelgoed/kit/base/shared-turns'
import type { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import type { TenantDoor, TenantTx } from '@voelgoed/kit/postgres/database'
import { isOvertaken } from '@voelgoed/kit/postgres/violations'
import {
  type EndedHold,
  type EventBehind,
  eventsBehindOf,
  type HistoryChunk,
  writeHistory,
} from './tables/hold-history.ts'

/** Entries of the journal whose history is written in one transaction. */
const HISTORY_CHUNK = 2_000
/** More than this is left to the follower: about two seconds of work. */
const MOST = 50_000
/**
 * A caller looks this often if other nodes have written what is missing, and waits at most so long in all.
 */
const LOOK_AGAIN_MS = 25
const LONGEST_WAIT_MS = 4_000
/** Times that another node may write history, or have written it, between our snapshot and our turn. */
const ATTEMPTS = 5

export interface HoldHistoryDeps {
  readonly database: TenantDoor
  /** Once for each hold, on the node that wrote its end into the history, after the commit. */
  onEnded(holds: readonly EndedHold[]): void
  readonly time?: Pick<Time, 'now' | 'after'>
}

/** The history of ended holds: a follower writes it, and what must be exact brings it up to date first. */
export class HoldHistory {
  readonly #deps: HoldHistoryDeps
  readonly #time: Pick<Time, 'now' | 'after'>
  readonly #turns = new SharedTurns<Result<null, Refusal>>()

  constructor(deps: HoldHistoryDeps) {
    this.#deps = deps
    this.#time = deps.time ?? processTime
  }

  /** Writes the next `limit` entries of an event, unless another node is at it. */
  async writeNext(scope: TenantScope, eventId: EventId, limit: number): Promise<HistoryChunk> {
    const { database, onEnded } = this.#deps
    const chunk = await database.tenant(scope, tx => writeHistory(tx, eventId, limit))
    onEnded(chunk.ended)
    return chunk
  }

  /**
   * Brings the history up to the journal as it is now, of one event or of all of an organization, so that
   * what is read after it is exact. Refuses when too much is missing: the follower is at it. Callers at the
   * same moment share it: else each would walk through all events, and wait for the others at each.
   */
  catchUp(scope: TenantScope, eventId: EventId | null): Promise<Result<null, Refusal>> {
    return this.#turns.take(`${scope.organizationId} ${eventId}`, () => this.#catchUp(scope, eventId))
  }

  async #catchUp(scope: TenantScope, eventId: EventId | null): Promise<Result<null, Refusal>> {
    const behind = await this.#deps.database.tenant(scope, async tx => {
      const reading = eventsBehindOf(tx, eventId)
      tx.finish()
      return reading
    })
    const missing = behind.reduce((sum, { seq, cursor }) => sum + seq - cursor, 0)
    if (missing > MOST) {
      const detail = `The history of ended holds is being written: ${missing} entries of the journal are missing. Repeat the request.`
      return refuse({ kind: 'database_unavailable', retryAfterSeconds: 5, detail })
    }
    const until = this.#time.now() + LONGEST_WAIT_MS
    // Events that other nodes are at keep no other event waiting.
    for (let waiting = behind; ; ) {
      const taken: EventBehind[] = []
      for (const event of waiting) {
        const rest = await this.#bringUp(scope, event)
        if (rest) taken.push(rest)
      }
      if (taken.length === 0) return ok(null)
      if (this.#time.now() >= until) return OTHERS_ARE_AT_IT
      await new Promise<void>(resolve => this.#time.after(LOOK_AGAIN_MS, resolve))
      waiting = taken
    }
  }

  /** Returns what is still missing when another node is at it; null: nothing. */
  async #bringUp(scope: TenantScope, event: EventBehind): Promise<EventBehind | null> {
    let { cursor } = event
    while (cursor < event.seq) {
      const chunk = await this.writeNext(scope, event.eventId, HISTORY_CHUNK)
      if (chunk.isTaken) return chunk.cursor < event.seq ? { ...event, cursor: chunk.cursor } : null
      // Another node has written it since, or Postgres has lost commits and the journal is shorter.
      if (chunk.entries === 0) return null
      cursor = chunk.cursor
    }
    return null
  }

  /**
   * Reads what lives and what has ended in one snapshot, the history exact in it: what the journal of that
   * moment has more is written first, in the same transaction.
   */
  async readExactly<T>(
    scope: TenantScope,
    eventId: EventId | null,
    read: (tx: TenantTx) => Promise<T>,
  ): Promise<Result<T, Refusal>> {
    const until = this.#time.now() + LONGEST_WAIT_MS
    for (let attempt = 1; ; attempt += 1) {
      // Outside, because most of it is no work for a snapshot.
      const caughtUp = await this.catchUp(scope, eventId)
      if (!caughtUp.ok) return caughtUp
      const ended: EndedHold[] = []
      try {
        const value = await this.#deps.database.tenant(
          scope,
          async tx => {
            for (const event of await eventsBehindOf(tx, eventId)) {
              const chunk = await writeHistory(tx, event.eventId, event.seq - event.cursor)
              if (chunk.isTaken) throw new Taken()
              ended.push(...chunk.ended)
            }
            return read(tx)
          },
          { isolation: 'snapshot' },
        )
        this.#deps.onEnded(ended)
        return ok(value)
      } catch (error) {
        if (!(error instanceof Taken) && !isOvertaken(error)) throw error
        if (attempt === ATTEMPTS || this.#time.now() >= until) return OTHERS_ARE_AT_IT
      }
    }
  }

  /**
   * Holds by their ids, living or ended. One that is not found may have ended a moment ago: then the history
   * is caught up first.
   */
  async lookUp(scope: TenantScope, holdIds: readonly string[]): Promise<Result<HoldRecord[], Refusal>> {
    const look = () => this.#deps.database.tenant(scope, tx => findHolds(tx, holdIds))
    const records = await look()
    if (records.length === holdIds.length) return ok(records)
    const caughtUp = await this.catchUp(scope, null)
    // A hold that the first look found may have ended since, and the second look may not find it.
    const found = new Set(records.map(record => record.id))
    const all = [...records, ...(await look()).filter(record => !found.has(record.id))]
    // Whatever is missing of the history, these are not in it.
    return caughtUp.ok || all.length === holdIds.length ? ok(all) : caughtUp
  }
}

/** Another node is writing what a snapshot lacks. */
class Taken extends Error {}

const OTHERS_ARE_AT_IT: Result<never, Refusal> = refuse({ kind: 'busy', retryAfterSeconds: 1 })
