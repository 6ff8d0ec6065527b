import { randomUUID } from 'node:crypto'
import type { Change } from '@voelgoed/core/event/change'
import type { CommandId, EventId, HoldId, OrganizationId, UserId } from '@voelgoed/core/ids'
import { Lane } from '@voelgoed/engine/lane/lane'
import type { LaneTracer } from '@voelgoed/engine/lane/lane-tracer'
import { postgresStore } from '@voelgoed/engine/postgres/postgres-store'
import { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { systemClock } from '@voelgoed/kit/base/clock'
import { TenantScope } from '@voelgoed/kit/base/tenant'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import { uuidV7 } from '@voelgoed/kit/base/uuid-v7'
import type { Database } from '@voelgoed/kit/postgres/database'
import { pino } from 'pino'
import { eventSource } from '../server/modules/events/event-source.ts'

export interface DeafLane {
  readonly lane: Lane
  /** Followers were told this, in this order. */
  readonly told: (readonly Change[] | null)[]
  /** The seq of the view at each telling. */
  readonly toldAt: number[]
  /** The event's revision that readers had at each telling. */
  readonly revisions: number[]
}

/** A lane that no other node can reach: it only knows what it looks for itself. */
export function deafLane(
  database: Database,
  organizationId: string,
  eventId: string,
  time: Time = processTime,
  tracer: LaneTracer | null = null,
): DeafLane {
  const told: (readonly Change[] | null)[] = []
  const toldAt: number[] = []
  const revisions: number[] = []
  const lane = new Lane(TenantScope.of(organizationId as OrganizationId), eventId as EventId, {
    store: postgresStore(database, new SeatMaps(eventSource)),
    time,
    log: pino({ level: 'fatal' }),
    tracer,
    watch: {
      batch: () => {},
      answered: () => {},
      decided: () => {},
      ruleFailed: () => {},
      committed: () => {},
      ended: () => {},
      loaded: () => {},
      heard: (fact, view) => {
        told.push(fact.kind === 'committed' ? fact.changes : null)
        toldAt.push(view.seq)
        revisions.push(view.eventRevision)
      },
    },
  })
  return { lane, told, toldAt, revisions }
}

/** A wish for one seat, as the HTTP layer would hand it over. */
export function holdSeat(userId: string, ordinal: number) {
  const person = {
    userId: userId as UserId,
    role: 'customer' as const,
    membershipTier: null,
    membershipStatus: null,
  }
  return {
    kind: 'hold_seats' as const,
    commandId: randomUUID() as CommandId,
    actor: { person, ip: null, source: 'web' as const },
    ordinals: [ordinal],
    holdIds: [uuidV7(systemClock.now()) as HoldId],
  }
}
