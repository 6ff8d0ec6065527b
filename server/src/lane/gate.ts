import type { Command } from '@voelgoed/core/event/command'
import type { Refusal } from '@voelgoed/core/refusal'
import type { CommittedView } from './committed-view.ts'
import type { EventAddress } from './store.ts'

/**
 * Looks at a batch before the lane asks for the event's lock, and may refuse some of it early. It never
 * grants: what it lets pass is decided under the lock. What it refuses may have been free.
 */
export interface Gate {
  /** Null: all of the batch goes on, and there is nothing to leave. Never throws. */
  enter(event: GatedEvent, commands: readonly Command[]): Promise<GatePass | null>
}

export interface GatePass {
  /** By the index of the command. */
  readonly refusals: ReadonlyMap<number, Refusal>
  /** The batch is over, whatever became of it. */
  leave(): void
}

export interface GatedEvent extends EventAddress {
  readonly view: CommittedView | null
  /** The last change that this node has heard of. */
  readonly heardSeq: number
}
