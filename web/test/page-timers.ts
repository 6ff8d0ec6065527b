import { WITHIN_MS } from '@voelgoed/testing/wait-until'

/** A timer of a page runs after as long as every other wait of tests, or not at all. */
export type Instead = 'patient' | 'never'

/**
 * Returns a script for a document that is not there yet: timers of these lengths, in milliseconds, do
 * otherwise than in production. A slow machine must not end a wait of the page before a test has come to it.
 */
export function slowTimers(instead: Readonly<Record<number, Instead>>): string {
  return `{
    const [instead, { setTimeout }] = [${JSON.stringify(instead)}, window]
    window.setTimeout = (work, ms, ...more) =>
      instead[ms] === 'never' ? 0 : setTimeout(work, instead[ms] === 'patient' ? ${WITHIN_MS} : ms, ...more)
  }`
}
