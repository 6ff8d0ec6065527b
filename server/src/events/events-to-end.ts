import type { EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '../tenant.ts'

export interface EventToEnd {
  readonly scope: TenantScope
  readonly eventId: EventId
}

/** Where the handler that cancels an event leaves its holds: jobs/cancelled-events.ts. */
export interface EventsToEnd {
  /** Resolves when none of the event's holds is left, or when this node can't go on. */
  end(event: EventToEnd): Promise<void>
}
