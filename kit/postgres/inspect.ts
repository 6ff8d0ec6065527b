import type { OrganizationId } from '@voelgoed/core/ids'
import pg from 'pg'
import { StartupError } from '../base/startup-error.ts'
import { type Row, TenantTx } from './database.ts'
import { SEE_ALL } from './migrate.ts'

/** The whole database at one moment, across organizations. Nothing can be written through it. */
export class Snapshot {
  readonly #client: pg.PoolClient

  /** `client` must be in a transaction that reads one snapshot. */
  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  async rows<R extends Row>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.#client.query<R>(sql, [...values])).rows
  }

  /** For what reads by organization. It never commits: `Snapshot` has nothing to commit. */
  tenant(organizationId: OrganizationId): TenantTx {
    return new TenantTx(organizationId, this.#client, {
      sent: [],
      rollBack: true,
      committing: null,
      mayHaveWritten: false,
    })
  }

  /**
   * Unpacks the journal once for all checks, event by event: unpacking takes most of their time. A journal
   * that can't be unpacked stays as it is, and each check that asks for it says so.
   */
  async keepEntries(): Promise<void> {
    const [room] = await this.rows(`select to_regclass('pg_temp.journal_entries') as is_there`)
    if (room!.is_there === null) return
    for (const { organization_id, event_id } of await this.rows(
      'select distinct organization_id, event_id from journal',
    )) {
      const kept = await this.tryRows(
        `insert into pg_temp.journal_entries select * from public.journal_entries
         where organization_id = $1 and event_id = $2`,
        [organization_id, event_id],
      )
      if (!('damage' in kept)) continue
      await this.rows('set local search_path = public, pg_temp')
      return
    }
  }

  /** A statement that stumbles over damaged data is answered with what it stumbled over. */
  async tryRows<R extends Row>(sql: string, values: readonly unknown[]): Promise<R[] | { damage: string }> {
    await this.#client.query('savepoint attempt')
    try {
      return await this.rows<R>(sql, values)
    } catch (error) {
      // 22: data exceptions, such as text in a journal's body where a number should be.
      if (!(error instanceof pg.DatabaseError) || !error.code?.startsWith('22')) throw error
      await this.#client.query('rollback to savepoint attempt')
      return { damage: error.message }
    }
  }
}

/**
 * Opens a database of ours from outside, as its owner, only to read it: everything `work` sees belongs to one
 * moment. What an operator can put right is thrown as a StartupError.
 */
export async function inspect<T>(
  url: string,
  work: (snapshot: Snapshot) => Promise<T>,
  statementTimeoutMs = 0,
): Promise<T> {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw new StartupError('the address must look like postgres://user:password@host:5432/database')
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: 1,
    application_name: 'voelgoed_verify',
    options: `-c default_transaction_read_only=on -c statement_timeout=${statementTimeoutMs} -c lock_timeout=10000 -c work_mem=64MB`,
    // An operator has more patience than a request, and the machine may be busy when they look.
    connectionTimeoutMillis: 60_000,
    keepAlive: true,
  })
  pool.on('error', () => {})
  const client = await pool.connect().catch(async (error: unknown) => {
    await pool.end()
    throw new StartupError(`no connection to Postgres at ${addressOf(url)}: ${reason(error)}`)
  })
  // The statement that is under way reports a broken connection; without a listener it would end the process.
  client.on('error', () => {})
  try {
    await makeRoomForEntries(client)
    await client.query(`begin isolation level repeatable read read only; ${SEE_ALL}`)
    await checkSight(client)
    return await work(new Snapshot(client))
  } finally {
    client.release(true)
    await pool.end()
  }
}

/**
 * A temporary table that hides the view journal_entries from this connection. `keepEntries` fills it.
 * Where none can be made (a replica, an owner who may not) the view serves.
 */
async function makeRoomForEntries(client: pg.PoolClient): Promise<void> {
  await client.query('begin read write')
  try {
    await client.query(`create temporary table journal_entries as table public.journal_entries with no data`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    if (!(error instanceof pg.DatabaseError)) throw error
  }
}

/** Seeing nothing would look like a clean database. */
async function checkSight(client: pg.PoolClient): Promise<void> {
  const { rows: found } = await client.query<{ ours: boolean }>(
    `select to_regclass('event_ledgers') is not null and to_regclass('schema_migrations') is not null as ours`,
  )
  if (!found[0]!.ours) throw new StartupError('this is no database of ours, or it has not been migrated yet')
  const { rows } = await client.query<{ sees: boolean; may: boolean; name: string }>(
    `select current_user as name, has_table_privilege('journal', 'select') as may,
       exists (select from pg_roles where rolname = current_user and (rolsuper or rolbypassrls))
         or pg_has_role(current_user, 'voelgoed_platform', 'usage') as sees`,
  )
  const { sees, may, name } = rows[0]!
  if (!sees || !may) {
    throw new StartupError(`the user ${name} may not see every organization's rows: connect as the owner`)
  }
}

/** Without user and password. */
function addressOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}
