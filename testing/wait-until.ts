import { setTimeout as delay } from 'node:timers/promises'

/** All waits of tests have this bound: a slow machine makes a test slower, never red. */
export const WITHIN_MS = 120_000
/** For servers of tests that are not about a Postgres out of reach. */
export const PATIENT = { VOELGOED_CONNECT_SECONDS: String(WITHIN_MS / 1_000) }
const LOOK_EVERY_MS = 5

/** Looks again and again until it is so. */
export async function waitUntil<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
): Promise<T> {
  const until = performance.now() + WITHIN_MS
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > until) throw new Error(`not within ${WITHIN_MS} ms: ${what}`)
    await delay(LOOK_EVERY_MS)
  }
}
