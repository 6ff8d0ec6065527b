import { Client, DatabaseError } from 'pg'
import { StartupError } from '../../base/startup-error.ts'
import { isSystemError } from './system-error.ts'

export const SUPERUSER = 'voelgoed'
export const DATABASE = 'voelgoed'

export interface Login {
  port: number
  password: string
  passwordFile: string
}

/**
 * Creates the database on the first start, or on the next one if that was interrupted. It proves, too, that
 * Postgres answers and takes our password before the server says that it is ready.
 */
export async function ensureDatabase(login: Login): Promise<void> {
  const client = new Client({
    host: '127.0.0.1',
    port: login.port,
    user: SUPERUSER,
    password: login.password,
    database: 'postgres',
    connectionTimeoutMillis: 60_000,
  })
  try {
    await client.connect()
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '28P01') {
      throw new StartupError(
        `Postgres does not take the password in ${login.passwordFile}: put the one back that it was created with.`,
      )
    }
    if (isSystemError(error)) {
      throw new StartupError(`Postgres does not answer on 127.0.0.1:${login.port} (${error.message}).`)
    }
    throw error
  } finally {
    await client.end()
  }
}
