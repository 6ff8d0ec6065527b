import { randomUUID } from 'node:crypto'
import type { CommandId } from '@voelgoed/core/event/ids'
import type { FastifyBaseLogger } from 'fastify'
import type { Engine } from '../engine/engine.ts'
import type { Database } from '../postgres/database.ts'
import { nextExpiryIn, takeDueEvents } from '../postgres/due-events.ts'

const LONGEST_SLEEP_MS = 30_000
/** Holds one command tidies up: a batch stays short, and buyers' commands get in between. */
const BITE = 1_000
const EVENTS_AT_ONCE = 16

/**
 * Tidies up holds that have run out: on every node, at the next expiry and at least every 30 s. A hold is free
 * by rule the moment it runs out (core/event/decide.ts), so nothing depends on this but that rows, counters and
 * screens say so too.
 */
export class Reaper {
  readonly #deps: {
    database: Database
    engine: Engine
    log: FastifyBaseLogger
    onRun(figures: ReaperRun): void
  }
  #timer: NodeJS.Timeout | undefined
  #wakeAt = Number.POSITIVE_INFINITY
  #running: Promise<void> = Promise.resolve()
  /** Also before it was started: a node whose reaper is off must not wake it by a hold. */
  #stopped = true
  /** Of the last run that got through; 0 before the first. */
  lastRunAt = 0

  constructor(deps: {
    database: Database
    engine: Engine
    log: FastifyBaseLogger
    onRun(figures: ReaperRun): void
  }) {
    this.#deps = deps
  }

  start(): void {
    this.#stopped = false
    this.#sleep(0)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  /** A hold runs out in so many milliseconds: not later than that. */
  wakeIn(ms: number): void {
    if (!this.#stopped && performance.now() + ms < this.#wakeAt) this.#sleep(ms)
  }

  #sleep(ms: number): void {
    clearTimeout(this.#timer)
    const bounded = Math.min(Math.max(ms, 0), LONGEST_SLEEP_MS)
    this.#wakeAt = performance.now() + bounded
    this.#timer = setTimeout(() => {
      this.#wakeAt = Number.POSITIVE_INFINITY
      this.#running = this.#running.then(() => this.#run())
    }, bounded).unref()
  }

  async #run(): Promise<void> {
    if (this.#stopped) return
    let next = LONGEST_SLEEP_MS
    try {
      const run = await reapOnce(this.#deps.database, this.#deps.engine)
      this.lastRunAt = Date.now()
      this.#deps.onRun(run)
      const untilNext = await this.#deps.database.platform('find holds that have run out', nextExpiryIn)
      // A due event that could not be tidied just now (its lock was taken) is tried again soon, not at once.
      if (untilNext !== null) next = Math.max(untilNext + 5, 100)
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'the reaper could not run; it will try again')
      next = 1_000
    }
    if (!this.#stopped) this.wakeIn(next)
  }
}

export interface ReaperRun {
  readonly expired: number
  readonly events: number
  /** For how long the oldest of them had been over. */
  readonly lagMs: number
}

/** Everything that is due now, in bites. */
export async function reapOnce(database: Database, engine: Engine): Promise<ReaperRun> {
  let expired = 0
  let events = 0
  let lagMs = 0
  for (;;) {
    const due = await database.platform('find holds that have run out', tx =>
      takeDueEvents(tx, EVENTS_AT_ONCE),
    )
    if (due.length === 0) break
    const counts = await Promise.all(due.map(event => reapEvent(engine, event)))
    events += due.length
    lagMs = Math.max(lagMs, ...due.map(event => event.lagMs))
    const count = counts.reduce((sum, of) => sum + of, 0)
    expired += count
    // Nothing could be done although something is due: an outage. The next run will see.
    if (count === 0) break
  }
  return { expired, events, lagMs }
}

async function reapEvent(
  engine: Engine,
  { scope, eventId }: Awaited<ReturnType<typeof takeDueEvents>>[number],
): Promise<number> {
  const lane = engine.lane(scope, eventId)
  let expired = 0
  for (;;) {
    const answer = await lane.submit({
      kind: 'expire',
      commandId: randomUUID() as CommandId,
      actor: { person: null, ip: null, source: 'system' },
      limit: BITE,
    })
    const count = answer.kind === 'decided' && answer.outcome.ok ? answer.outcome.value.changes.length : 0
    expired += count
    if (count < BITE) return expired
  }
}
