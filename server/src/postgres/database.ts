import type { Writable } from 'node:stream'
import type { OrganizationId } from '@voelgoed/core/ids'
import { assert } from '@voelgoed/core/result'
import pg from 'pg'
import type { TenantScope } from '../tenant.ts'

/**
 * Two doors to Postgres, each a transaction:
 *
 *   tenant(scope, work)       as voelgoed_app: row-level security shows one organization, and every statement
 *                             has that organization as $1 besides, so an index is used and a mistake shows.
 *   platform(purpose, work)   as voelgoed_platform: the one named escape, for what spans organizations.
 *
 * Both wait a bounded time for a connection and for locks,
 * and say so in the error they throw (see outage.ts).
 */
export interface Database extends TenantDoor {
  /** The same door with connections of its own: thousands who look must not keep those waiting who buy. */
  readonly lanes: TenantDoor
  platform<T>(purpose: PlatformPurpose, work: (tx: PlatformTx) => Promise<T>): Promise<T>
  /** Answers within a bound: true when Postgres does. */
  ping(): Promise<boolean>
  stats(): Record<'requests' | 'lanes', PoolStats>
  close(): Promise<void>
}

export interface TenantDoor {
  tenant<T>(scope: TenantScope, work: (tx: TenantTx) => Promise<T>, options?: TransactionOptions): Promise<T>
}

/** Everything that may look across organizations, by name. A new entry here is a decision. */
export type PlatformPurpose =
  | 'administer organizations'
  | 'find an organization by its slug'
  | 'list public pages'
  | 'find who allows a site'
  | 'read and write the installation'
  | 'replay an answer of the platform'
  | 'sweep what has expired'
  | 'find holds that have run out'
  | 'find cancelled events with holds'
  | 'write the audit of refused attempts'
  | 'find journals to count'
  | 'find journals without history'
  | 'run a job of the installation'
  | 'keep the list of nodes'
  | 'find events without a snapshot'
  | 'find payments the simulator goes on with'
  | 'deliver webhooks of the simulator'
  | 'take news of the gateway'
  | 'go on with payments'
  | 'go on with refunds of cancelled events'
  | 'create demo data'
  | 'begin new epochs after a restore'
  | 'note the use of API keys and sessions'
  | 'send mails'
  | 'read the clock'

export interface TransactionOptions {
  /** `snapshot`: everything that is read belongs to one moment. */
  readonly isolation?: 'snapshot'
  /** For a transaction that holds an event's ledger: gives it back by itself if this process freezes. */
  readonly holdsLedger?: boolean
}

export interface PoolStats {
  readonly open: number
  readonly idle: number
  readonly waiting: number
}

export type Row = pg.QueryResultRow

/**
 * The connection was lost after COMMIT of a transaction that may have written: it has taken effect or it has
 * not, and only the database knows. The caller must look (unknown-commit.ts),
 * or answer that the outcome is unknown.
 */
export class CommitUnknown extends Error {}

export class TenantTx {
  readonly organizationId: OrganizationId
  readonly #client: pg.PoolClient
  readonly #ending: Ending

  constructor(organizationId: OrganizationId, client: pg.PoolClient, ending: Ending) {
    this.organizationId = organizationId
    this.#client = client
    this.#ending = ending
  }

  /** A statement that runs often: parsed and planned once a connection. */
  async prepared<R extends Row>(name: string, sql: string, values: readonly unknown[] = []): Promise<R[]> {
    assert(sql.includes('$1'), 'a statement without a tenant scope')
    return this.#run<R>({ name, text: sql, values: [this.organizationId, ...values] })
  }

  /**
   * A write whose success is not waited for here: it goes out at once, the commit right behind it, in one
   * round trip. If it fails, so does the transaction.
   */
  send(name: string, sql: string, values: readonly unknown[]): void {
    this.#assertOpen()
    const sent = this.prepared(name, sql, values)
    sent.catch(() => {})
    this.#ending.sent.push(sent)
  }

