import type { Writable } from 'node:stream'
import type { OrganizationId } from '@voelgoed/core/ids'
import { assert } from '@voelgoed/core/result'
import pg from 'pg'
import type { TenantScope } from '../base/tenant.ts'
import { Sightings } from './sightings.ts'
import {
  asOptions,
  explainRefusedSettings,
  proveSettings,
  REQUEST_LIMITS,
  type RequestRole,
  SettingsDropped,
  type StartSettings,
} from './start-settings.ts'

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
  /** Answers within a bound: what Postgres is good for now. */
  ping(): Promise<DatabaseHealth>
  /** Opens a connection of each kind; a StartupError says what is wrong with one. */
  prove(): Promise<void>
  stats(): Record<'requests' | 'lanes', PoolStats>
  /** Connections that were thrown away: they lacked the role and limits they were opened with. */
  unproven(): number
  close(): Promise<void>
}

/**
 *   ok                 it answers and takes writes
 *   unreachable        no answer in time, or no connection
 *   read_only          a standby, or a server that was told to take no writes
 *   disk_full          the last write failed for want of room
 *   settings_dropped   connections arrive without the role they were opened with: none of them is used
 */
export type DatabaseHealth = 'ok' | 'unreachable' | 'read_only' | 'disk_full' | 'settings_dropped'

export interface TenantDoor {
  tenant<T>(scope: TenantScope, work: (tx: TenantTx) => Promise<T>, options?: TransactionOptions): Promise<T>
}

/** Everything that may look across organizations, by name. A new entry here is a decision. */
type PlatformPurpose =
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

interface PoolStats {
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

  /** Sends now what was written, and not with what else this turn of the event loop will send. */
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

/** A transaction is to end like this. */
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
    try {
      return (await this.#client.query<R>(sql, [...values])).rows
    } catch (error) {
      this.#ending.failure ??= error
      throw error
    }
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

export interface DatabaseOptions {
  readonly maxConnections: number
  /** A caller waits so long for a connection. */
  readonly connectSeconds?: number
}

export function connectDatabase(
  url: string,
  { maxConnections, connectSeconds = 3 }: DatabaseOptions,
): Database {
  const seen = new Sightings()
  const requests = openPool(url, 'voelgoed_app', { max: maxConnections, seen, connectSeconds })
  // Lanes look rows up by their keys, also in a table that was small when their statements were planned.
  const lanes = openPool(url, 'voelgoed_app', {
    max: Math.ceil(maxConnections / 2),
    seen,
    connectSeconds,
    more: { enable_seqscan: 'off' },
  })
  const platform = openPool(url, 'voelgoed_platform', { max: 2, seen, connectSeconds })
  const doorOf = (pool: pg.Pool): TenantDoor => ({
    tenant: (scope, work, options = {}) =>
      transaction({ pool, seen }, beginFor(scope, options), (client, ending) =>
        work(new TenantTx(scope.organizationId, client, ending)),
      ),
  })

  return {
    ...doorOf(requests),
    lanes: doorOf(lanes),
    platform: (_purpose, work) =>
      transaction({ pool: platform, seen }, 'begin', (client, ending) =>
        work(new PlatformTx(client, ending)),
      ),
    async ping() {
      // When the time is over, the sockets are read once more: an answer may have arrived while this process
      // was busy.
      const late = new Promise<'unreachable'>(resolve =>
        setTimeout(() => setImmediate(resolve, 'unreachable'), PING_MS).unref(),
      )
      return Promise.race([look({ pool: requests, seen }), late])
    },
    async prove() {
      for (const pool of [requests, lanes, platform]) {
        const client = await takeConnection({ pool, seen }).catch((error: Error) => {
          throw error.cause instanceof SettingsDropped ? error.cause : error
        })
        client.release()
      }
    },
    stats: () => ({ requests: statsOf(requests), lanes: statsOf(lanes) }),
    unproven: () => seen.unproven,
    async close() {
      await Promise.all([requests.end(), lanes.end(), platform.end()])
    },
  }
}

/** The connections of one kind, and what they have met with. */
interface Door {
  readonly pool: pg.Pool
  readonly seen: Sightings
}

async function takeConnection({ pool, seen }: Door): Promise<pg.PoolClient> {
  for (;;) {
    const client = await pool.connect().catch((error: Error) => {
      const cause = explainRefusedSettings(error) ?? error
      throw new NoConnection(cause.message, { cause })
    })
    if (!seen.isFromBefore(client)) return client
    client.release(true)
  }
}

async function look(door: Door): Promise<DatabaseHealth> {
  const client = await takeConnection(door).catch((error: Error) => error)
  if (client instanceof Error) {
    return client.cause instanceof SettingsDropped ? 'settings_dropped' : 'unreachable'
  }
  try {
    const { rows } = await client.query<{ takes_writes: boolean }>(
      `select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as takes_writes`,
    )
    const takesWrites = rows[0]!.takes_writes
    if (!takesWrites) door.seen.readOnly()
    client.release(!takesWrites)
    if (!takesWrites) return 'read_only'
    return door.seen.isDiskFull ? 'disk_full' : 'ok'
  } catch {
    client.release(true)
    return 'unreachable'
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

function openPool(
  url: string,
  role: RequestRole,
  {
    max,
    seen,
    connectSeconds,
    more = {},
  }: { max: number; seen: Sightings; connectSeconds: number; more?: StartSettings },
): pg.Pool {
  const settings: StartSettings = { role, ...REQUEST_LIMITS, ...more }
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: role,
    options: asOptions(settings),
    // Before its first use, of each connection.
    verify: (client: pg.PoolClient, done: (error?: Error) => void) => {
      seen.born(client)
      proveSettings(client, settings).then(
        () => done(),
        (error: Error) => {
          if (error instanceof SettingsDropped) seen.unproven += 1
          done(error)
        },
      )
    },
    connectionTimeoutMillis: connectSeconds * 1_000,
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

/** Postgres says so to a write while it takes none. */
export const READ_ONLY = '25006'
/** Postgres gives this to a statement that comes after the one that failed. */
const IN_FAILED_TRANSACTION = '25P02'
const DISK_FULL = '53100'

async function transaction<T>(
  door: Door,
  begin: string,
  work: (client: pg.PoolClient, ending: Ending) => Promise<T>,
): Promise<T> {
  const { pool, seen } = door
  if (pool.waitingCount >= MAX_WAITING) throw new TooManyWaiting('too many callers wait for a connection')
  const client = await takeConnection(door)
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
    if (ending.mayHaveWritten && !ending.rollBack) seen.wrote()
    return result
  } catch (thrown) {
    const error = codeOf(thrown) === IN_FAILED_TRANSACTION ? (ending.failure ?? thrown) : thrown
    if (!(error instanceof CommitUnknown)) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
    } else {
      broken = error
    }
    if (codeOf(error) === DISK_FULL) seen.isDiskFull = true
    if (codeOf(error) === READ_ONLY) {
      seen.readOnly()
      broken ??= error as Error
    }
    throw error
  } finally {
    client.off('error', onError)
    client.release(broken)
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code
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
