import { Refused } from '@voelgoed/client'

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000

/**
 * Tries until it works, or is refused for good: while the server is away, the page waits for it and comes
 * back by itself. A server that says how long to wait is given that time.
 * `onTrouble` hears of every failed attempt.
 */
export async function keepTrying<T>(
  work: () => Promise<T>,
  { signal, onTrouble }: { signal: AbortSignal; onTrouble(): void },
): Promise<T> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LONGEST_WAIT_MS, wait * 2)) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof Refused && error.status < 500 && error.status !== 429) throw error
      onTrouble()
      const asked = error instanceof Refused ? (error.retryAfter ?? 0) * 1000 : 0
      await untilWorthTrying(asked + wait * (0.5 + Math.random() / 2), signal)
      signal.throwIfAborted()
    }
  }
}

/** A while, or the moment at which the browser says that the network is back; no time after an abort. */
export function untilWorthTrying(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise(resolve => {
    const end = () => {
      clearTimeout(timer)
      window.removeEventListener('online', end)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    window.addEventListener('online', end)
    signal.addEventListener('abort', end)
  })
}