  /** What was sent goes out now, and not with what else this turn of the event loop will send. */
  flush(): void {
    writeNow(this.#client)
  }

  /**
   * For what only reads: the last statement has been given, the commit goes out with it,
   * in the same round trip.
   */
  finish(): void {
    this.#assertOpen()
    assert(this.#ending.sent.length === 0, 'a transaction that writes waits for the commit')
    this.#ending.committing = commit(this.#client, this.#ending)
    this.#ending.committing.catch(() => {})
  }

  /** Nothing was written that should stay: end without a commit, which would wait for the disk. */
  discard(): void {
    this.#ending.rollBack = true
  }

  /** `$1` is always the organization; `values` start at `$2`. */
  async query<R extends Row>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    assert(sql.includes('$1'), 'a statement without a tenant scope')
    return this.#run<R>({ text: sql, values: [this.organizationId, ...values] })
  }

  async #run<R extends Row>(query: pg.QueryConfig): Promise<R[]> {
    this.#assertOpen()
    this.#ending.mayHaveWritten ||= WRITES.test(query.text)
    writeTogether(this.#client)
    try {
      return (await this.#client.query<R>(query)).rows
    } catch (error) {
      this.#ending.failure ??= error
      throw error
    }
  }

  #assertOpen(): void {
    assert(this.#ending.committing === null, 'a statement after the last')
  }

  async one<R extends Row>(sql: string, values: readonly unknown[] = []): Promise<R | undefined> {
    return (await this.query<R>(sql, values))[0]
  }

  /** Many rows, a page at a time, so that neither memory nor the event loop feels their number. */
  async *pages<R extends Row>(sql: string, values: readonly unknown[]): AsyncGenerator<R[]> {
    this.#assertOpen()
    assert(sql.includes('$1'), 'a statement without a tenant scope')
    await this.#client.query(`declare page no scroll cursor for ${sql}`, [this.organizationId, ...values])
    for (;;) {
      const { rows } = await this.#client.query<R>(`fetch ${PAGE} from page`)
      if (rows.length > 0) yield rows
      if (rows.length < PAGE) break
    }
    await this.#client.query('close page')
  }
}

/** How a transaction is to end. */
interface Ending {
  readonly sent: Promise<unknown>[]
  rollBack: boolean
  committing: Promise<void> | null
  /** If not, a commit without an answer means nothing. */
  mayHaveWritten: boolean
  /** The first statement that failed says why; those that were sent along with it only that one did. */
  failure?: unknown
}

/** Rather too often than too seldom: `for update` counts. */
const WRITES = /\b(?:insert|update|delete|merge|call|lock)\b/i

export class PlatformTx {
  readonly #client: pg.PoolClient
  readonly #ending: Ending

  constructor(client: pg.PoolClient, ending: Ending) {
    this.#client = client
    this.#ending = ending
  }

  async query<R extends Row>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    this.#ending.mayHaveWritten ||= WRITES.test(sql)
    const { rows } = await this.#client.query<R>(sql, [...values])
    return rows
  }

  async one<R extends Row>(sql: string, values: readonly unknown[] = []): Promise<R | undefined> {
    return (await this.query<R>(sql, values))[0]
  }
}

const PING_MS = 3_000

/** Rows read at once of many: about 5 ms of work. */
const PAGE = 1_000

/** More callers than this waiting for a connection: better an honest 503 than a long queue. */
const MAX_WAITING = 1_000

export class TooManyWaiting extends Error {}

/** No connection could be had, whatever the reason: the caller can only try again later. */
export class NoConnection extends Error {}

export function connectDatabase(url: string, options: { maxConnections: number }): Database {
  const requests = openPool(url, 'voelgoed_app', options.maxConnections)
  // Lanes look rows up by their keys, also in a table that was small when their statements were planned.
  const lanes = openPool(url, 'voelgoed_app', Math.ceil(options.maxConnections / 2), '-c enable_seqscan=off')
  const platform = openPool(url, 'voelgoed_platform', 2)
  const doorOf = (pool: pg.Pool): TenantDoor => ({
    tenant: (scope, work, options = {}) =>
      transaction(pool, beginFor(scope, options), (client, ending) =>
        work(new TenantTx(scope.organizationId, client, ending)),
      ),
  })

  return {
    ...doorOf(requests),
    lanes: doorOf(lanes),
    platform: (_purpose, work) =>
      transaction(platform, 'begin', (client, ending) => work(new PlatformTx(client, ending))),
    async ping() {
      const late = new Promise<boolean>(resolve => setTimeout(() => resolve(false), PING_MS).unref())
      const answered = requests.query('select 1').then(
        () => true,
        () => false,
      )
      return Promise.race([answered, late])
    },
    stats: () => ({ requests: statsOf(requests), lanes: statsOf(lanes) }),
    async close() {
      await Promise.all([requests.end(), lanes.end(), platform.end()])
    },
  }
}

function statsOf(pool: pg.Pool): PoolStats {
  return { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }
}

/** The id is a UUID that we made or verified: it can stand in the statement, which saves a round trip. */
function beginFor(scope: TenantScope, { isolation, holdsLedger }: TransactionOptions): string {
  return [
    isolation === 'snapshot' ? 'begin isolation level repeatable read' : 'begin',
    ...(holdsLedger
      ? [`set local idle_in_transaction_session_timeout = '1s'`, `set local lock_timeout = '1s'`]
      : []),
    `select set_config('app.organization_id', '${scope.organizationId}', true)`,
  ].join('; ')
}

function openPool(url: string, role: string, max: number, settings = ''): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: role,
    // The role is a start-up parameter: even RESET ROLE stays with it.
    options: `-c role=${role} -c statement_timeout=14000 -c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000 ${settings}`,
    connectionTimeoutMillis: 3_000,
    idleTimeoutMillis: 30_000,
    // A Postgres that is frozen, or behind a half-open connection, can't keep its own time limits:
    // this one is ours.
    query_timeout: 15_000,
    keepAlive: true,
    // Statements that do not wait for each other share a round trip.
    pipeline: true,
  } as pg.PoolConfig)
  // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
  pool.on('error', () => {})
  // The pool does not listen to a connection that it is closing or throwing away:
  // its last words may come after that.
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}

