import { setTimeout as pause } from 'node:timers/promises'
import { WITHIN_MS } from '@voelgoed/testing/wait-until'
import type { Outcome, Wire, WireRequest } from './wire.ts'

/**
 * Sends a request, and again for as long as the server says that it has no time for it now, as it asks every
 * caller to. What an attack has broken stays broken, and that answer is the one that counts; a machine that
 * has no time for Postgres breaks nothing.
 */
export async function askInTime(
  wire: Pick<Wire, 'exchange'>,
  request: WireRequest,
  isTaken: (outcome: Outcome) => boolean = () => false,
): Promise<Outcome> {
  const until = performance.now() + WITHIN_MS
  for (;;) {
    const outcome = await wire.exchange(request)
    const againInMs = isTaken(outcome) ? null : retryAfterMs(outcome)
    if (againInMs === null || performance.now() > until) return outcome
    await pause(againInMs)
  }
}

/** Null: there is no answer by which the same request may be sent again. */
function retryAfterMs({ answers }: Outcome): number | null {
  const busy = answers.find(({ status, headers }) => status === 503 && headers.has('retry-after'))
  return busy ? 1_000 * Number(busy.headers.get('retry-after')) : null
}
