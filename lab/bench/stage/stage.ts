import { PATIENT } from '@voelgoed/testing/wait-until'
import { Generator } from './generator.ts'
import { InProcess, type Measured, type TaskOptions, type Tasks } from './in-process.ts'
import { type BenchPostgres, startPostgres } from './postgres.ts'
import { type Site, type SiteOptions, startSite } from './site.ts'

export interface StageOptions {
  readonly quick: boolean
  readonly seed: number
  /** Processes of the server. */
  readonly workers: number
  /** Settings of Postgres beside the usual ones. */
  readonly settings: Readonly<Record<string, string>>
  /** The checkout whose server is measured, if it is not this one. */
  readonly server: string | null
  /** The server's processes write their profiles into this folder. */
  readonly profile: string | null
  say(line: string): void
}

/**
 * Offers one Postgres for everything that is compared, and processes that start when a verb first wants them.
 * In a full run each measurement has a new process and a new database; in a quick run they share.
 */
export class Stage {
  readonly #quick: boolean
  readonly #options: Pick<SiteOptions, 'seed' | 'workers' | 'server' | 'profile' | 'env'>
  readonly #settings: Readonly<Record<string, string>>
  readonly #say: (line: string) => void
  #postgres: Promise<BenchPostgres> | null = null
  #generator: Generator | null = null
  #sharedProcess: InProcess | null = null
  #sharedSite: Promise<Site> | null = null

  constructor({ quick, seed, workers, settings, server, profile, say }: StageOptions) {
    this.#quick = quick
    this.#settings = settings
    // A quick run shows that it works: a machine that has no time for Postgres must not end it.
    this.#options = { seed, workers, server, profile, ...(quick && { env: PATIENT }) }
    this.#say = say
  }

  postgres(): Promise<BenchPostgres> {
    if (!this.#postgres) {
      this.#say('Starting Postgres …')
      this.#postgres = startPostgres(this.#settings)
    }
    return this.#postgres
  }

  /** A quick run of everything will need all of it: side by side it starts sooner. */
  async startAll(): Promise<void> {
    const postgres = await this.postgres()
    this.#sharedProcess ??= new InProcess(postgres, this.#options)
    this.#sharedSite ??= startSite(postgres, this.#options)
    // The caller that asks for the site gets the rejection.
    this.#sharedSite.catch(() => {})
    this.generator()
  }

  async postgresVersion(): Promise<string | null> {
    return (await this.#postgres)?.settings.server_version ?? null
  }

  /** The one process that makes load, with nothing else in it. */
  generator(): Generator {
    this.#generator ??= new Generator()
    return this.#generator
  }

  /** Work with a process that makes load beside the one there is. */
  async withGenerators<T>(count: number, work: (generators: Generator[]) => Promise<T>): Promise<T> {
    const more = Array.from({ length: count - 1 }, () => new Generator())
    try {
      return await work([this.generator(), ...more])
    } finally {
      await Promise.all(more.map(generator => generator.stop()))
    }
  }

  /** A task inside a process of the server. */
  async inProcess<Task extends keyof Tasks>(task: Task, options: TaskOptions<Task>): Promise<Measured<Task>> {
    const postgres = await this.postgres()
    if (this.#quick) {
      this.#sharedProcess ??= new InProcess(postgres, this.#options)
      return this.#sharedProcess.measure(task, options)
    }
    const own = new InProcess(postgres, this.#options)
    try {
      return await own.measure(task, options)
    } finally {
      await own.stop()
    }
  }

  /** The real server on a database of its own, with as many workers as the command line says or the verb. */
  async withSite<T>(
    work: (site: Site) => Promise<T>,
    { workers = this.#options.workers }: { workers?: number } = {},
  ): Promise<T> {
    const postgres = await this.postgres()
    if (this.#quick && workers === this.#options.workers) {
      this.#sharedSite ??= startSite(postgres, this.#options)
      return work(await this.#sharedSite)
    }
    const site = await this.openSite({ workers })
    try {
      return await work(site)
    } finally {
      await site.stop()
    }
  }

  /** The site stays until its caller stops it: several that are compared run side by side. */
  async openSite(own: Partial<Pick<SiteOptions, 'workers' | 'nodes' | 'env'>>): Promise<Site> {
    const env = { ...this.#options.env, ...own.env }
    return startSite(await this.postgres(), { ...this.#options, ...own, env })
  }

  async close(): Promise<void> {
    await Promise.all([
      this.#generator?.stop(),
      this.#sharedProcess?.stop(),
      this.#sharedSite?.then(
        site => site.stop(),
        () => {},
      ),
    ])
    await this.#postgres?.then(
      postgres => postgres.stop(),
      () => {},
    )
  }
}
