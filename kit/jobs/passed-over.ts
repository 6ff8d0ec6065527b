import type { EventId } from '@voelgoed/core/ids'
import { processTime } from '../base/time.ts'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000
const FORGET_MS = 60_000
const MAX_PASSED_OVER = 10_000

/**
 * Events that a job could not do its work on. Each is left alone for a second, then for twice as long each
 * time that it fails again, up to fifteen seconds: no hold may stay untidied for a minute once the fault is
 * mended.
 */
export class PassedOver {
  readonly #events = new Map<EventId, { readonly failures: number; readonly until: number }>()
  readonly #clock: () => number

  constructor(clock: () => number = processTime.now) {
    this.#clock = clock
  }

  get size(): number {
    return this.now().length
  }

  failed(eventId: EventId): void {
    const failures = (this.#events.get(eventId)?.failures ?? 0) + 1
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS)
    this.#events.delete(eventId)
    this.#events.set(eventId, { failures, until: this.#clock() + waitMs })
    // The event that failed first is forgotten, and so is tried again first.
    if (this.#events.size > MAX_PASSED_OVER) this.#events.delete(this.#events.keys().next().value!)
  }

  succeeded(eventId: EventId): void {
    this.#events.delete(eventId)
  }

  /** Lists the events that are to be left alone now. */
  now(): EventId[] {
    const now = this.#clock()
    const events: EventId[] = []
    for (const [eventId, { until }] of this.#events) {
      if (until > now) events.push(eventId)
      // Long enough without another failure: another node tidied it up, or it is sound again.
      else if (until + FORGET_MS < now) this.#events.delete(eventId)
    }
    return events
  }

  /** Milliseconds until the first of them is to be tried again. */
  nextIn(): number {
    const now = this.#clock()
    let next = Number.POSITIVE_INFINITY
    for (const { until } of this.#events.values()) if (until > now) next = Math.min(next, until - now)
    return next
  }
}
