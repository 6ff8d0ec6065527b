import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { waitUntil } from '@voelgoed/testing/wait-until'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StartupError } from '../../base/startup-error.ts'
import { findPackage } from './binaries.ts'
import {
  canPlainUserReadUs,
  clusterOf,
  copyTree,
  dataDirIn,
  giveTo,
  isRoot,
  isRunning,
  kill,
  plainUser,
  query,
  SMALL,
  scratchDirectory,
  sharedDataDirectory,
  spawnChild,
  startForTest,
  startInChild,
} from './embedded.fixture.ts'
import { startFromPackage } from './launch.ts'

const plainUserCanReadUs = await canPlainUserReadUs()
const shared = sharedDataDirectory()

describe('a start', () => {
  it('gives a database on which data survive a stop, under a relative path with spaces', async () => {
    const dataDir = path.join(await scratchDirectory(), 'with a space', 'data')
    const given = path.relative(process.cwd(), dataDir)

    const first = await startForTest({ dataDir: given })
    expect(first.url).toMatch(/^postgres:\/\/voelgoed:[\w-]{32}@127\.0\.0\.1:\d+\/voelgoed$/)
    await keep(first.url, 42)
    await Promise.all([first.stop(), first.stop()])
    await first.stop()
    expect(await isRunning(first.pid, dataDir)).toBe(false)

    const second = await startForTest({ dataDir: given })
    expect(await kept(second.url)).toBe(42)
    expect(new URL(second.url).password).toBe(new URL(first.url).password)
  })

  it('keeps the password private, and lets no client in without it', async () => {
    const dataDir = await shared.path()
    const { url } = await startForTest({ dataDir })

    const passwordFile = await stat(path.join(dataDir, 'postgres', 'password'))
    expect(passwordFile.mode & 0o777).toBe(0o600)
    expect(passwordFile.uid).toBe(process.getuid!())
    const wrong = new URL(url)
    wrong.password = 'wrong'
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed')
    const rules = await query(url, 'SELECT DISTINCT auth_method FROM pg_hba_file_rules')
    expect(rules).toEqual([{ auth_method: 'scram-sha-256' }])
  })

  it('sets what we rely on, and what is asked for', async () => {
    const dataDir = await shared.path()
    const { url } = await startForTest({ dataDir, settings: { max_connections: '33', work_mem: '5MB' } })

    const settings = await query(
      url,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
        current_setting('jit') AS jit, current_setting('max_connections') AS max_connections,
        current_setting('work_mem') AS work_mem, current_setting('listen_addresses') AS listen_addresses,
        current_setting('unix_socket_directories') AS sockets, current_setting('server_encoding') AS encoding,
        (SELECT datlocprovider::text || ':' || datlocale FROM pg_database WHERE datname = current_database()) AS locale`,
    )
    expect(settings).toEqual([
      {
        fsync: 'on',
        synchronous_commit: 'on',
        jit: 'off',
        max_connections: '33',
        work_mem: '5MB',
        listen_addresses: '127.0.0.1',
        sockets: '',
        encoding: 'UTF8',
        locale: 'b:C.UTF-8',
      },
    ])
  })

  it('that fails says why in one line, with the FATAL of the log', async () => {
    const dataDir = await shared.path()
    const start = startForTest({ dataDir, settings: { work_mem: 'plenty' } })

    await expect(start).rejects.toThrow(StartupError)
    await expect(start).rejects.toThrow(
      `Postgres did not start: FATAL: invalid value for parameter "work_mem": "plenty" (its log is ${dataDir}/postgres.log)`,
    )
  })

  it('names the password file when the password in it is wrong or gone', async () => {
    const dataDir = await shared.path()
    const passwordFile = path.join(dataDir, 'postgres', 'password')

    const password = await readFile(passwordFile)
    await writeFile(passwordFile, 'wrong')
    await expect(startForTest({ dataDir })).rejects.toThrow(`does not take the password in ${passwordFile}`)
    await rm(passwordFile)
    await expect(startForTest({ dataDir })).rejects.toThrow(`${passwordFile}, is missing`)
    await writeFile(passwordFile, password, { mode: 0o600 })
  })

  it('puts a log that has grown big aside', async () => {
    const dataDir = await shared.path()
    const big = 9 * 1024 * 1024
    await truncate(path.join(dataDir, 'postgres.log'), big)
    await startForTest({ dataDir })

    expect((await stat(path.join(dataDir, 'postgres.log.1'))).size).toBe(big)
    expect(await readFile(path.join(dataDir, 'postgres.log'), 'utf8')).toContain(
      'ready to accept connections',
    )
  })

  it('starts again when we were killed in the middle of initdb', async () => {
    const dataDir = dataDirIn(await scratchDirectory())
    const child = spawnChild({ options: { dataDir }, after: 'wait' })
    const unfinished = async () =>
      (await readdir(dataDir).catch(() => [])).filter(name => name.startsWith('initdb-'))
    await waitUntil('initdb is at work', async () => {
      const [name] = await unfinished()
      return name && stat(path.join(dataDir, name, 'cluster', 'PG_VERSION')).catch(() => false)
    })
    await kill(child)
    expect(await unfinished()).toHaveLength(1)
    expect(await stat(clusterOf(dataDir)).catch(() => 'missing')).toBe('missing')

    const { url } = await startForTest({ dataDir })
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })
})

describe('a postmaster that is killed', () => {
  it('is reported once, and the next start recovers what was committed', async () => {
    const dataDir = await shared.path()
    const reports: string[] = []
    const first = await startForTest({ dataDir, onUnexpectedExit: report => reports.push(report) })
    await keep(first.url, 49)
    process.kill(first.pid, 'SIGKILL')
    await waitUntil('the end is reported', () => reports.length > 0)
    await first.stop()
    expect(reports).toEqual([
      `The embedded Postgres (process ${first.pid}) ended: killed by SIGKILL (its log is ${dataDir}/postgres.log)`,
    ])

    const second = await startForTest({ dataDir, onUnexpectedExit: report => reports.push(report) })
    expect(await kept(second.url)).toBe(49)
    await second.stop()
    expect(reports).toHaveLength(1)
  })

  it('is waited for until the last of its children has ended', async () => {
    const dataDir = await shared.path()
    const first = await startForTest({ dataDir })
    const client = new Client({ connectionString: first.url })
    client.on('error', () => {})
    await client.connect()
    const backend = Number((await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid)
    process.kill(backend, 'SIGSTOP') // so that it does not notice
    onTestFinished(() => {
      if (isBackendAlive) process.kill(backend, 'SIGKILL')
    })
    let isBackendAlive = true
    process.kill(first.pid, 'SIGKILL')
    await waitUntil('it has ended', async () => !(await isRunning(first.pid, dataDir)))

    const second = startForTest({ dataDir })
    const log = () => readFile(path.join(dataDir, 'postgres.log'), 'utf8')
    await waitUntil('Postgres refuses', async () =>
      (await log()).includes('pre-existing shared memory block'),
    )
    process.kill(backend, 'SIGCONT')
    isBackendAlive = false
    expect(await query((await second).url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await client.end().catch(() => {})
  })
})

describe('a process of ours', () => {
  it('that lives keeps its data directory: another is refused with its pid', async () => {
    const dataDir = await shared.path()
    const { child, url } = await startInChild({ options: { dataDir }, after: 'wait' })

    const start = startForTest({ dataDir })
    await expect(start).rejects.toThrow(StartupError)
    await expect(start).rejects.toThrow(`${dataDir} is in use by process ${child.pid}: stop that first`)
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  it('that is killed leaves a Postgres behind, which the next start stops, with no data lost', async () => {
    const dataDir = await shared.path()
    const orphan = await startInChild({ options: { dataDir }, after: 'wait' })
    await keep(orphan.url, 52)
    await kill(orphan.child)
    expect(await isRunning(orphan.pid, dataDir)).toBe(true)

    // Two at once, to make sure that the one that comes second does not take the first one's for an orphan.
    const starts = await Promise.allSettled([startForTest({ dataDir }), startForTest({ dataDir })])
    const started = starts.flatMap(start => (start.status === 'fulfilled' ? [start.value] : []))
    const refused = starts.flatMap(start => (start.status === 'rejected' ? [String(start.reason)] : []))
    expect(started).toHaveLength(1)
    expect(refused).toEqual([expect.stringContaining(`in use by process ${process.pid}`)])
    expect(await isRunning(orphan.pid, dataDir)).toBe(false)
    expect(await kept(started[0]!.url)).toBe(52)
  })

  it('that makes the data directory at the same time as another: one of them gets it', async () => {
    const dataDir = dataDirIn(await scratchDirectory())
    const starts = await Promise.allSettled([startForTest({ dataDir }), startForTest({ dataDir })])

    const refused = starts.flatMap(start => (start.status === 'rejected' ? [String(start.reason)] : []))
    expect(refused).toEqual([expect.stringContaining(`in use by process ${process.pid}`)])
    expect((await readdir(dataDir)).filter(name => name.startsWith('initdb-'))).toEqual([])
  })

  it('takes its Postgres with it when it exits without stop(), by itself or with process.exit', async () => {
    const dataDir = await shared.path()
    for (const after of ['exit', 'idle'] as const) {
      const { child, pid } = await startInChild({ options: { dataDir }, after })
      if (child.exitCode === null) await once(child, 'exit')
      await waitUntil('Postgres has ended', async () => !(await isRunning(pid, dataDir)))
    }
  })

  it('keeps its Postgres when Ctrl-C in a terminal reaches its whole group', async () => {
    const dataDir = await shared.path()
    const { child, url, pid } = await startInChild({ options: { dataDir }, after: 'wait' })
    const log = () => readFile(path.join(dataDir, 'postgres.log'), 'utf8')
    const before = await log()
    process.kill(-child.pid!, 'SIGINT')
    await query(url, 'SELECT 1')
    expect(await log()).toBe(before)
    expect(await isRunning(pid, dataDir)).toBe(true)
  })
})

describe('a start by a plain user', () => {
  it.skipIf(!plainUserCanReadUs)('says in one line that it may not write', async () => {
    const scratch = await scratchDirectory()
    const dataDir = path.join(scratch, 'closed', 'data')
    await mkdir(path.dirname(dataDir), { mode: 0o555 })
    const { error } = await startInChild({ options: { dataDir }, after: 'stop', user: await plainUser() })
    expect(error).toBe(
      `StartupError: Can't use the data directory ${dataDir} (EACCES: permission denied): start as a user who may write there, or set VOELGOED_DATA_DIR to another directory.`,
    )
  })

  it.skipIf(!isRoot || !plainUserCanReadUs)('refuses the data of another user', async () => {
    const dataDir = await shared.path()
    const { error } = await startInChild({ options: { dataDir }, after: 'stop', user: await plainUser() })
    expect(error).toContain(
      `StartupError: Can't use the data directory ${dataDir} (EACCES: permission denied`,
    )
  })

  // From a package without its links, where it can't make them, so that it needs a copy, too.
  it.skipIf(!plainUserCanReadUs)(
    'works from a read-only package, and root can go on with the data',
    async () => {
      const scratch = await scratchDirectory()
      const dataDir = dataDirIn(scratch)
      const user = await plainUser()
      const source = await copyPackage(path.join(scratch, 'package'))
      await rmLinks(source.dir)
      if (!isRoot) await setWritable(source.dir, false)
      onTestFinished(() => setWritable(source.dir, true))
      await mkdir(dataDir)
      await giveTo(user, dataDir)

      const first = await startInChild({
        options: { dataDir },
        source,
        copyPlaces: [dataDir],
        after: 'stop',
        user,
      })
      expect(first.error).toBeUndefined()
      if (first.child.exitCode === null) await once(first.child, 'exit')
      expect((await readdir(dataDir)).sort()).toEqual([
        'postgres',
        'postgres.log',
        expect.stringContaining(`voelgoed-postgres-${source.version}-`),
      ])

      const second = await startForTest({ dataDir })
      expect((await stat(clusterOf(dataDir))).uid).toBe(user?.uid ?? process.getuid!())
      expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    },
  )
})

