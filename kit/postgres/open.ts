import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { StartupError } from '../base/startup-error.ts'
import { connectDatabase, type Database, type DatabaseOptions, READ_ONLY } from './database.ts'
import { type Migration, migrate } from './migrate.ts'
import { proveLine } from './prove-line.ts'
import { asRequestLogin, ensureRequestLogin, type RequestLogin } from './request-login.ts'

export interface OpenedDatabase {
  readonly database: Database
  /** For other connections that do the work of requests. */
  readonly requestUrl: string
}

/** The doors that requests use, to a database that has been prepared; their connections are proved. */
export async function openDatabase(
  url: string,
  options: DatabaseOptions & { requestLogin: RequestLogin | null },
): Promise<OpenedDatabase> {
  const requestUrl = options.requestLogin ? asRequestLogin(url, options.requestLogin) : url
  const database = connectDatabase(requestUrl, options)
  try {
    await database.prove()
  } catch (error) {
    await database.close()
    throw error
  }
  return { database, requestUrl }
}

/** A start has more patience than a request. */
const FEWEST_MS = 5_000

/**
 * Connects as the owner and migrates. With a `requestLogin`, the connections of requests are not the owner's:
 * the login is made here.
 */
export async function prepareDatabase(
  url: string,
  migrations: readonly Migration[],
  { requestLogin, connectSeconds }: { requestLogin: RequestLogin | null; connectSeconds: number },
  log: Pick<FastifyBaseLogger, 'info'>,
): Promise<void> {
  const withinMs = Math.max(connectSeconds * 1_000, FEWEST_MS)
  const owner = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: withinMs,
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
    await proveLine(url, owner, withinMs)
    const { applied } = await migrate(owner, migrations)
    if (applied.length > 0) log.info({ applied }, 'migrated the database')
    if (requestLogin) await ensureRequestLogin(owner, requestLogin)
  } catch (error) {
    if ((error as { code?: unknown }).code !== READ_ONLY) throw error
    throw new StartupError(
      `DATABASE_URL: Postgres at ${hostOf(url)} takes no writes: it is a standby, or read-only, or its disk is full. Connect to the primary`,
    )
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
