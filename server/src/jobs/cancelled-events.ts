import { randomUUID } from 'node:crypto'
import type { CommandId } from '@voelgoed/core/ids'
import type { FastifyBaseLogger } from 'fastify'
import type { EventsToEnd, EventToEnd } from '../events/events-to-end.ts'
import type { Lanes } from '../lane/lanes.ts'
import type { Database } from '../postgres/database.ts'
import { cancelledEventsWithHolds } from '../postgres/tables/cancelled-events.ts'

/** Holds one command ends: a batch stays short, and other callers of the event get in between. */
const CHUNK = 2_000
/** How soon another node goes on when the one that cancelled an event has died. */
const LOOK_EVERY_MS = 5_000
const EVENTS_AT_ONCE = 16

interface CancelledEventsDeps {
  readonly database: Database
  readonly lanes: Pick<Lanes, 'lane'>
  readonly log: FastifyBaseLogger
}

/**
 * Ends the holds of cancelled events, in chunks. From the commit of the status on no hold of the event can be
 * used (core/event/rules/settle.ts); this makes rows, counters and screens say so. Every node looks for such
 * events, so a node that dies in the middle leaves nothing behind.
 */
export class CancelledEvents implements EventsToEnd {
  readonly #deps: CancelledEventsDeps
  readonly #ending = new Map<string, Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(deps: CancelledEventsDeps) {
    this.#deps = deps
  }

  /** Cancelled events whose holds this node ends now. */
  get ending(): number {
    return this.#ending.size
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#looking = this.look()
        .catch(error => this.#deps.log.warn({ err: error }, 'could not look for cancelled events with holds'))
        .finally(() => {
          if (!this.#stopped) this.start()
        })
    }, LOOK_EVERY_MS).unref()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await Promise.all([this.#looking, ...this.#ending.values()])
  }

  /** Ends what any node has left behind. */
  async look(): Promise<void> {
    const found = await this.#deps.database.platform('find cancelled events with holds', tx =>
      cancelledEventsWithHolds(tx, EVENTS_AT_ONCE),
    )
    await Promise.all(found.map(event => this.end(event)))
  }

  /** Resolves when none of its holds is left, or when this node can't go on: then a later look does. */
  end(event: EventToEnd): Promise<void> {
    const key = `${event.scope.organizationId}/${event.eventId}`
    let ending = this.#ending.get(key)
    if (!ending) {
      ending = this.#end(event).finally(() => this.#ending.delete(key))
      this.#ending.set(key, ending)
    }
    return ending
  }

  async #end({ scope, eventId }: EventToEnd): Promise<void> {
    const lane = this.#deps.lanes.lane(scope, eventId)
    let ended = 0
    while (!this.#stopped) {
      const answer = await lane.submit({
        kind: 'end_holds',
        reason: 'event_cancelled',
        commandId: randomUUID() as CommandId,
        actor: { person: null, ip: null, source: 'system' },
        limit: CHUNK,
      })
      if (answer.kind !== 'decided' || !answer.outcome.ok) {
        const refusal = answer.kind === 'refused' ? answer.refusal.kind : null
        this.#deps.log.warn(
          { event_id: eventId, ended, refusal },
          'could not end all holds of a cancelled event; it will be tried again',
        )
        return
      }
      const count = answer.outcome.value.changes.length
      ended += count
      if (count < CHUNK) break
    }
    if (ended > 0) this.#deps.log.info({ event_id: eventId, ended }, 'ended the holds of a cancelled event')
  }
}
