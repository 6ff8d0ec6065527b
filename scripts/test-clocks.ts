/**
 * Keeps tests away from the wall clock and from ports of their own choice, so that a slow machine makes them
 * slower, never red. `scripts/check-wording.ts` runs it over the repository.
 */

const TESTS = /\.(?:test|fixture)\.ts$|^(?:server|web)\/test\/|^testing\//
/** These measure a page in real time, or draw it, when a person asks for it: they are no tests. */
const COMMANDS = /^web\/test\/(?:pictures\/|page-figures|console-times|screenshots)/

const WAITS = 'wait for a fact (`waitUntil`), or hold the time in hand'
const RULES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/(?<![\w$])setTimeout\(|['"](?:node:)?timers\/promises['"]/, `a test does not sleep: ${WAITS}`],
  [/(?<![\w$])(?:Date|performance)\.now\(/, 'a test does not read the wall clock: use that of its server'],
  // On port 1 nothing listens, and tests of what is out of reach ask for it.
  [
    /\.listen\(\s*(?:\{[^}]*port:\s*)?[1-9]|\bPORT: '[1-9]|(?:\blocalhost|\b127\.0\.0\.1|\[::1\]):(?!1\b)[1-9]/,
    'the system gives ports: listen on 0 and read it back',
  ],
]

/** So many lines of a file may. The numbers only fall. */
const EXCEPTIONS: Readonly<Record<string, readonly [lines: number, why: string]>> = {
  'testing/wait-until.ts': [3, 'it is the one wait, and has the one bound'],
  'testing/postgres-proxy.ts': [2, 'a slow line is late by real time, and a cut comes after what it cuts'],
  'testing/redis/proxy.ts': [1, 'a slow line is late by real time'],
  'testing/unguarded.ts': [1, 'a batch that no other joins goes on'],
  'web/test/page-timers.ts': [1, 'it gives timers of a page more time, or takes them away'],
  'server/config.test.ts': [4, 'it reads addresses and opens none'],
  'server/modules/payments/fake-bank/bank-step.test.ts': [1, 'a form names where it came from'],
  'server/modules/sign-in/identity-provider.test.ts': [1, 'the address is refused before it is asked'],
  'server/test/first-event.test.ts': [2, 'the documents name the standard port'],
  'server/test/other-sites.test.ts': [1, 'an organizer names the sites that may embed'],
}

/** Returns the lines, from 1, of a test that break a rule, and what to do instead. */
export function clockFaults(
  path: string,
  text: string,
  exceptions = EXCEPTIONS,
): { line: number; fault: string }[] {
  if (!TESTS.test(path) || COMMANDS.test(path)) return []
  const faults = text.split('\n').flatMap((content, index) => {
    const broken = RULES.find(([pattern]) => pattern.test(content))
    return broken ? [{ line: index + 1, fault: broken[1] }] : []
  })
  const [allowed] = exceptions[path] ?? [0]
  if (faults.length === allowed) return []
  if (faults.length > allowed) return faults
  return [{ line: 0, fault: `only ${faults.length} lines need the exception for ${allowed}: lower it` }]
}

/** Returns files that have an exception and are there no more. */
export function staleExceptions(paths: ReadonlySet<string>): string[] {
  return Object.keys(EXCEPTIONS).filter(path => !paths.has(path))
}
