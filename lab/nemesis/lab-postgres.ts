import { execFileSync } from 'node:child_process'
import { mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { startLabProcess } from './lab-process.ts'

/** The Postgres that nodes are harmed through: real, with every setting that keeps promises. */
export interface LabPostgres {
  /** Leads to the database that is used now. Changes with each restart. */
  readonly url: string
  /** Says why the disk can't be filled. Null: it can. */
  readonly diskNote: string | null
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>
  /** A connection that is kept until it is ended, or null when there is none to be had. */
  connect(): Promise<pg.Client | null>
  /** The same, but waits for it within a bound: a busy Postgres must not end the run. */
  connectSoon(): Promise<pg.Client>
  /** An empty database; from now on `url` means that one. */
  useNewDatabase(name: string): Promise<void>
  /** Ends it at once, and starts it again. */
  restart(): Promise<void>
  /** Starts it if it has ended by itself. */
  ensure(): Promise<void>
  fillDisk(): Promise<void>
  emptyDisk(): Promise<void>
  stop(): Promise<void>
}

const SETTINGS = { max_connections: '60', shared_buffers: '64MB' }
const DISK_MB = 600
const CONNECTED_WITHIN_MS = 60_000
/** A query whose connection was lost is tried so often. */
const MOST_TRIES = 5

export async function startLabPostgres(options: { smallDisk: boolean }): Promise<LabPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-faults-'))
  const diskNote = options.smallDisk ? mountSmallDisk(folder) : 'it was not asked for'
  const postgres = startLabProcess('lab-postgres', {
    args: [folder, JSON.stringify(SETTINGS)],
  })
  const read = (message: object) => message as { url: string; pid: number }
  let current = await postgres.next(read)
  let database = new URL(current.url).pathname
  const balloon = join(folder, 'balloon')

  const urlNow = () => {
    const url = new URL(current.url)
    url.pathname = database
    return url.href
  }
  const connect = async () => {
    const client = new pg.Client({ connectionString: urlNow(), connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch {
      await client.end().catch(() => {})
      return null
    }
  }
  const connectSoon = async () => {
    const until = performance.now() + CONNECTED_WITHIN_MS
    for (;;) {
      const client = await connect()
      if (client) return client
      if (performance.now() > until) throw new Error('no connection to Postgres')
      await delay(100)
    }
  }
  const sql = async <R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> => {
    for (let tries = 1; ; tries += 1) {
      const client = await connectSoon()
      try {
        return (await client.query<R>(text, values)).rows
      } catch (error) {
        if (tries === MOST_TRIES || !isConnectionLost(error)) throw error
      } finally {
        await client.end().catch(() => {})
      }
    }
  }
  const restart = async () => {
    const started = postgres.next(read)
    postgres.child.send({ kind: 'restart' })
    current = await started
  }

  return {
    get url() {
      return urlNow()
    },
    diskNote,
    sql,
    connect,
    connectSoon,
    async useNewDatabase(name) {
      await sql(`create database ${name}`)
      database = `/${name}`
    },
    restart,
    async ensure() {
      for (let tries = 0; tries < 50; tries += 1) {
        const client = await connect()
        if (client) {
          await client.end()
          return
        }
        await delay(100)
        if (!isAlive(current.pid)) await restart()
      }
      throw new Error('Postgres did not come back')
    },
    async fillDisk() {
      const { bavail, bsize } = await statfs(folder)
      const file = await open(balloon, 'w')
      const piece = Buffer.alloc(1024 * 1024)
      try {
        for (let left = bavail * bsize; left > 0; left -= piece.length) await file.write(piece)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      } finally {
        await file.close()
      }
    },
    emptyDisk: () => rm(balloon, { force: true }),
    async stop() {
      await postgres.stop()
      if (diskNote === null) execFileSync('umount', ['-l', folder])
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** The connection has ended, or Postgres is about to: an error of the query itself has another code. */
export function isConnectionLost(error: unknown): boolean {
  const { code } = error as { code?: string }
  return code === undefined || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith('08') || code.startsWith('57P0')
}

/** A file system of its own in memory, so that filling it harms no other process. Returns why not. */
function mountSmallDisk(folder: string): string | null {
  if (process.platform !== 'linux') return 'there is no tmpfs on this system'
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder], { stdio: 'ignore' })
    return null
  } catch {
    return 'mounting a small tmpfs is not allowed here'
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
