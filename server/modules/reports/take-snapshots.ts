import type { Change } from '@voelgoed/core/event/change'
import { occupancyOf } from '@voelgoed/core/event/view'
import type { EventId } from '@voelgoed/core/ids'
import { overlayZones } from '@voelgoed/core/layout/overlay'
import type { Follower } from '@voelgoed/engine/lane/lanes'
import type { EventAddress } from '@voelgoed/engine/ports/store'
import { readZoneCounts } from '@voelgoed/engine/tables/event-state'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { findEvent } from '../events/tables/events.ts'
import { readZones } from '../venues/tables/layouts.ts'
import { addSnapshot, eventsWithoutSnapshot, lockSnapshots } from './tables/occupancy-snapshots.ts'

/** A snapshot is so late at most when the node that takes them has died. */
const LOOK_EVERY_MS = 10_000
/** After the settings of an event have changed: its status may be another. */
const AFTER_CHANGE_MS = 500
/** In one transaction that has the lock: it must be short. */
const EVENTS_A_BATCH = 25
/** In one look; the rest waits for the next. */
const MAX_BATCHES = 200

export interface TakeSnapshotsDeps {
  readonly database: Pick<Database, 'platform' | 'tenant'>
  readonly log: FastifyBaseLogger
  readonly time?: Time
  onRun(run: SnapshotRun): void
}

export interface SnapshotRun {
  readonly taken: number
  readonly failed: number
}

/**
 * Writes down how full each event on sale is: once a minute, and when its status has changed. Every node
 * looks for events that need it; the one that has the advisory lock takes the snapshots, from the counters.
 */
export class TakeSnapshots implements Job, Follower {
  readonly name = 'occupancy-snapshots'
  readonly on = 'node'
  readonly #deps: TakeSnapshotsDeps
  readonly #repeat: Repeat

  constructor(deps: TakeSnapshotsDeps) {
    this.#deps = deps
    this.#repeat = new Repeat({
      everyMs: LOOK_EVERY_MS,
      run: async () => void (await this.look()),
      onFailure: error => deps.log.warn({ err: error }, 'no snapshots of occupancy; it will be tried again'),
      time: deps.time ?? processTime,
    })
  }

  start(): void {
    this.#repeat.start()
  }

  stop(): Promise<void> {
    return this.#repeat.stop()
  }

  committed(changes: readonly Change[]): void {
    if (changes.some(change => change.kind === 'event_changed')) this.#repeat.wakeIn(AFTER_CHANGE_MS)
  }

  async look(): Promise<SnapshotRun> {
    const { database, log, onRun } = this.#deps
    const failed: EventId[] = []
    let taken = 0
    for (let batch = 0; batch < MAX_BATCHES && !this.#repeat.isStopped; batch += 1) {
      const found = await database.platform('find events without a snapshot', async tx => {
        if (!(await lockSnapshots(tx))) return []
        const events = await eventsWithoutSnapshot(tx, EVENTS_A_BATCH, failed)
        for (const event of events) {
          try {
            await this.#take(event)
            taken += 1
          } catch (error) {
            failed.push(event.eventId)
            log.warn({ err: error, event_id: event.eventId }, 'no snapshot of the occupancy of an event')
          }
        }
        return events
      })
      if (found.length < EVENTS_A_BATCH) break
    }
    const run = { taken, failed: failed.length }
    onRun(run)
    return run
  }

  #take({ scope, eventId }: EventAddress): Promise<void> {
    return this.#deps.database.tenant(
      scope,
      async tx => {
        const event = await findEvent(tx, eventId)
        if (!event) return
        const zones = overlayZones(await readZones(tx, event.layoutId, event.layoutVersion), event.overlay)
        const counts = await readZoneCounts(tx, eventId)
        await addSnapshot(tx, eventId, event.status, occupancyOf(zones, counts))
      },
      { isolation: 'snapshot' },
    )
  }
}