/** Of a statement that comes after the one that failed. */
const IN_FAILED_TRANSACTION = '25P02'

async function transaction<T>(
  pool: pg.Pool,
  begin: string,
  work: (client: pg.PoolClient, ending: Ending) => Promise<T>,
): Promise<T> {
  if (pool.waitingCount >= MAX_WAITING) throw new TooManyWaiting('too many callers wait for a connection')
  const client = await pool.connect().catch((error: Error) => {
    throw new NoConnection(error.message, { cause: error })
  })
  let broken: Error | undefined
  // A connection that breaks between two statements reports it here; the next statement then fails as well.
  const onError = (error: Error) => {
    broken = error
  }
  client.on('error', onError)
  const ending: Ending = { sent: [], rollBack: false, committing: null, mayHaveWritten: false }
  try {
    // Not waited for: the first statement of `work` goes out with it. If it fails,
    // so does everything after it.
    writeTogether(client)
    const begun = client.query(begin)
    begun.catch((error: Error) => {
      ending.failure ??= error
    })
    const result = await work(client, ending)
    await begun
    if (ending.committing) await ending.committing
    else if (ending.rollBack) await client.query('rollback')
    else await commit(client, ending)
    return result
  } catch (error) {
    if (!(error instanceof CommitUnknown)) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
    } else {
      broken = error
    }
    throw (error as { code?: unknown }).code === IN_FAILED_TRANSACTION ? (ending.failure ?? error) : error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

async function commit(client: pg.PoolClient, { sent, mayHaveWritten }: Ending): Promise<void> {
  writeTogether(client)
  const committing = client.query('commit').catch((error: Error) => {
    throw mayHaveWritten && !isVerdict(error) ? new CommitUnknown(error.message, { cause: error }) : error
  })
  const { command } = await committing
  // Postgres answers COMMIT of a failed transaction with ROLLBACK: then one of the writes says why.
  if (command !== 'COMMIT') {
    await Promise.all(sent)
    throw new Error('the transaction was rolled back')
  }
}

/**
 * Postgres itself says why it did not commit. Of a shutdown (57P) or a lost connection (08) it may say so too
 * late; and after a failure of the disk or a crash (53, 58, XX) the commit may be in the log and be found
 * again by recovery.
 */
function isVerdict(error: Error): boolean {
  return error instanceof pg.DatabaseError && !/^(?:08|57P|53|58|XX)/.test(error.code ?? 'XX')
}

/** Connections whose socket collects what is written to it until the end of this turn of the event loop. */
const collecting = new WeakSet<pg.PoolClient>()

/** One system call, and one awakening of Postgres, for all statements that do not wait for each other. */
function writeTogether(client: pg.PoolClient): void {
  if (collecting.has(client)) return
  collecting.add(client)
  socketOf(client).cork()
  process.nextTick(writeNow, client)
}

function writeNow(client: pg.PoolClient): void {
  if (collecting.delete(client)) socketOf(client).uncork()
}

/** The driver has no way of its own to do this. */
function socketOf(client: pg.PoolClient): Writable {
  return (client as unknown as { connection: { stream: Writable } }).connection.stream
}
