import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { Refusal } from '@voelgoed/core/refusal'
import type { KeptAnswer } from '../postgres/batch/answers.ts'
import type { StoredAnswer } from '../postgres/tables/idempotency-keys.ts'
import type { EventHall } from './hot-event.ts'
import type { Rider } from './rider.ts'
import type { Round } from './round.ts'

export type LaneAnswer =
  | {
      readonly kind: 'decided'
      readonly outcome: Outcome
      readonly now: number
      readonly hall: EventHall
      /** The answer as it was stored under the key of the request, if it has one. */
      readonly kept: KeptAnswer | null
    }
  | { readonly kind: 'replayed'; readonly stored: StoredAnswer }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** A command in a lane's queue. */
export interface Pending {
  readonly command: Command
  readonly key: Rider | null
  readonly since: number
  settle(answer: LaneAnswer): void
}

/** What a batch reports of itself. */
export interface BatchFigures {
  readonly commands: number
  readonly changes: number
  readonly oldestWaitedMs: number
  readonly lockMs: number
  readonly commitMs: number
  readonly outcome: 'written' | 'nothing to write' | 'failed'
}

export function figuresOf(
  batch: readonly Pending[],
  round: Round | null,
  oldestWaitedMs: number,
  started: number,
  ended: number,
): Omit<BatchFigures, 'outcome'> {
  return {
    commands: batch.length,
    changes: round?.changes.length ?? 0,
    oldestWaitedMs,
    lockMs: (round?.lockedAt || ended) - started,
    commitMs: round?.decidedAt ? ended - round.decidedAt : 0,
  }
}
