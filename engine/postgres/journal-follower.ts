import type { EventId, OrganizationId } from '@voelgoed/core/ids'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { PassedOver } from '@voelgoed/kit/jobs/passed-over'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { FastifyBaseLogger } from 'fastify'

/** Without a wake: another node may have died before it did its part. */
const EVERY_MS = 5_000
const EVENTS_A_RUN = 200
/** The rest waits for the next run, which follows at once: metrics are told in between. */
const SLICES_A_RUN = 50
/**
 * After each slice the follower rests for twice the time that the slice took, so it has at most a third of
 * the thread that serves buyers, and of one connection to Postgres.
 */
const REST_FACTOR = 2
/** A slice that took longer has waited for Postgres, and used the thread no more than others. */
const LONGEST_REST_MS = 1_000

/** A follower does this with the journals. */
export interface Following extends Pick<Job, 'name' | 'on'> {
  /** Left out: as long as between two runs. */
  readonly firstInMs?: number
  /** The log says this of an event that failed, and of a run that did not get that far. */
  readonly eventFailed: string
  readonly runFailed: string
  /** Events with entries after the follower's cursor. */
  behind(limit: number, except: readonly EventId[]): Promise<readonly BehindEvent[]>
  /**
   * Does the next entries of an event, a bounded number of them, and moves the cursor past them in one
   * transaction. Leaves an event alone that another node is at.
   */
  slice(scope: TenantScope, eventId: EventId): Promise<Slice>
}

interface BehindEvent {
  readonly organizationId: OrganizationId
  readonly eventId: EventId
  readonly seq: number
}

export interface Slice {
  /** 0: there were none, or another node is at it. */
  readonly entries: number
  readonly cursor: number
  /** The first of them was written so long ago, where the follower tells. */
  readonly lagMs?: number
}

export interface FollowerRun {
  readonly entries: number
  /** Events that failed. */
  readonly failed: number
  /** The age of the oldest entry that had not been done. */
  readonly lagMs: number
}

export interface FollowerDeps {
  readonly log: FastifyBaseLogger
  readonly onRun: (run: FollowerRun) => void
  readonly time?: Pick<Time, 'now' | 'after'>
}

/**
 * Follows the journals of all events by a cursor for each, in slices, the events in turn, and rests after
 * each slice. On every node; for an event, one node at a time. Nothing waits for it.
 */
export class JournalFollower implements Job {
  readonly name: string
  readonly on: Job['on']
  readonly #following: Following
  readonly #deps: FollowerDeps
  readonly #time: Pick<Time, 'now' | 'after'>
  readonly #repeat: Repeat
  readonly #passedOver: PassedOver
  #endRest = () => {}

  constructor(following: Following, deps: FollowerDeps) {
    this.name = following.name
    this.on = following.on
    this.#following = following
    this.#deps = deps
    this.#time = deps.time ?? processTime
    this.#passedOver = new PassedOver(() => this.#time.now())
    this.#repeat = new Repeat({
      everyMs: EVERY_MS,
      run: async () => ((await this.run()).isComplete ? EVERY_MS : 0),
      onFailure: error => deps.log.error({ err: error }, following.runFailed),
      time: this.#time,
    })
  }

  start(): void {
    this.#repeat.start(this.#following.firstInMs)
  }

  stop(): Promise<void> {
    const stopped = this.#repeat.stop()
    this.#endRest()
    return stopped
  }

  /** There is something to do in so many milliseconds. Does nothing before `start`. */
  wakeIn(ms: number): void {
    this.#repeat.wakeIn(ms)
  }

  async run(): Promise<FollowerRun & { readonly isComplete: boolean }> {
    const found = await this.#following.behind(EVENTS_A_RUN, this.#passedOver.now())
    const turns = [...found]
    let [entries, failed, lagMs] = [0, 0, 0]
    for (let slices = 0; slices < SLICES_A_RUN && !this.#repeat.isStopped; slices += 1) {
      const event = turns.shift()
      if (!event) break
      const startedAt = this.#time.now()
      const slice = await this.#slice(event)
      if (slice) {
        entries += slice.entries
        lagMs = Math.max(lagMs, slice.lagMs ?? 0)
        if (slice.entries > 0 && slice.cursor < event.seq) turns.push(event)
      } else failed += 1
      await this.#rest((this.#time.now() - startedAt) * REST_FACTOR)
    }
    const run = { entries, failed, lagMs }
    this.#deps.onRun(run)
    return { ...run, isComplete: turns.length === 0 && found.length < EVENTS_A_RUN }
  }

  async #slice({ organizationId, eventId }: BehindEvent): Promise<Slice | null> {
    try {
      const slice = await this.#following.slice(TenantScope.of(organizationId), eventId)
      this.#passedOver.succeeded(eventId)
      return slice
    } catch (error) {
      this.#passedOver.failed(eventId)
      this.#deps.log.warn({ err: error, event_id: eventId }, this.#following.eventFailed)
      return null
    }
  }

  #rest(ms: number): Promise<void> {
    if (this.#repeat.isStopped) return Promise.resolve()
    return new Promise(resolve => {
      const callOff = this.#time.after(Math.min(ms, LONGEST_REST_MS), resolve)
      this.#endRest = () => {
        callOff()
        resolve()
      }
    })
  }
}
