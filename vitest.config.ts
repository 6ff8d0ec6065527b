import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: ['server/test/kit/postgres.global.ts', 'web/test/chromium.global.ts'],
    include: ['{core,client,server,web,lab,scripts}/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Much of the time goes into waiting for Postgres and for processes: two at once also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    reporters: ['default', './scripts/count-reporter.ts'],
  },
})
