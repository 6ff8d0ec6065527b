import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { compileModule } from 'svelte/compiler'
import { defineConfig, type Plugin } from 'vitest/config'
import LongestFirst from './scripts/longest-first.ts'
import { WITHIN_MS } from './testing/wait-until.ts'

const ROOT = fileURLToPath(new URL('.', import.meta.url))

/** Modules with runes, as the browser has them: tests can make what is in them without a browser. */
const compiledRunes: Plugin = {
  name: 'compiled-runes',
  transform(code, id) {
    if (!id.endsWith('.svelte.ts')) return null
    const { js } = compileModule(code, { filename: id, generate: 'client' })
    return { code: js.code, map: js.map }
  },
}

export default defineConfig({
  plugins: [compiledRunes],
  resolve: { alias: { '@node-rs/argon2': `${ROOT}testing/argon2.ts` } },
  test: {
    globalSetup: [
      'scripts/memory-folder.global.ts',
      'scripts/programs.global.ts',
      'testing/postgres.global.ts',
      'web/test/chromium.global.ts',
    ],
    include: ['{core,contract,kit,engine,client,server,testing,web,lab,scripts}/**/*.test.ts'],
    // A wait whose fact never comes fails by its own bound, which is below these.
    testTimeout: 5 * WITHIN_MS,
    hookTimeout: 5 * WITHIN_MS,
    expect: { poll: { timeout: WITHIN_MS, interval: 5 } },
    pool: 'forks',
    // Files share a process and what it has loaded: to load the server takes longer than most files do.
    isolate: false,
    restoreMocks: true,
    // Much of the time goes into waiting for Postgres and for processes: two at once also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './scripts/count-reporter.ts'],
  },
})
