import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '@voelgoed/kit/postgres/embedded/is-alive'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@voelgoed/kit/postgres/embedded/launch'
import pg from 'pg'
import { temporaryFolder } from './process.ts'
import { waitUntil } from './wait-until.ts'

/** A Postgres of one test's own, with every setting that keeps promises: it may be killed. */
export class OwnPostgres {
  readonly #folder: Awaited<ReturnType<typeof temporaryFolder>>
  #postgres: EmbeddedPostgres

  private constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>, postgres: EmbeddedPostgres) {
    this.#folder = folder
    this.#postgres = postgres
  }

  static async start(): Promise<OwnPostgres> {
    const folder = await temporaryFolder()
    // It may have to run as another user than we do.
    await chmod(folder.path, 0o755)
    return new OwnPostgres(folder, await startEmbeddedPostgres({ dataDir: join(folder.path, 'data') }))
  }

  get url(): string {
    return this.#postgres.url
  }

  async sql<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> {
    const client = new pg.Client({ connectionString: this.url })
    await client.connect()
    try {
      return (await client.query<R>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  /** Immediate shutdown: no checkpoint, and connections break without a message. */
  async kill(): Promise<void> {
    const { pid } = this.#postgres
    process.kill(pid, 'SIGQUIT')
    await waitUntil('Postgres has ended', () => !isAlive(pid))
  }

  /** After a kill; on another port. */
  async restart(): Promise<void> {
    this.#postgres = await startEmbeddedPostgres({ dataDir: join(this.#folder.path, 'data') })
  }

  async stop(): Promise<void> {
    await this.#postgres.stop()
    await this.#folder.remove()
  }
}
