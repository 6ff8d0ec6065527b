import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startProgram } from './child.ts'

/** One Postgres for everything that is compared. */
export interface BenchPostgres {
  /** As the owner of all databases. */
  readonly url: string
  /** The pid belongs to the postmaster: the bench adds up its processor time and that of its children. */
  readonly pid: number
  readonly settings: Readonly<Record<string, string>>
  newDatabase(): Promise<BenchDatabase>
  stop(): Promise<void>
}

export interface BenchDatabase {
  readonly url: string
  /** One number that a query answers. */
  count(query: string, values?: unknown[]): Promise<number>
  /** Statements, one after another. */
  run(script: string): Promise<void>
  /** Writes out what is dirty, so that no measurement pays for what came before it. */
  checkpoint(): Promise<void>
  drop(): Promise<void>
}

export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<BenchPostgres> {
  const child = startProgram(['bench-postgres', JSON.stringify(settings)])
  try {
    const told = await child.find(line => JSON.parse(line) as Pick<BenchPostgres, 'url' | 'pid' | 'settings'>)
    return { ...told, newDatabase: () => newDatabase(told.url), stop: () => child.stop() }
  } catch (error) {
    await child.stop()
    throw error
  }
}

async function newDatabase(serverUrl: string): Promise<BenchDatabase> {
  const name = `bench_${randomBytes(6).toString('hex')}`
  await once(serverUrl, client => client.query(`create database ${name}`))
  const address = new URL(serverUrl)
  address.pathname = `/${name}`
  const url = address.toString()
  return {
    url,
    count: (query, values = []) =>
      once(url, async client => {
        const { rows } = await client.query<Record<string, unknown>>(query, values)
        return Number(Object.values(rows[0] ?? {})[0] ?? Number.NaN)
      }),
    run: script => once(url, async client => void (await client.query(script))),
    checkpoint: () => once(url, async client => void (await client.query('checkpoint'))),
    drop: () =>
      once(serverUrl, async client => void (await client.query(`drop database ${name} with (force)`))),
  }
}

async function once<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
