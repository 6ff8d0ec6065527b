import type { Command } from '@voelgoed/core/event/command'
import type { Outcome } from '@voelgoed/core/event/decision'
import type { Refusal } from '@voelgoed/core/refusal'
import type { StoredAnswer } from '@voelgoed/kit/postgres/idempotency-keys'
import { outageKind } from '@voelgoed/kit/postgres/outage'
import type { KeptAnswer } from '../batch/answers.ts'
import type { RowRider } from '../ports/batch-table.ts'
import type { Rider } from '../round/rider.ts'
import type { EventHall } from '../view/hot-event.ts'
import type { TracedWay } from './lane-tracer.ts'

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

/** A rider found its row otherwise than it knew it: nothing was given. */
export interface StoodAside {
  readonly kind: 'stood_aside'
}

/** A caller can give this to a lane: a command, or work that is alone under the event's lock. */
export type LaneCommand = Command['kind'] | 'exclusive'

/** Null: it was granted, now or before. */
export function refusalIn(answer: LaneAnswer | StoodAside): Refusal | null {
  if (answer.kind === 'refused') return answer.refusal
  return answer.kind === 'decided' && !answer.outcome.ok ? answer.outcome.problem : null
}

/** Returns what a caller is told of an error: an outage, or a bug of ours. */
export function failureOf(error: unknown): Refusal {
  const outage = outageKind(error)
  return outage === null ? { kind: 'internal_error' } : { kind: outage, retryAfterSeconds: 1 }
}

/** A command in a lane's queue. */
export interface Pending {
  readonly command: Command
  readonly key: Rider | null
  readonly rider: RowRider | null
  readonly since: number
  /** Null: it is not traced. */
  readonly way: TracedWay | null
  settle(answer: LaneAnswer | StoodAside): void
}
