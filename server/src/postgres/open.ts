import pg from 'pg'
import { StartupError } from '../startup-error.ts'
import { connectDatabase, type Database } from './database.ts'
import { type MigrationReport, migrate } from './migrate.ts'
import { asRequestLogin, ensureRequestLogin, type RequestLogin } from './request-login.ts'

export interface OpenedDatabase {
  readonly database: Database
  readonly migrations: MigrationReport
  /** For other connections that do the work of requests. */
  readonly requestUrl: string
}

/**
 * Connects as the owner, migrates, and comes back with the doors that requests use. With a `requestLogin`,
 * those connections are not the owner's: the login is made here.
 */
export async function openDatabase(
  url: string,
  options: { maxConnections: number; requestLogin: RequestLogin | null },
): Promise<OpenedDatabase> {
  const owner = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    application_name: 'voelgoed_migrate',
  })
  try {
    await owner.connect()
  } catch (error) {
    await owner.end().catch(() => {})
    throw new StartupError(`DATABASE_URL: no connection to Postgres at ${hostOf(url)}: ${reason(error)}`)
  }
  try {
    const { rows } = await owner.query<{ server_version_num: string }>('show server_version_num')
    if (Number(rows[0]!.server_version_num) < OLDEST_POSTGRES * 10_000) {
      throw new StartupError(`DATABASE_URL: Postgres ${OLDEST_POSTGRES} or newer is needed`)
    }
    const migrations = await migrate(owner)
    if (options.requestLogin) await ensureRequestLogin(owner, options.requestLogin)
    const requestUrl = options.requestLogin ? asRequestLogin(url, options.requestLogin) : url
    return { database: connectDatabase(requestUrl, options), migrations, requestUrl }
  } finally {
    await owner.end()
  }
}

const OLDEST_POSTGRES = 15

/** Without user and password, which must not get into a log. */
function hostOf(url: string): string {
  try {
    const { host, pathname } = new URL(url)
    return `${host}${pathname}`
  } catch {
    return 'an address that is not a URL'
  }
}

function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}
