import { isSystemError } from './system-error.ts'

export interface StoppablePostmaster {
  signal(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void
  endsWithin(ms: number): Promise<boolean>
}

/**
 * SIGINT is Postgres's fast shutdown: it ends sessions, rolls back what is open and writes a checkpoint.
 * SIGQUIT gives up on the checkpoint, for which the next start pays with a recovery; nothing committed is
 * lost. After five seconds Postgres then kills what is left of its children itself.
 */
const STEPS = [
  { signal: 'SIGINT', patienceMs: 30_000 },
  { signal: 'SIGQUIT', patienceMs: 10_000 },
  { signal: 'SIGKILL', patienceMs: 5_000 },
] as const

/** False: it can't be stopped, not even so. */
export async function stopPostmaster(
  postmaster: StoppablePostmaster,
  steps: readonly { signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'; patienceMs: number }[] = STEPS,
): Promise<boolean> {
  for (const { signal, patienceMs } of steps) {
    try {
      postmaster.signal(signal)
    } catch (error) {
      if (!isSystemError(error, 'ESRCH')) throw error // it ended by itself meanwhile
    }
    if (await postmaster.endsWithin(patienceMs)) return true
  }
  return false
}
