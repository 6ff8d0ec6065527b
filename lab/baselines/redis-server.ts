import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { RedisClient } from './redis-client.ts'

export interface Redis {
  readonly url: string
  readonly version: string
  stop(): Promise<void>
}

export const NO_REDIS =
  'There is no Redis here to compare with: set REDIS_URL, or install redis-server (on Debian it is also fetched ' +
  'without installing it, when apt-get works).'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/voelgoed-redis', import.meta.url))
const PACKAGES = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1']
const READY_WITHIN_MS = 10_000
const run = promisify(execFile)

/**
 * The one of REDIS_URL, else one of our own. Null: there is none. `mayFetch` lets Debian's packages be
 * downloaded into a cache folder and unpacked there; nothing is installed.
 */
export async function startRedis({ mayFetch }: { mayFetch: boolean }): Promise<Redis | null> {
  const given = process.env.REDIS_URL?.split(',')[0]
  if (given) return { url: given, version: await versionAt(given), stop: async () => {} }
  const program = (await onPath()) ?? (await inCache()) ?? (mayFetch ? await fetch() : null)
  return program === null ? null : launch(program)
}

async function launch(program: string): Promise<Redis> {
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-redis-'))
  const port = await freePort()
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ]
  const unpacked = join(CACHE, 'usr', 'lib')
  const libraries = (await readdir(unpacked).catch(() => [])).map(name => join(unpacked, name))
  const child = spawn(program, args, {
    stdio: 'ignore',
    env: {
      ...process.env,
      LD_LIBRARY_PATH: [...libraries, process.env.LD_LIBRARY_PATH ?? ''].join(delimiter),
    },
  })
  const onExit = () => child.kill('SIGKILL')
  process.once('exit', onExit)
  let ended: string | null = null
  child.once('error', error => {
    ended = error.message
  })
  child.once('exit', code => {
    ended ??= `exit code ${code}`
  })
  const url = `redis://127.0.0.1:${port}`
  const stop = async () => {
    process.off('exit', onExit)
    if (ended === null) {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    }
    await rm(folder, { recursive: true, force: true })
  }
  const giveUpAt = performance.now() + READY_WITHIN_MS
  for (;;) {
    const version = await versionAt(url).catch(() => null)
    if (version !== null) return { url, version, stop }
    if (ended !== null || performance.now() > giveUpAt) {
      await stop()
      throw new Error(`redis-server did not start: ${ended ?? 'it does not answer'}`)
    }
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function versionAt(url: string): Promise<string> {
  const client = await RedisClient.connect(url)
  try {
    return /redis_version:([\d.]+)/.exec(String(await client.command('INFO', 'server')))?.[1] ?? 'unknown'
  } finally {
    client.close()
  }
}

async function onPath(): Promise<string | null> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const program = join(folder, 'redis-server')
    if (folder !== '' && (await isThere(program))) return program
  }
  return null
}

async function inCache(): Promise<string | null> {
  const program = join(CACHE, 'usr', 'bin', 'redis-server')
  return (await isThere(program)) ? program : null
}

async function fetch(): Promise<string | null> {
  try {
    await mkdir(CACHE, { recursive: true })
    await run('apt-get', ['download', ...PACKAGES], { cwd: CACHE, timeout: 60_000 })
    for (const file of await readdir(CACHE)) {
      if (!file.endsWith('.deb')) continue
      await run('dpkg', ['-x', file, '.'], { cwd: CACHE })
      await rm(join(CACHE, file))
    }
    return await inCache()
  } catch {
    return null
  }
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
