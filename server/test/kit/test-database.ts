import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { databaseUrl, TEMPLATE } from './postgres.global.ts'

export interface TestDatabase {
  readonly url: string
  /** Runs as the owner: around every guard of the application. */
  sql<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<R[]>
  drop(): Promise<void>
}

/** A database of its own, from the template, or empty. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  await createWhenTemplateIsFree(admin, name, options.empty ? 'template1' : TEMPLATE)
  const url = databaseUrl(inject('postgresUrl'), name)
  const owner = openPool({ connectionString: url, max: 2 })
  return {
    url,
    async sql<R extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      return (await owner.query<R>(text, values)).rows
    },
    async drop() {
      await owner.end()
      await admin.query(`drop database ${name} with (force)`)
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

/** Two files may copy the template at the same moment; Postgres lets only one do so at a time. */
async function createWhenTemplateIsFree(admin: pg.Client, name: string, template: string): Promise<void> {
  await admin.query('select pg_advisory_lock(1)')
  try {
    await admin.query(`create database ${name} template ${template}`)
  } finally {
    await admin.query('select pg_advisory_unlock(1)')
  }
}
