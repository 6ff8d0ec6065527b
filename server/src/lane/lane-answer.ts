import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { Refusal } from '@voelgoed/core/refusal'
import type { KeptAnswer } from '../postgres/batch/answers.ts'
import type { StoredAnswer } from '../postgres/tables/idempotency-keys.ts'
import type { EventHall } from './hot-event.ts'
import type { TracedWay } from './lane-tracer.ts'
import type { Rider } from './rider.ts'

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
  /** Null: it is not traced. */
  readonly way: TracedWay | null
  settle(answer: LaneAnswer): void
}
