import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, transform } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache')
const COMPILED = ['core', 'client', 'server', 'lab']
const LEFT_OUT = /^(node_modules|test)$|\.test\.ts$/
const FOLDER = 'TESTS_COMPILED_FOLDER'
const BUNDLES = 'bundles'
/** What is started as a process or as a thread. What is missing here starts too, only later. */
const STARTED = [
  'server/src/main.ts',
  'server/src/new-epochs.ts',
  'server/src/new-root-key.ts',
  'server/src/journal/main.ts',
  'server/src/verify/main.ts',
  'server/src/verify/child.mjs',
  'server/src/availability/encode-worker.mjs',
  'server/src/http/large-body-worker.mjs',
  'server/src/images/image-worker.mjs',
  'server/src/layouts/compile-worker.mjs',
  'server/src/layouts/hall-worker.mjs',
  'server/src/layouts/map-worker.mjs',
  'server/src/tickets/pdf-worker.mjs',
  'lab/baselines/main.ts',
  'lab/bench/load/main.ts',
  'lab/bench/ping.ts',
  'lab/inside/bench/in-process.ts',
  'lab/inside/bench/postgres.ts',
  'lab/inside/node.ts',
  'lab/inside/postgres.ts',
]
/** They are programs of the machine, or read files that lie beside their own. */
const NOT_BUNDLED = ['@node-rs/argon2', 'sharp', 'pdfkit', 'fontkit', 'pg-native', 'esbuild']
const THREAD = /new URL\((['"])(\.[^'"]+\.mjs)\1, import\.meta\.url\)/g
/** What modules of CommonJS expect to be there. */
const COMMON_JS = `import { createRequire as requireFor } from 'node:module'
const require = requireFor(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname
`

/**
 * A compiled copy of our packages, for the processes and threads that tests start, and a bundle of each of
 * them with its libraries: tsx takes 3 s of processor time to load the server, plain Node 1.2 s to load the
 * 1,000 files of the copy, and 0.4 s the bundle; a run of all tests starts some 150 processes.
 * What `npm start` itself does with tsx is tested as it is (server/test/start.test.ts).
 */
export async function compileForProcesses(): Promise<() => Promise<void>> {
  const folder = await newFolder()
  await Promise.all(COMPILED.map(name => compileFolder(join(ROOT, name), join(folder, name))))
  await bundleStarted(folder)
  process.env[FOLDER] = folder
  return () => rm(folder, { recursive: true, force: true })
}

/** Another such copy, in which some files are others: `changed` has their text by their path. */
export async function compileChanged(changed: ReadonlyMap<string, string>): Promise<string> {
  const from = compiledFolder()
  if (from === null) throw new Error('there is no compiled copy to begin with')
  const folder = await newFolder()
  await Promise.all(COMPILED.map(name => cp(join(from, name), join(folder, name), { recursive: true })))
  for (const [path, text] of changed) await compileText(path, text, join(folder, named(path)))
  await bundleStarted(folder)
  return folder
}

/** Each with all that it loads, in few files. Other files than modules are where they were: in the copy. */
async function bundleStarted(folder: string): Promise<void> {
  const ownFiles: Plugin = {
    name: 'own-files',
    setup({ onLoad }) {
      onLoad({ filter: /\.m?js$/ }, async ({ path }) => {
        const own = relative(folder, path)
        if (!COMPILED.some(name => own.startsWith(`${name}/`))) return null
        const text = startBundles(await readFile(path, 'utf8'), own, folder)
        return {
          contents: text.replaceAll('import.meta.url', JSON.stringify(`file://${path}`)),
          loader: 'js',
        }
      })
    },
  }
  await build({
    entryPoints: STARTED.map(path => ({ in: join(folder, named(path)), out: withoutEnding(path) })),
    outdir: join(folder, BUNDLES),
    external: NOT_BUNDLED,
    banner: { js: COMMON_JS },
    plugins: [ownFiles],
    sourcemap: 'linked',
    sourcesContent: false,
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20' },
  })
}

/** The text of a module of ours, `server/src/…`, such that it starts threads and processes from bundles. */
export function startBundles(text: string, path: string, folder: string): string {
  return text.replace(THREAD, (all, _, thread: string) => {
    const started = join(dirname(path), thread)
    if (!STARTED.includes(started)) return all
    return `new URL(${JSON.stringify(`file://${bundleOf(folder, started)}`)})`
  })
}

function bundleOf(folder: string, path: string): string {
  return join(folder, BUNDLES, `${withoutEnding(path)}.js`)
}

function withoutEnding(path: string): string {
  return path.replace(/\.(ts|mjs)$/, '')
}

async function newFolder(): Promise<string> {
  await mkdir(CACHE, { recursive: true })
  // As modules are told where they are, also where node_modules is a link.
  const folder = await realpath(await mkdtemp(join(CACHE, 'voelgoed-compiled-')))
  await symlink(join(ROOT, 'web'), join(folder, 'web'))
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
  await mkdir(join(folder, 'node_modules/@voelgoed'), { recursive: true })
  for (const name of COMPILED) await symlink(join(folder, name), join(folder, 'node_modules/@voelgoed', name))
  return folder
}

/** What Node needs to run a program of ours, `server/src/main.ts`: the compiled one where there is one. */
export function programArguments(path: string): string[] {
  const folder = compiledFolder()
  return folder === null ? ['--import', 'tsx', path] : programArgumentsIn(folder, path)
}

/** The same of a copy of the repository, compiled or not. */
export function programArgumentsIn(root: string, path: string): string[] {
  const compiled = [bundleOf(root, path), join(root, named(path))].find(file => existsSync(file))
  return compiled === undefined ? ['--import', 'tsx', path] : ['--enable-source-maps', compiled]
}

/** Where tests have compiled everything; null outside of tests. */
export function compiledFolder(): string | null {
  return process.env[FOLDER] ?? null
}

async function compileFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  const entries = await readdir(from, { withFileTypes: true })
  await Promise.all(
    entries
      .filter(({ name }) => !LEFT_OUT.test(name))
      .map(async entry => {
        const source = join(from, entry.name)
        const target = join(to, named(entry.name))
        if (entry.isDirectory()) await compileFolder(source, target)
        else await compileFile(source, target)
      }),
  )
}

async function compileFile(source: string, target: string): Promise<void> {
  if (source.endsWith('.ts')) {
    await compileText(source, await readFile(source, 'utf8'), target)
  } else if (source.endsWith('.mjs')) {
    // They register tsx for the module behind them, which needs none here.
    await writeFile(target, renamed(withoutTsx(await readFile(source, 'utf8'))))
  } else if (basename(source) === 'package.json') {
    await writeFile(target, renamed(await readFile(source, 'utf8')))
  } else {
    await mkdir(dirname(target), { recursive: true })
    await cp(source, target)
  }
}

async function compileText(path: string, text: string, target: string): Promise<void> {
  if (!path.endsWith('.ts')) return writeFile(target, text)
  const options = {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    keepNames: true,
    sourcemap: 'inline',
  } as const
  const { code } = await transform(text, { ...options, sourcefile: path, sourcesContent: false })
  await writeFile(target, renamed(code))
}

function named(path: string): string {
  return path.replace(/\.ts$/, '.js')
}

/** Every `'./file.ts'` in it, imported or meant as a URL. */
function renamed(text: string): string {
  return text.replace(/(['"])(\.\.?\/[^'"\n]*)\.ts\1/g, '$1$2.js$1')
}

function withoutTsx(text: string): string {
  return text.replace(/^import \{ register \} from 'tsx\/esm\/api'$/m, '').replace(/^register\(\)$/m, '')
}
