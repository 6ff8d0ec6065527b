import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ROOT } from '@voelgoed/kit/base/root'

/** A program of others that can be run here, and what it needs in its environment. */
export interface Program {
  readonly path: string
  readonly env: Readonly<Record<string, string>>
}

export interface ProgramSource {
  readonly name: string
  /** The variable that may hold its path. */
  readonly variable: string
  /** Debian's, with libraries that few machines have; and where the program lies in them. */
  readonly packages: readonly string[]
  readonly folder: 'bin' | 'sbin'
}

/** In node_modules: it goes with the installation that it belongs to, and no tool looks at it. */
const CACHE = fileURLToPath(new URL('node_modules/.cache', ROOT))
const FETCH_MS = 120_000
const run = promisify(execFile)

/**
 * The program that the environment names, else the one on the PATH, else Debian's packages, unpacked into a
 * cache folder. Null: there is none. `mayFetch: false` downloads nothing.
 */
export async function findProgram(
  source: ProgramSource,
  { mayFetch }: { mayFetch: boolean },
): Promise<Program | null> {
  const named = process.env[source.variable]
  if (named) {
    if (await isThere(named)) return { path: named, env: {} }
    throw new Error(`${source.variable}: there is no program ${named}`)
  }
  return (await onPath(source)) ?? (await unpacked(source)) ?? (mayFetch ? await fetch(source) : null)
}

async function onPath({ name }: ProgramSource): Promise<Program | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    if (folder !== '' && (await isThere(path))) return { path, env: {} }
  }
  return null
}

function placeOf({ name }: ProgramSource): string {
  return join(CACHE, `voelgoed-${name}`)
}

/** Its libraries are where the processor's architecture says: whatever folders there are will do. */
async function unpacked(source: ProgramSource): Promise<Program | null> {
  const place = placeOf(source)
  const path = join(place, 'usr', source.folder, source.name)
  if (!(await isThere(path))) return null
  const root = join(place, 'usr', 'lib')
  const libraries = (await readdir(root)).map(name => join(root, name))
  return { path, env: { LD_LIBRARY_PATH: [...libraries, process.env.LD_LIBRARY_PATH ?? ''].join(delimiter) } }
}

/** Several processes may do it at once: each unpacks into a folder of its own, and the first one's stays. */
async function fetch(source: ProgramSource): Promise<Program | null> {
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(`${placeOf(source)}-`)
  try {
    await run('apt-get', ['download', ...source.packages], { cwd: folder, timeout: FETCH_MS })
    for (const file of await readdir(folder)) {
      if (!file.endsWith('.deb')) continue
      await run('dpkg', ['-x', file, '.'], { cwd: folder, timeout: FETCH_MS })
      await rm(join(folder, file))
    }
    await rename(folder, placeOf(source)).catch(() => {})
  } catch {
    // No apt-get, no dpkg, or no network.
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return unpacked(source)
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
