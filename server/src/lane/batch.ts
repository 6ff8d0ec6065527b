import type { Change } from '@voelgoed/core/event/change'
import type { Command } from '@voelgoed/core/event/command'
import type { Decision, Outcome } from '@voelgoed/core/event/decision'
import type { CommandId } from '@voelgoed/core/ids'
import type { Refusal } from '@voelgoed/core/refusal'
import type { KeptAnswer } from '../postgres/batch/batch-rows.ts'
import type { StoredAnswer } from '../postgres/tables/idempotency-keys.ts'
import type { HotEvent } from './hot-event.ts'

/** A command whose answer is to be stored with its effect. */
export interface KeyedRequest {
  readonly keyHash: Buffer
  readonly fingerprint: Buffer
  /** The answer as it is stored. */
  keep(decision: Decision, hot: HotEvent, now: number): { status: number; answer: Buffer }
}

export type LaneAnswer =
  | { readonly kind: 'decided'; readonly outcome: Outcome; readonly now: number; readonly hot: HotEvent }
  | { readonly kind: 'replayed'; readonly stored: StoredAnswer }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** A command in a lane's queue. */
export interface Pending {
  readonly command: Command
  readonly key: KeyedRequest | null
  readonly since: number
  settle(answer: LaneAnswer): void
}

/** One try to write a batch. */
export class Attempt {
  readonly hot: HotEvent
  readonly answers: LaneAnswer[] = []
  changes: readonly Change[] = []
  firstCommand: CommandId | null = null
  /** The first answer that was stored under its key. */
  firstKept: KeptAnswer | null = null
  seqBefore = 0
  now = 0
  lockedAt = 0
  decidedAt = 0

  constructor(hot: HotEvent) {
    this.hot = hot
  }
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
  attempt: Attempt | null,
  oldestWaitedMs: number,
  started: number,
): Omit<BatchFigures, 'outcome'> {
  const ended = performance.now()
  return {
    commands: batch.length,
    changes: attempt?.changes.length ?? 0,
    oldestWaitedMs,
    lockMs: (attempt?.lockedAt || ended) - started,
    commitMs: attempt?.decidedAt ? ended - attempt.decidedAt : 0,
  }
}
