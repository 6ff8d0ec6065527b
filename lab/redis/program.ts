import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A redis-server that can be run here, and what it needs in its environment. */
export interface RedisProgram {
  readonly path: string
  readonly env: Readonly<Record<string, string>>
}

export const NO_REDIS =
  'There is no Redis here: set VOELGOED_REDIS_SERVER to the path of a redis-server (7.0 or later), or install it. ' +
  'On Debian and Ubuntu its packages are fetched without being installed, if apt-get can download.'

/** In node_modules: it goes with the installation that it belongs to, and no tool looks at it. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/voelgoed-redis', import.meta.url))
const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1']
const FETCH_MS = 120_000
const run = promisify(execFile)

/**
 * The program that the environment names, else the one on the PATH, else Debian's packages, unpacked into a
 * cache folder. Null: there is none. `mayFetch: false` downloads nothing.
 */
export async function findRedis({ mayFetch }: { mayFetch: boolean }): Promise<RedisProgram | null> {
  const named = process.env.VOELGOED_REDIS_SERVER
  if (named) {
    if (await isThere(named)) return { path: named, env: {} }
    throw new Error(`VOELGOED_REDIS_SERVER: there is no program ${named}`)
  }
  return (await onPath()) ?? (await unpackedIn(CACHE)) ?? (mayFetch ? await fetch() : null)
}

async function onPath(): Promise<RedisProgram | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'redis-server')
    if (folder !== '' && (await isThere(path))) return { path, env: {} }
  }
  return null
}

/** Its libraries are where the processor's architecture says: whatever folders there are will do. */
async function unpackedIn(folder: string): Promise<RedisProgram | null> {
  const path = join(folder, 'usr', 'bin', 'redis-server')
  if (!(await isThere(path))) return null
  const root = join(folder, 'usr', 'lib')
  const libraries = (await readdir(root)).map(name => join(root, name))
  return { path, env: { LD_LIBRARY_PATH: [...libraries, process.env.LD_LIBRARY_PATH ?? ''].join(delimiter) } }
}

/** Several processes may do it at once: each unpacks into a folder of its own, and the first one's stays. */
async function fetch(): Promise<RedisProgram | null> {
  const parent = join(CACHE, '..')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'voelgoed-redis-'))
  try {
    await run('apt-get', ['download', ...PACKAGES], { cwd: folder, timeout: FETCH_MS })
    for (const file of await readdir(folder)) {
      if (!file.endsWith('.deb')) continue
      await run('dpkg', ['-x', file, '.'], { cwd: folder, timeout: FETCH_MS })
      await rm(join(folder, file))
    }
    await rename(folder, CACHE).catch(() => {})
  } catch {
    // No apt-get, no dpkg, or no network.
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return unpackedIn(CACHE)
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
