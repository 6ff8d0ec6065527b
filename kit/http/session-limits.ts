import type { Clock } from '../base/clock.ts'
import type { Time } from '../base/time.ts'
import { sessionLimitKey } from '../redis/keys.ts'
import type { LimitCounts } from '../redis/limit-counts.ts'
import type { SignedIn } from './principals.ts'
import { RateLimit } from './rate-limit.ts'

/** One session of a buyer may ask so much: 60 requests at once, then 20 a second. A person needs far less. */
const BUYER_REQUESTS = { count: 60, windowMs: 3_000 }
const MAX_SESSIONS = 100_000
const REPORT_EVERY_MS = 250
/**
 * A session that asks this process less often than that in a window is not reported: most buyers never are,
 * and each report costs this thread 20 µs and Redis 14.
 */
const REPORTED_FROM = 5
const REPORTS_IN_WINDOW = BUYER_REQUESTS.windowMs / REPORT_EVERY_MS
/** At the limit, a session asks often enough to be reported with the second report at the latest. */
const LATE_MS = 3 * REPORT_EVERY_MS
/** For how long a session can be refused for what it asked of many nodes at once. */
const MOST_MS = 30_000

type Session = Pick<SignedIn, 'scope' | 'tokenHash'>

/** Says how often a session may ask. Every request of a buyer is counted, so no answer waits for it. */
export interface SessionLimits {
  /** Counts one; null when it is allowed, else the seconds to wait. */
  take(session: Session): number | null
}

/** Counted in the memory of this process. */
export class OwnSessionLimits implements SessionLimits {
  readonly #limit: RateLimit

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#limit = new RateLimit(clock, BUYER_REQUESTS)
  }

  take({ tokenHash }: Session): number | null {
    return this.#limit.take(tokenHash.toString('latin1'))
  }
}

/**
 * Counted over all processes. Each decides by its own count and reports to Redis, four times a second, how
 * much it has let through of those that ask often; a session that got too much of all of them together is
 * refused by each until it has made up for it. So a session that asks many processes at once gets its burst
 * from each, and after that no more than one process would give it. Without Redis each process counts by
 * itself.
 */
export class SessionLimitsOfAll implements SessionLimits {
  readonly #own: SessionLimits
  readonly #counts: LimitCounts
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #endTimer: () => void
  /** Sessions have asked this in this window, as far as it was not reported. */
  #unreported = new Map<string, Unreported>()
  /** Those of them that have asked often enough. */
  #due = new Map<string, Unreported>()
  #reports = 0
  readonly #refusedUntil = new Map<string, number>()
  #isReporting = false

  constructor(
    own: SessionLimits,
    counts: LimitCounts,
    { clock, time }: { clock: Pick<Clock, 'elapsed'>; time: Time },
  ) {
    this.#own = own
    this.#counts = counts
    this.#clock = clock
    this.#endTimer = time.every(REPORT_EVERY_MS, () => void this.#report())
  }

  take(session: Session): number | null {
    const id = session.tokenHash.toString('latin1')
    const until = this.#refusedUntil.get(id)
    if (until !== undefined) {
      const ms = until - this.#clock.elapsed()
      if (ms > 0) return Math.ceil(ms / 1000)
      this.#refusedUntil.delete(id)
    }
    const wait = this.#own.take(session)
    if (wait === null) this.#count(id, session)
    return wait
  }

  close(): void {
    this.#endTimer()
  }

  #count(id: string, session: Session): void {
    const entry = this.#unreported.get(id)
    if (!entry) {
      if (this.#unreported.size < MAX_SESSIONS) this.#unreported.set(id, { session, count: 1 })
      return
    }
    entry.count += 1
    if (entry.count === REPORTED_FROM) this.#due.set(id, entry)
  }

  /** One report at a time. What Redis did not take is not reported again. */
  async #report(): Promise<void> {
    this.#reports += 1
    if (this.#isReporting) return
    const reported = this.#due
    this.#due = new Map()
    for (const id of reported.keys()) this.#unreported.delete(id)
    if (this.#reports >= REPORTS_IN_WINDOW) {
      this.#reports = 0
      this.#unreported = new Map()
    }
    if (reported.size === 0) return
    this.#isReporting = true
    const late = { lateMs: LATE_MS, mostMs: MOST_MS }
    await Promise.all(
      Array.from(reported, async ([id, { session, count }]) => {
        const key = sessionLimitKey(session.scope, session.tokenHash)
        const waitMs = await this.#counts.add(key, BUYER_REQUESTS, count, late)
        if (waitMs !== null && waitMs > 0) this.#refuse(id, waitMs)
      }),
    )
    this.#isReporting = false
  }

  #refuse(id: string, waitMs: number): void {
    this.#refusedUntil.delete(id)
    this.#refusedUntil.set(id, this.#clock.elapsed() + waitMs)
    if (this.#refusedUntil.size <= MAX_SESSIONS) return
    this.#refusedUntil.delete(this.#refusedUntil.keys().next().value!)
  }
}

interface Unreported {
  readonly session: Session
  count: number
}
