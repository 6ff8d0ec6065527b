import { randomUUID } from 'node:crypto'
import type { Change } from '@voelgoed/core/event/change'
import type { CommandId } from '@voelgoed/core/ids'
import type { Clock } from '@voelgoed/kit/base/clock'
import type { Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { PassedOver } from '@voelgoed/kit/jobs/passed-over'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { FastifyBaseLogger } from 'fastify'
import type { Follower, Lanes } from '../lane/lanes.ts'
import type { DueEvent } from '../tables/due-events.ts'
import type { Work } from './work.ts'

const LONGEST_SLEEP_MS = 30_000
const RETRY_MS = 1_000
/** A run that comes a moment too early would find nothing. */
const SURELY_OVER_MS = 5
/** Holds that one command tidies up. */
const BITE = 250
/**
 * Commands at once, where the first finds more than it may end: they are one batch, and Postgres writes what
 * one has ended while the next is decided. A batch stays short, and buyers' commands get in between.
 */
const BITES_AT_ONCE = 4
const EVENTS_AT_ONCE = 16
/** So many rounds in which every event failed look like an outage: the rest waits for the next run. */
const MAX_FAILED_ROUNDS = 8

export interface ReaperDeps {
  readonly work: Work
  readonly lanes: Pick<Lanes, 'lane'>
  readonly time: Time
  /** For how long ago it last ran. */
  readonly clock: Pick<Clock, 'elapsed'>
  readonly log: FastifyBaseLogger
  onRun(figures: ReaperRun): void
  /** It could not find out what is due, after so many milliseconds. */
  onFailedRun(ms: number): void
  /** Makes the ids of its commands; those of the simulator follow from the seed. */
  newId?(): string
}

/**
 * Tidies up holds that have run out: on every node, at the next expiry and at least every 30 s. A hold is
 * free by rule the moment it runs out (core/event/decide.ts); the reaper makes rows,
 * counters and screens say so too.
 */
export class Reaper implements Follower, Job {
  readonly name = 'reaper'
  readonly on = 'node'
  readonly endsBeforeLanes = true
  readonly #deps: ReaperDeps
  readonly #repeat: Repeat
  readonly #passedOver: PassedOver
  /** The last run that got through, in monotonic time. */
  #lastRunAt = Number.NEGATIVE_INFINITY

  constructor(deps: ReaperDeps) {
    this.#deps = deps
    const { time, log } = deps
    this.#passedOver = new PassedOver(time.now)
    this.#repeat = new Repeat({
      everyMs: LONGEST_SLEEP_MS,
      run: () => this.#run(),
      onFailure: error => log.error({ err: error }, 'the reaper failed; it will try again'),
      time,
    })
  }

  /** Since the last run that got through; infinite before the first. */
  get sinceLastRunMs(): number {
    return this.#deps.clock.elapsed() - this.#lastRunAt
  }

  /** Events that it leaves alone for a while, because it could not tidy them up. */
  get passedOver(): number {
    return this.#passedOver.size
  }

  start(): void {
    this.#repeat.start(0)
  }

  stop(): Promise<void> {
    return this.#repeat.stop()
  }

  /** The next run comes when a hold has run out, and not later. */
  committed(_changes: readonly Change[], expiresInMs: number | null): void {
    if (expiresInMs !== null) this.#repeat.wakeIn(Math.min(expiresInMs + SURELY_OVER_MS, LONGEST_SLEEP_MS))
  }

  /** Returns the milliseconds until the next run. */
  async #run(): Promise<number> {
    const { time } = this.#deps
    const startedAt = time.now()
    try {
      const run = await reapOnce(this.#deps, this.#passedOver)
      this.#lastRunAt = this.#deps.clock.elapsed()
      this.#deps.onRun({ ...run, ms: time.now() - startedAt })
      if (run.failures > 0) {
        this.#deps.log.warn(
          { failures: run.failures, passed_over: this.passedOver },
          'the reaper could not tidy up some events',
        )
      }
      const except = this.#passedOver.now()
      const untilNext = await this.#deps.work.nextDueIn(except)
      const next = Math.min((untilNext ?? LONGEST_SLEEP_MS) + 5, this.#passedOver.nextIn())
      // A due event that was left out just now (its lock was taken) is tried again soon, not at once.
      return Math.min(Math.max(100, next), LONGEST_SLEEP_MS)
    } catch (error) {
      this.#deps.onFailedRun(time.now() - startedAt)
      this.#deps.log.warn({ err: error }, 'the reaper could not run; it will try again')
      return RETRY_MS
    }
  }
}

export interface ReaperRun extends Reaped {
  /** The run took so long. */
  readonly ms: number
}

interface Reaped {
  readonly expired: number
  readonly events: number
  /** Events that could not be tidied up, each time that they could not. */
  readonly failures: number
  /** For how long the oldest of them had been over. */
  readonly lagMs: number
}

/**
 * Everything that is due now, in bites. An event that fails is passed over,
 * so that the others get their turn.
 */
export async function reapOnce(
  { work, lanes, newId }: Pick<ReaperDeps, 'work' | 'lanes' | 'newId'>,
  passedOver = new PassedOver(),
): Promise<Reaped> {
  let expired = 0
  let events = 0
  let failures = 0
  let lagMs = 0
  let failedRounds = 0
  while (failedRounds < MAX_FAILED_ROUNDS) {
    const except = passedOver.now()
    const due = await work.takeDue(EVENTS_AT_ONCE, except)
    if (due.length === 0) break
    const counts = await Promise.all(due.map(event => reapEvent(lanes, event, newId)))
    events += due.length
    lagMs = Math.max(lagMs, ...due.map(event => event.lagMs))
    let done = 0
    for (const [index, { eventId }] of due.entries()) {
      const count = counts[index]!
      if (count === null) {
        failures += 1
        passedOver.failed(eventId)
      } else {
        done += count
        passedOver.succeeded(eventId)
      }
    }
    expired += done
    failedRounds = counts.every(count => count === null) ? failedRounds + 1 : 0
    // Another node tidied them up in the meantime: what is left is due later.
    if (done === 0 && failedRounds === 0) break
  }
  return { expired, events, failures, lagMs }
}

/** The number of holds that were tidied up; null when the event could not be. */
async function reapEvent(
  lanes: ReaperDeps['lanes'],
  { scope, eventId }: DueEvent,
  newId: () => string = randomUUID,
): Promise<number | null> {
  const lane = lanes.lane(scope, eventId)
  const bite = async () => {
    const answer = await lane.submit({
      kind: 'expire',
      commandId: newId() as CommandId,
      actor: { person: null, ip: null, source: 'system' },
      limit: BITE,
    })
    return answer.kind === 'decided' && answer.outcome.ok ? answer.outcome.value.changes.length : null
  }
  let expired = 0
  for (let atOnce = 1; ; atOnce = BITES_AT_ONCE) {
    const counts = await Promise.all(Array.from({ length: atOnce }, bite))
    for (const count of counts) {
      if (count === null) return null
      expired += count
    }
    if (counts.at(-1)! < BITE) return expired
  }
}
