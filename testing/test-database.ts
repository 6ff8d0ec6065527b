import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { findOurClockFirst, TIME_PASSES } from './movable-clock.ts'
import { databaseUrl, TEMPLATE } from './postgres.global.ts'
import { waitUntil } from './wait-until.ts'

export interface TestDatabase {
  readonly url: string
  /** Runs as the owner: around every guard of the application. */
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>
  /** Puts the clock of the database forward. Who keeps it in memory does not hear of it: see `TestServer`. */
  passes(ms: number): Promise<void>
  /** Counts the sessions that wait for the lock of another session. */
  lockWaits(): Promise<number>
  drop(): Promise<void>
}

/** An organization of which nothing may change, and what it has: a hash for each table. */
export interface Neighbour {
  readonly id: string
  readonly fingerprint: Readonly<Record<string, string>>
}

const EMPTY = 'template1'
const WITH_NEIGHBOUR = `${TEMPLATE}_with_neighbour`

/** A database of its own, from the template, or empty. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const admin = await connectAsAdmin()
  return openDatabase(admin, await copyTemplate(admin, options.empty ? EMPTY : TEMPLATE))
}

/** A database with a neighbour: a copy of the one that `moveIn` has made for the first who asked. */
export async function createDatabaseWithNeighbour(
  moveIn: (database: TestDatabase) => Promise<Neighbour>,
): Promise<TestDatabase & { readonly neighbour: Neighbour }> {
  const admin = await connectAsAdmin()
  const neighbour = await oneAtATime(admin, MOVING_IN, async () => {
    const there = await readNeighbour(admin)
    if (there) return there
    const name = await copyTemplate(admin, TEMPLATE)
    const database = openDatabase(await connectAsAdmin(), name)
    const moved = await moveIn(database)
    await database.close()
    await admin.query(`comment on database ${name} is ${pg.escapeLiteral(JSON.stringify(moved))}`)
    await onceUnused(() => admin.query(`alter database ${name} rename to ${WITH_NEIGHBOUR}`))
    return moved
  })
  return { ...openDatabase(admin, await copyTemplate(admin, WITH_NEIGHBOUR)), neighbour }
}

async function readNeighbour(admin: pg.Client): Promise<Neighbour | null> {
  const { rows } = await admin.query<{ told: string }>(
    `select shobj_description(oid, 'pg_database') as told from pg_database where datname = $1`,
    [WITH_NEIGHBOUR],
  )
  return rows[0] ? JSON.parse(rows[0].told) : null
}

async function connectAsAdmin(): Promise<pg.Client> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  return admin
}

function openDatabase(admin: pg.Client, name: string): TestDatabase & { close(): Promise<void> } {
  const url = databaseUrl(inject('postgresUrl'), name)
  const owner = openPool({ connectionString: url, max: 2 })
  return {
    url,
    async sql<R extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      return (await owner.query<R>(text, values)).rows
    },
    async passes(ms) {
      await owner.query(TIME_PASSES, [ms])
    },
    async lockWaits() {
      const { rows } = await owner.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rows[0]!.n
    },
    async drop() {
      await owner.end()
      await onceUnused(() => admin.query(`drop database ${name} with (force)`))
      await admin.end()
    },
    async close() {
      await owner.end()
      await admin.end()
    },
  }
}

/** Its connections may still be closing when the database is dropped, which ends them from the other side. */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

/** All workers share these locks. */
const COPYING = 1
const MOVING_IN = 2

/** Two files may copy the template at the same moment; Postgres lets only one do so at a time. */
async function copyTemplate(admin: pg.Client, template: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const copy = () => admin.query(`create database ${name} template ${template}`)
  await oneAtATime(admin, COPYING, () => onceUnused(copy))
  if (template !== EMPTY) await findOurClockFirst(admin, name)
  return name
}

/**
 * Postgres itself waits five seconds until the sessions of a database have ended: those whose connection was
 * closed, and those that it ends. Where many programs want the processor it takes them longer.
 */
async function onceUnused(work: () => Promise<unknown>): Promise<void> {
  await waitUntil('no session has the database in use', () =>
    work().then(
      () => true,
      (error: { code?: string }) => {
        if (error.code !== IN_USE) throw error
        return false
      },
    ),
  )
}

const IN_USE = '55006'

async function oneAtATime<T>(admin: pg.Client, lock: number, work: () => Promise<T>): Promise<T> {
  await admin.query('select pg_advisory_lock($1)', [lock])
  try {
    return await work()
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [lock])
  }
}