describe('a project under a closed home', () => {
  it('keeps its data there over a restart, also when root has to run Postgres as another user', async () => {
    const scratch = await scratchDirectory()
    const home = path.join(scratch, 'home')
    const place = path.join(scratch, 'place')
    await mkdir(home, { mode: 0o700 })
    await mkdir(place, { mode: 0o755 })
    const source = await copyPackage(path.join(home, 'package'))
    await rmLinks(source.dir)
    const dataDir = path.join(home, 'project', '.data')
    const start = async () => {
      const postgres = await startFromPackage({ dataDir, settings: SMALL }, source, [dataDir, place])
      onTestFinished(() => postgres.stop())
      return postgres
    }

    const first = await start()
    await keep(first.url, 60)
    // A reload reads the configuration again, by the path that Postgres was given.
    expect(await query(first.url, 'SELECT pg_reload_conf() AS done')).toEqual([{ done: true }])
    await first.stop()
    const second = await start()
    expect(await kept(second.url)).toBe(60)
    expect((await stat(path.join(clusterOf(dataDir), 'postmaster.pid'))).isFile()).toBe(true)
    if (isRoot) {
      expect((await stat(clusterOf(dataDir))).uid).not.toBe(0)
      expect(await readdir(place)).toHaveLength(1)
      expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log'])
    }
    // Not everything that a kill -9 of the postmaster touches works through such a path by itself.
    process.kill(second.pid, 'SIGKILL')
    const third = await start()
    expect(await kept(third.url)).toBe(60)
  })
})

async function keep(url: string, answer: number): Promise<void> {
  await query(url, `DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT ${answer} AS answer`)
}

async function kept(url: string): Promise<unknown> {
  return (await query(url, 'SELECT answer FROM kept'))[0]?.answer
}

async function copyPackage(to: string) {
  const source = await findPackage({ platform: process.platform, arch: process.arch })
  await copyTree(source.dir, to)
  return { ...source, dir: to }
}

async function rmLinks(packageDir: string): Promise<void> {
  const links = JSON.parse(await readFile(path.join(packageDir, 'native', 'pg-symlinks.json'), 'utf8'))
  for (const { target } of links) await rm(path.join(packageDir, target), { force: true })
}

async function setWritable(dir: string, isWritable: boolean): Promise<void> {
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) await chmod(path.join(entry.parentPath, entry.name), isWritable ? 0o755 : 0o555)
  }
}
