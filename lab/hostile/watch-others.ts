import { setTimeout as delay } from 'node:timers/promises'

/**
 * Asks again and again as an honest caller, and returns how long each answer took, in milliseconds. A caller
 * that fails still has waited; that the server is gone is noticed elsewhere.
 */
export async function watchOthers(
  ask: () => Promise<unknown>,
  isDone: () => boolean,
  pauseMs = 20,
): Promise<number[]> {
  const waits: number[] = []
  while (!isDone()) {
    const startedAt = performance.now()
    await ask().catch(() => null)
    waits.push(performance.now() - startedAt)
    await delay(pauseMs)
  }
  return waits
}
