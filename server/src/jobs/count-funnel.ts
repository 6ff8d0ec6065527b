import type { FastifyBaseLogger } from 'fastify'
import type { Database } from '../postgres/database.ts'
import { countEntries, uncountedEvents } from '../postgres/tables/funnel.ts'
import { Repeat } from '../repeat.ts'
import { TenantScope } from '../tenant.ts'

const EVERY_MS = 5_000
const EVENTS_A_RUN = 200
/** Of one event in one run: 400,000 entries. What is left waits for the next run. */
const PAGES_A_RUN = 20

export interface FunnelRun {
  readonly counted: number
  readonly failed: number
}

/**
 * Counts the journals of all events into their funnels, a page at a time, on every node:
 * see postgres/funnel.ts.
 */
export class FunnelCounter {
  readonly #database: Database
  readonly #log: FastifyBaseLogger
  readonly #onRun: (run: FunnelRun) => void
  readonly #repeat = new Repeat({
    everyMs: EVERY_MS,
    run: async () => void (await this.run()),
    onFailure: error => this.#log.error({ err: error }, 'the count of the funnel failed; it will run again'),
  })

  constructor(deps: { database: Database; log: FastifyBaseLogger; onRun: (run: FunnelRun) => void }) {
    this.#database = deps.database
    this.#log = deps.log
    this.#onRun = deps.onRun
  }

  start(): void {
    this.#repeat.start()
  }

  stop(): Promise<void> {
    return this.#repeat.stop()
  }

  async run(): Promise<FunnelRun> {
    let counted = 0
    let failed = 0
    try {
      const events = await this.#database.platform('find journals to count', tx =>
        uncountedEvents(tx, EVENTS_A_RUN),
      )
      for (const { organizationId, eventId } of events) {
        const scope = TenantScope.of(organizationId)
        for (let page = 0; page < PAGES_A_RUN && !this.#repeat.isStopped; page += 1) {
          const entries = await this.#database.tenant(scope, tx => countEntries(tx, eventId))
          counted += entries
          if (entries === 0) break
        }
      }
    } catch (error) {
      failed = 1
      this.#log.warn({ err: error }, 'the funnel could not be counted; the next run goes on')
    }
    const run = { counted, failed }
    this.#onRun(run)
    return run
  }
}
