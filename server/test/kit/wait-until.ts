import { setTimeout as delay } from 'node:timers/promises'

/** Looks again and again until it is so; fails with the last look if it is not within the bound. */
export async function waitUntil<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  withinMs = 15_000,
): Promise<T> {
  const until = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > until) throw new Error(`not within ${withinMs} ms: ${what}`)
    await delay(5)
  }
}
