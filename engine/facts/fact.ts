import type { Change } from '@voelgoed/core/event/change'
import type { CommandId, EventId } from '@voelgoed/core/ids'
import type { TenantScope } from '@voelgoed/kit/base/tenant'

/**
 * A node tells its followers this of an event: in order, without a gap, each change once, and never before
 * its commit is durable. Nothing in a fact changes after it was told.
 */
export type Fact = CommittedFact | StartAgain

interface AboutEvent {
  readonly scope: TenantScope
  readonly eventId: EventId
  /** Where the journal is after this fact: its last seq, and the command of that entry (null: not known). */
  readonly seq: number
  readonly tip: CommandId | null
}

/** Changes that were committed, by this node or by another one; at least one. */
export interface CommittedFact extends AboutEvent {
  readonly kind: 'committed'
  readonly changes: readonly Change[]
  /** This node committed them; another one's own are told there as well. */
  readonly isOwn: boolean
}

/**
 * All that was told before is lost, because Postgres has lost commits, or there is too much to tell. A
 * follower begins with the view as it is now.
 */
interface StartAgain extends AboutEvent {
  readonly kind: 'start_again'
}
