import type { EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '../tenant.ts'

/** Events whose lost history this node remembers. The one that lost something first is forgotten first. */
const MAX_EVENTS = 10_000

/**
 * How far the history goes that Postgres has lost in a failover, by event, as far as this node had told of
 * it. A reader that was away meanwhile comes back with a seq that may exist again and mean something else.
 * Where the two histories part is not known, so no seq up to the end of the lost one is believed. A reader of
 * the new history with such a seq takes a snapshot that it does not need; soon the event is past it.
 *
 * It is in memory, so this does not cover a node that was restarted after the failover, one that did not have
 * the event in memory, and changes that only another node had told of. That takes an epoch in the ids of the
 * feed, kept in Postgres.
 */
export class LostHistory {
  readonly #upTo = new Map<string, number>()

  lost(scope: TenantScope, eventId: EventId, upTo: number): void {
    const key = keyOf(scope, eventId)
    const known = this.upTo(scope, eventId)
    this.#upTo.delete(key)
    this.#upTo.set(key, Math.max(known, upTo))
    if (this.#upTo.size > MAX_EVENTS) this.#upTo.delete(this.#upTo.keys().next().value!)
  }

  /** 0: nothing was lost that this node knows of. */
  upTo(scope: TenantScope, eventId: EventId): number {
    return this.#upTo.get(keyOf(scope, eventId)) ?? 0
  }
}

function keyOf(scope: TenantScope, eventId: EventId): string {
  return `${scope.organizationId}/${eventId}`
}
