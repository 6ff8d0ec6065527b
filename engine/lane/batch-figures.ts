import type { Round } from '../round/round.ts'

/** A batch reports this of itself. */
export interface BatchFigures {
  readonly commands: number
  readonly changes: number
  readonly oldestWaitedMs: number
  readonly lockMs: number
  readonly commitMs: number
  readonly outcome: 'written' | 'nothing to write' | 'failed'
}

/** `round`: null when there was none, because the event could not be loaded or must be loaded again. */
export function figuresOf(
  round: Round | null,
  { commands, oldestWaitedMs }: Pick<BatchFigures, 'commands' | 'oldestWaitedMs'>,
  { started, ended }: { readonly started: number; readonly ended: number },
): Omit<BatchFigures, 'outcome'> {
  return {
    commands,
    changes: round?.changes.length ?? 0,
    oldestWaitedMs,
    lockMs: (round?.lockedAt || ended) - started,
    commitMs: round?.decidedAt ? ended - round.decidedAt : 0,
  }
}
