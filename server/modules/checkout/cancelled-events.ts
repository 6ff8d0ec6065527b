import { randomUUID } from 'node:crypto'
import type { CommandId } from '@voelgoed/core/ids'
import type { Lanes } from '@voelgoed/engine/lane/lanes'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import type { Work } from '@voelgoed/engine/reaper/work'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { PassedOver } from '@voelgoed/kit/jobs/passed-over'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { FastifyBaseLogger } from 'fastify'

/** Holds one command ends: a batch stays short, and other callers of the event get in between. */
const CHUNK = 2_000
/** Another node goes on so soon when the one that cancelled an event has died. */
const LOOK_EVERY_MS = 5_000
const EVENTS_AT_ONCE = 16
/** So many rounds in which every event failed look like an outage: the rest waits for the next look. */
const MAX_FAILED_ROUNDS = 8

interface CancelledEventsDeps {
  readonly work: Work
  readonly lanes: Pick<Lanes, 'lane'>
  readonly log: FastifyBaseLogger
  readonly time?: Time
  /** Makes the ids of its commands; the simulator's follow from the seed. */
  newId?(): string
}

/**
 * Ends the holds of cancelled events, in chunks. From the commit of the status on no hold of the event can be
 * used (core/event/rules/settle.ts); this makes rows, counters and screens say so. Every node looks for such
 * events, so a node that dies in the middle leaves nothing behind.
 */
export class CancelledEvents implements Job {
  readonly name = 'cancelled-events'
  readonly on = 'node'
  readonly endsBeforeLanes = true
  readonly #deps: CancelledEventsDeps
  readonly #ending = new Map<string, Promise<number | null>>()
  readonly #passedOver: PassedOver
  readonly #repeat: Repeat

  constructor(deps: CancelledEventsDeps) {
    this.#deps = deps
    const { time = processTime, log } = deps
    this.#passedOver = new PassedOver(time.now)
    this.#repeat = new Repeat({
      everyMs: LOOK_EVERY_MS,
      run: async () => void (await this.look()),
      onFailure: error => log.warn({ err: error }, 'could not look for cancelled events with holds'),
      time,
    })
  }

  /** Cancelled events whose holds this node ends now. */
  get ending(): number {
    return this.#ending.size
  }

  start(): void {
    this.#repeat.start()
  }

  async stop(): Promise<void> {
    await this.#repeat.stop()
    await Promise.all(this.#ending.values())
  }

  /** Ends what any node has left behind. An event that fails is passed over: the others get their turn. */
  async look(): Promise<void> {
    for (let failedRounds = 0; failedRounds < MAX_FAILED_ROUNDS && !this.#repeat.isStopped; ) {
      const except = this.#passedOver.now()
      const found = await this.#deps.work.cancelled(EVENTS_AT_ONCE, except)
      const counts = await Promise.all(found.map(event => this.#endOnce(event)))
      const failed = counts.filter(count => count === null).length
      // Nothing was left, or another node has ended it in the meantime.
      if (failed === 0 && counts.every(count => count === 0)) return
      failedRounds = failed === counts.length ? failedRounds + 1 : 0
    }
  }

  /** Resolves when none of its holds is left, or when this node can't go on: then a later look does. */
  async end(event: EventAddress): Promise<void> {
    await this.#endOnce(event)
  }

  /** Returns how many holds were ended; null when the event failed. */
  #endOnce(event: EventAddress): Promise<number | null> {
    const key = `${event.scope.organizationId}/${event.eventId}`
    let ending = this.#ending.get(key)
    if (!ending) {
      ending = this.#end(event).finally(() => this.#ending.delete(key))
      this.#ending.set(key, ending)
    }
    return ending
  }

  async #end({ scope, eventId }: EventAddress): Promise<number | null> {
    const { lanes, newId = randomUUID } = this.#deps
    const lane = lanes.lane(scope, eventId)
    let ended = 0
    while (!this.#repeat.isStopped) {
      const answer = await lane.submit({
        kind: 'end_holds',
        reason: 'event_cancelled',
        commandId: newId() as CommandId,
        actor: { person: null, ip: null, source: 'system' },
        limit: CHUNK,
      })
      if (answer.kind !== 'decided' || !answer.outcome.ok) {
        const refusal = answer.kind === 'refused' ? answer.refusal.kind : null
        this.#deps.log.warn(
          { event_id: eventId, ended, refusal },
          'could not end all holds of a cancelled event; it will be tried again',
        )
        this.#passedOver.failed(eventId)
        return null
      }
      const count = answer.outcome.value.changes.length
      ended += count
      if (count < CHUNK) break
    }
    this.#passedOver.succeeded(eventId)
    if (ended > 0) this.#deps.log.info({ event_id: eventId, ended }, 'ended the holds of a cancelled event')
    return ended
  }
}
