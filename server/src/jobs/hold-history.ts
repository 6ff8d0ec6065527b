import type { FastifyBaseLogger } from 'fastify'
import { HISTORY_CHUNK } from '../events/catch-up-history.ts'
import type { Database } from '../postgres/database.ts'
import { eventsBehind, writeHistory } from '../postgres/tables/hold-history.ts'
import { Repeat } from '../repeat.ts'
import { TenantScope } from '../tenant.ts'

/** Without a commit of this node: another may have died before it wrote the history of its own. */
const EVERY_MS = 5_000
/** From a commit to the run that it wakes: what else is committed until then is written with it. */
const AFTER_COMMIT_MS = 250
const EVENTS_A_RUN = 200
/** Of one event in one run. What is left waits for the next run, which follows at once. */
const CHUNKS_A_RUN = 50

export interface HistoryRun {
  /** Entries of the journal that were read. */
  readonly entries: number
  readonly failed: number
  /** How old the oldest entry was that was not in the history yet. */
  readonly lagMs: number
}

/**
 * Follows the journal of each event and writes the holds that have ended into hold_history: on every
 * node, one node at a time for an event. Nothing waits for it: what must be exact catches up first
 * (events/catch-up-history.ts).
 */
export class HoldHistory {
  readonly #database: Database
  readonly #log: FastifyBaseLogger
  readonly #onRun: (run: HistoryRun) => void
  readonly #repeat = new Repeat({
    everyMs: EVERY_MS,
    run: async () => ((await this.run()).isComplete ? EVERY_MS : 0),
    onFailure: error => this.#log.error({ err: error }, 'the history of holds failed; it will run again'),
  })

  constructor(deps: { database: Database; log: FastifyBaseLogger; onRun: (run: HistoryRun) => void }) {
    this.#database = deps.database
    this.#log = deps.log
    this.#onRun = deps.onRun
  }

  start(): void {
    this.#repeat.start(0)
  }

  stop(): Promise<void> {
    return this.#repeat.stop()
  }

  /** This node has committed changes. Does nothing before `start`. */
  wake(): void {
    this.#repeat.wakeIn(AFTER_COMMIT_MS)
  }

  async run(): Promise<HistoryRun & { readonly isComplete: boolean }> {
    let [entries, failed, lagMs, isComplete] = [0, 0, 0, true]
    const behind = await this.#database.platform('find journals without history', tx =>
      eventsBehind(tx, EVENTS_A_RUN),
    )
    for (const { organizationId, eventId, seq } of behind) {
      const scope = TenantScope.of(organizationId)
      try {
        for (let chunks = 0; !this.#repeat.isStopped; chunks += 1) {
          if (chunks === CHUNKS_A_RUN) {
            isComplete = false
            break
          }
          const chunk = await this.#database.tenant(scope, tx =>
            writeHistory(tx, eventId, HISTORY_CHUNK, 'skip'),
          )
          entries += chunk.entries
          lagMs = Math.max(lagMs, chunk.lagMs)
          if (chunk.entries === 0 || chunk.cursor >= seq) break
        }
      } catch (error) {
        failed += 1
        this.#log.warn(
          { err: error, event_id: eventId },
          'the history of holds could not be written; the next run goes on',
        )
      }
    }
    isComplete &&= behind.length < EVENTS_A_RUN
    const run = { entries, failed, lagMs }
    this.#onRun(run)
    return { ...run, isComplete: isComplete || failed > 0 }
  }
}
