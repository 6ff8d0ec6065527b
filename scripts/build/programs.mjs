/**
 * Bundles programs with their libraries: a process loads a few files, in half a second of processor time, and
 * needs no compiler. SQL and Lua are in the bundles as text. What is here is run as it is: by users, tests
 * and lab.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { hashSources, ROOT } from './sources.mjs'

/** Each group goes into a folder of its own in dist/. A deployment needs the first one. */
const GROUPS = {
  server: {
    programs: {
      main: 'server/main.ts',
      thread: 'server/thread.ts',
      journal: 'server/commands/journal/main.ts',
      'new-epochs': 'server/commands/new-epochs.ts',
      'root-key': 'server/commands/new-root-key.ts',
      verify: 'server/modules/operations/verify/main.ts',
      'verify-child': 'server/modules/operations/verify/child.ts',
    },
    sources: ['core', 'contract', 'kit', 'engine', 'server'],
  },
  lab: {
    programs: {
      bench: 'lab/bench.ts',
      'bench-baselines': 'lab/bench/baselines/main.ts',
      'bench-in-process': 'lab/bench/inside/in-process.ts',
      'bench-load': 'lab/bench/load/main.ts',
      'bench-ping': 'lab/bench/ping.ts',
      'bench-postgres': 'lab/bench/inside/postgres.ts',
      'check-wording': 'scripts/check-wording.ts',
      'console-times': 'web/test/console-times.ts',
      faults: 'lab/faults.ts',
      hostile: 'lab/hostile.ts',
      'lab-node': 'lab/bench/inside/node.ts',
      'lab-postgres': 'lab/bench/inside/start-postgres.ts',
      'measure-pdf': 'lab/bench/inside/measure-pdf.ts',
      'page-figures': 'web/test/page-figures.ts',
      rolling: 'lab/rolling.ts',
      screenshots: 'web/test/screenshots.ts',
      simulate: 'lab/simulate/main.ts',
      'simulate-worker': 'lab/simulate/worker.ts',
      'test-postgres': 'kit/postgres/embedded/start-in-child.fixture.ts',
      'test-redis': 'testing/redis/hold-server.ts',
      'two-seats': 'client/examples/two-seats.ts',
      'write-docs': 'scripts/write-docs.ts',
      yardsticks: 'lab/simulate/write-yardsticks.ts',
    },
    sources: [
      'core',
      'contract',
      'kit',
      'engine',
      'server',
      'client',
      'testing',
      'lab',
      'scripts',
      'web/test',
    ],
  },
}
const BUILT_BY = ['package.json', 'package-lock.json', 'scripts/build']
const NOT_SOURCES = /^node_modules$|\.test\.ts$|\.md$/
/** They are programs of the machine, read files that lie beside their own, or are tools of developers. */
const NOT_BUNDLED = [
  ...['@node-rs/argon2', 'sharp', 'pdfkit', 'fontkit', 'pg-native'],
  ...['esbuild', 'oidc-provider', 'playwright-core', 'typescript', 'vite'],
]
/** Modules of CommonJS expect these names. */
const COMMON_JS = `import { createRequire as requireFor } from 'node:module'
const require = requireFor(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname
`
/** A process that runs may load parts of an earlier build for so long. */
const KEPT_MS = 24 * 3_600_000

/**
 * @param {string} name `main`
 * @param {string} root the repository, or a copy that `buildChanged` made
 */
export function programArguments(name, root = ROOT) {
  return ['--enable-source-maps', join(root, 'dist', groupOf(name), `${name}.js`)]
}

/** @param {string} name */
export function groupOf(name) {
  const group = Object.keys(GROUPS).find(one => name in GROUPS[one].programs)
  if (group === undefined) throw new Error(`there is no program ${name}`)
  return group
}

/** Builds a group unless what is there was built from the same sources. */
export async function buildIfNeeded(group) {
  const stamp = join(ROOT, 'dist', group, 'sources.sha256')
  const hash = hashSources([...GROUPS[group].sources, ...BUILT_BY], NOT_SOURCES)
  if (hash === null || (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash)) return
  await build(group)
}

export async function build(group) {
  const hash = hashSources([...GROUPS[group].sources, ...BUILT_BY], NOT_SOURCES)
  const fresh = join(ROOT, 'dist', `${group}-${process.pid}`)
  try {
    await bundle(group, fresh)
    writeFileSync(join(fresh, 'sources.sha256'), hash)
    moveIn(fresh, join(ROOT, 'dist', group))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/**
 * Builds all programs into another folder, from sources of which some are others.
 *
 * @param {string} root where dist/ is made
 * @param {ReadonlyMap<string, string>} changed the text of a file by its path in the repository
 */
export async function buildChanged(root, changed) {
  await Promise.all(Object.keys(GROUPS).map(group => bundle(group, join(root, 'dist', group), changed)))
}

async function bundle(group, outdir, changed = new Map()) {
  const { build: run } = await import('esbuild')
  const ownTexts = {
    name: 'own-texts',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /\?raw$/ }, ({ path, resolveDir }) => ({
        path: join(resolveDir, path.replace(/\?raw$/, '')),
        namespace: 'text',
      }))
      onLoad({ filter: /./, namespace: 'text' }, ({ path }) => ({
        contents: changed.get(relative(ROOT, path)) ?? readFileSync(path, 'utf8'),
        loader: 'text',
      }))
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        const contents = changed.get(relative(ROOT, path))
        return contents === undefined ? null : { contents, loader: 'ts' }
      })
    },
  }
  const { programs } = GROUPS[group]
  await run({
    entryPoints: Object.entries(programs).map(([out, path]) => ({ in: join(ROOT, path), out })),
    outdir,
    external: NOT_BUNDLED,
    banner: { js: COMMON_JS },
    plugins: [ownTexts],
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
    // One folder without folders in it: from every file, ROOT is as far as from the sources that ask for it.
    chunkNames: 'part-[hash]',
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20' },
  })
}

/**
 * Two processes may build at once, others may start programs meanwhile: parts have the hash of their content
 * as a name, come first, and stay for a while; each program replaces its former one at once.
 */
function moveIn(fresh, folder) {
  mkdirSync(folder, { recursive: true })
  const names = readdirSync(fresh)
  const isPart = name => name.startsWith('part-')
  const isStamp = name => name === 'sources.sha256'
  const order = name => (isPart(name) ? 0 : isStamp(name) ? 2 : 1)
  for (const name of names.sort((a, b) => order(a) - order(b)))
    renameSync(join(fresh, name), join(folder, name))
  const kept = new Set(names)
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (kept.has(name)) continue
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() }
    if (Date.now() - mtimeMs > KEPT_MS) rmSync(path, { force: true })
  }
}
