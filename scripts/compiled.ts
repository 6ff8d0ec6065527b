import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, transform } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CACHE = join(ROOT, 'node_modules/.cache')
const COMPILED = ['core', 'client', 'server', 'lab']
const TYPEBOX = 'node_modules/typebox'
const LEFT_OUT = /^(node_modules|test)$|\.test\.ts$/
const FOLDER = 'TESTS_COMPILED_FOLDER'

/**
 * A compiled copy of our packages, for the processes that tests start: tsx takes 3 s of processor time to
 * load the server, plain Node 1 s to load the copy, and a run of all tests starts some 150 processes.
 * What `npm start` itself does with tsx is tested as it is (server/test/start.test.ts).
 */
export async function compileForProcesses(): Promise<() => Promise<void>> {
  const folder = await newFolder()
  await Promise.all([
    bundleTypebox(join(folder, TYPEBOX)),
    ...COMPILED.map(name => compileFolder(join(ROOT, name), join(folder, name))),
  ])
  process.env[FOLDER] = folder
  return () => rm(folder, { recursive: true, force: true })
}

/** Another such copy, in which some files are others: `changed` has their text by their path. */
export async function compileChanged(changed: ReadonlyMap<string, string>): Promise<string> {
  const from = compiledFolder()
  if (from === null) throw new Error('there is no compiled copy to begin with')
  const folder = await newFolder()
  await symlink(join(from, TYPEBOX), join(folder, TYPEBOX))
  await Promise.all(COMPILED.map(name => cp(join(from, name), join(folder, name), { recursive: true })))
  for (const [path, text] of changed) await compileText(path, text, join(folder, named(path)))
  return folder
}

/** Its 700 small files as a few: to load them took half of the time in which a process starts. */
async function bundleTypebox(to: string): Promise<void> {
  const own = join(ROOT, TYPEBOX)
  const { exports } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))
  const files = Object.entries(exports as Record<string, { import: string }>).map(([path, file]) => {
    return { path, file: join(own, file.import), name: path === '.' ? 'index' : basename(path) }
  })
  await build({
    entryPoints: Object.fromEntries(files.map(({ name, file }) => [name, file])),
    outdir: to,
    outExtension: { '.js': '.mjs' },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'node20' },
  })
  const bundled = Object.fromEntries(files.map(({ path, name }) => [path, `./${name}.mjs`]))
  await writeFile(join(to, 'package.json'), JSON.stringify({ name: 'typebox', exports: bundled }))
}

async function newFolder(): Promise<string> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(CACHE, 'voelgoed-compiled-'))
  await symlink(join(ROOT, 'web'), join(folder, 'web'))
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
  await mkdir(join(folder, 'node_modules/@voelgoed'), { recursive: true })
  for (const name of COMPILED) await symlink(join(folder, name), join(folder, 'node_modules/@voelgoed', name))
  return folder
}

/** What Node needs to run a program of ours, `server/src/main.ts`: the compiled one where there is one. */
export function programArguments(path: string): string[] {
  const folder = compiledFolder()
  return folder === null ? ['--import', 'tsx', path] : [join(folder, named(path))]
}

/** The same of a copy of the repository, compiled or not. */
export function programArgumentsIn(root: string, path: string): string[] {
  const compiled = join(root, named(path))
  return existsSync(compiled) ? [compiled] : ['--import', 'tsx', path]
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
  const options = { loader: 'ts', format: 'esm', target: 'node20', keepNames: true } as const
  const { code } = await transform(text, { ...options, sourcefile: path })
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
