import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { compileModule } from 'svelte/compiler'
import { defineConfig, type Plugin } from 'vitest/config'
import { compiledFolder, startBundles } from './scripts/compiled.ts'
import LongestFirst from './scripts/longest-first.ts'

const ROOT = fileURLToPath(new URL('.', import.meta.url))

/**
 * Threads and processes that the server under test starts come from what was compiled: each would load tsx
 * for itself, which takes longer than what it is there for.
 */
const compiledThreads: Plugin = {
  name: 'compiled-threads',
  transform(code, id) {
    const folder = compiledFolder()
    if (folder === null || !id.startsWith(`${ROOT}server/src/`)) return null
    return startBundles(code, id.slice(ROOT.length), folder)
  },
}

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
  plugins: [compiledThreads, compiledRunes],
  resolve: { alias: { '@node-rs/argon2': `${ROOT}server/test/kit/argon2.ts` } },
  test: {
    globalSetup: [
      'scripts/memory-folder.global.ts',
      'scripts/compiled.global.ts',
      'server/test/kit/postgres.global.ts',
      'web/test/chromium.global.ts',
    ],
    include: ['{core,client,server,web,lab,scripts}/**/*.test.ts'],
    // What never happens fails; a machine with other work may take its time.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 20_000 } },
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
