import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { PROGRAMS } from '@voelgoed/kit/base/root'
import { claimRun, finishRun, type JobState, readJob } from '@voelgoed/kit/jobs/job-runs'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import type { VerifyJob, VerifyResult } from './verify/child.ts'

const NAME = 'verify'
const LOOK_EVERY_MS = 10 * 60_000
const STATEMENT_TIMEOUT_MS = 10 * 60_000
const MAX_RUN_MS = 60 * 60_000
const MAX_HEAP_MB = 1_024
const CHILD = fileURLToPath(new URL('verify-child.js', PROGRAMS))

/**
 * Checks the database against the invariants once in `everyHours`, on one of the nodes, in a process of its
 * own: the replay of a large event needs memory and time that the serving process must not spend. The child
 * has a low priority, a bound for its memory, for each statement and for the whole run.
 */
export class DailyVerify implements Job {
  readonly name = 'verify'
  readonly on = 'node'
  readonly #database: Database
  readonly #databaseUrl: string
  readonly #log: FastifyBaseLogger
  readonly #everyHours: number
  state: JobState = { succeededAt: null, findings: 0 }
  readonly #repeat = new Repeat({
    everyMs: LOOK_EVERY_MS,
    run: async () => void (await this.look()),
    onFailure: error => this.#log.error({ err: error }, 'the daily verify failed; it will try again'),
  })
  #child: ChildProcess | null = null

  /** `everyHours: 0`: this node never verifies, but still tells what others found. */
  constructor(deps: { database: Database; databaseUrl: string; log: FastifyBaseLogger; everyHours: number }) {
    this.#database = deps.database
    this.#databaseUrl = deps.databaseUrl
    this.#log = deps.log
    this.#everyHours = deps.everyHours
  }

  start(): void {
    this.#repeat.start()
  }

  async stop(): Promise<void> {
    const stopped = this.#repeat.stop()
    this.#child?.kill('SIGKILL')
    await stopped
  }

  /** Runs it if it is due and no other node has taken it. Returns whether it ran. */
  async look(): Promise<boolean> {
    try {
      const isOurs =
        this.#everyHours > 0 &&
        (await this.#database.platform('run a job of the installation', tx =>
          claimRun(tx, NAME, {
            everySeconds: this.#everyHours * 3_600,
            stuckSeconds: (2 * MAX_RUN_MS) / 1_000,
          }),
        ))
      if (isOurs) await this.#run()
      this.state = await this.#database.platform('run a job of the installation', tx => readJob(tx, NAME))
      return isOurs
    } catch (error) {
      this.#log.warn({ err: error }, 'the daily verify could not run; it will try again')
      return false
    }
  }

  async #run(): Promise<void> {
    const result = await this.#verify()
    if (result.kind === 'failed') {
      this.#log.warn({ reason: result.message }, 'the daily verify could not run; it will try again')
    } else if (result.violations > 0) {
      this.#log.error({ ...result }, 'the daily verify found something that must not be')
    } else {
      this.#log.info({ ms: Math.round(result.ms), untidy: result.untidy }, 'the daily verify found nothing')
    }
    const findings = result.kind === 'failed' ? null : result.violations
    await this.#database.platform('run a job of the installation', tx => finishRun(tx, NAME, findings))
  }

  #verify(): Promise<VerifyResult> {
    return new Promise(resolve => {
      const child = fork(CHILD, {
        execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      })
      this.#child = child
      const bound = setTimeout(() => child.kill('SIGKILL'), MAX_RUN_MS).unref()
      const settle = (result: VerifyResult) => {
        clearTimeout(bound)
        this.#child = null
        resolve(result)
      }
      child.once('message', result => settle(result as VerifyResult))
      child.once('error', error => settle({ kind: 'failed', message: error.message }))
      child.once('exit', (code, signal) =>
        settle({ kind: 'failed', message: `it ended with ${code ?? signal}` }),
      )
      const job: VerifyJob = { databaseUrl: this.#databaseUrl, statementTimeoutMs: STATEMENT_TIMEOUT_MS }
      child.send(job, error => error && settle({ kind: 'failed', message: error.message }))
    })
  }
}
