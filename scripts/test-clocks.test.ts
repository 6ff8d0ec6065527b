import { expect, it } from 'vitest'
import { clockFaults, staleExceptions } from './test-clocks.ts'

const faults = (text: string, path = 'engine/lane/lane.test.ts') =>
  clockFaults(path, text).map(({ line, fault }) => `${line}: ${fault}`)

it.each([
  'await new Promise(resolve => setTimeout(resolve, 20))',
  "import { setTimeout as delay } from 'node:timers/promises'",
])('a test does not sleep: %s', text => {
  expect(faults(text)).toEqual([expect.stringMatching(/^1: a test does not sleep: wait for a fact/)])
})

it.each(['const began = performance.now()', 'until: Date.now() + 1_000'])(
  'a test does not read the wall clock: %s',
  text => {
    expect(faults(`\n${text}`)).toEqual([expect.stringMatching(/^2: a test does not read the wall clock/)])
  },
)

it.each([
  "server.listen(3_000, '127.0.0.1')",
  'server.listen({ host, port: 3000 })',
  "startProcess({ PORT: '3100' })",
  "fetch('http://127.0.0.1:3000/readyz')",
  "connect('redis://localhost:6379')",
])('a test takes the port that it is given: %s', text => {
  expect(faults(text)).toEqual(['1: the system gives ports: listen on 0 and read it back'])
})

it.each([
  "vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })",
  "vi.spyOn(performance, 'now')",
  'context.setDefaultTimeout(WITHIN_MS)',
  'server.clock.now()',
  "server.listen(0, '127.0.0.1')",
  "startProcess({ PORT: '0' })",
  "REDIS_URL: 'redis://127.0.0.1:1'",
  `connect(port, '127.0.0.1')`,
])('takes %s', text => {
  expect(faults(text)).toEqual([])
})

it('looks at tests and what they stand on, and at nothing else', () => {
  const sleeps = 'setTimeout(resolve, 20)'
  for (const path of ['testing/a.ts', 'web/test/topics/a.ts', 'server/test/a.ts', 'kit/a.fixture.ts']) {
    expect(faults(sleeps, path)).toHaveLength(1)
  }
  for (const path of ['kit/base/time.ts', 'lab/crowd/ask.ts', 'web/test/page-figures.ts']) {
    expect(faults(sleeps, path)).toEqual([])
  }
})

it('an exception is for just so many lines: it may be lowered, and must be', () => {
  const exceptions = { 'testing/a.ts': [2, 'it is slow by real time'] as const }
  const lines = (count: number) =>
    clockFaults('testing/a.ts', 'setTimeout(go, 1)\n'.repeat(count), exceptions)
  expect(lines(2)).toEqual([])
  expect(lines(3)).toHaveLength(3)
  expect(lines(1)).toEqual([{ line: 0, fault: 'only 1 lines need the exception for 2: lower it' }])
})

it('a file that is gone has no exception', () => {
  expect(staleExceptions(new Set())).toContain('testing/wait-until.ts')
  expect(staleExceptions(new Set(['testing/wait-until.ts']))).not.toContain('testing/wait-until.ts')
})
