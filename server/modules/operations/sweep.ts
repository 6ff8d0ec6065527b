import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { FastifyBaseLogger } from 'fastify'
import type { Sweep } from '../module.ts'

const EVERY_MS = 60_000
const BATCH = 5_000
/** One run does at most so many of each kind. The rest waits for the next run. */
const MAX_BATCHES = 100

export interface SweepRun {
  /** By the name of their sweep. */
  readonly deleted: Readonly<Record<string, number>>
  /** The names of the sweeps that failed. The others were done. */
  readonly failed: readonly string[]
  readonly ms: number
}

interface SweeperDeps {
  readonly sweeps: readonly Sweep[]
  readonly log: FastifyBaseLogger
  readonly onRun: (run: SweepRun) => void
}

/**
 * Deletes what has expired and what is older than its retention, in batches, on every node. Nothing depends
 * on it but the size of the tables: an expired row counts for nothing, swept or not.
 */
export class Sweeper implements Job {
  readonly name = 'sweep'
  readonly on = 'machine'
  readonly #deps: SweeperDeps
  readonly #repeat = new Repeat({
    everyMs: EVERY_MS,
    run: async () => void (await this.sweep()),
    onFailure: error => this.#deps.log.error({ err: error }, 'the sweep failed; the next one will try again'),
  })

  constructor(deps: SweeperDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#repeat.start()
  }

  stop(): Promise<void> {
    return this.#repeat.stop()
  }

  async sweep(): Promise<SweepRun> {
    const { sweeps, log, onRun } = this.#deps
    const started = performance.now()
    const deleted: Record<string, number> = {}
    const failed: string[] = []
    for (const { name, run } of sweeps) {
      deleted[name] = 0
      try {
        for (let batch = 0; batch < MAX_BATCHES && !this.#repeat.isStopped; batch += 1) {
          const { count, isLast } = await run(BATCH)
          deleted[name] += count
          if (isLast) break
        }
      } catch (error) {
        failed.push(name)
        log.warn({ err: error, what: name }, 'the sweep failed; the next one will try again')
      }
    }
    const swept = { deleted, failed, ms: performance.now() - started }
    if (Object.values(deleted).some(count => count > 0)) {
      log.info({ swept: deleted, ms: Math.round(swept.ms) }, 'swept what had expired')
    }
    onRun(swept)
    return swept
  }
}
