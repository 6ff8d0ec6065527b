import cluster from 'node:cluster'
import { systemClock } from '@voelgoed/kit/base/clock'
import { say, tellRootKey } from '@voelgoed/kit/base/terminal'
import { OwnAddressLimits } from '@voelgoed/kit/http/address-limits'
import { openDatabase, prepareDatabase } from '@voelgoed/kit/postgres/open'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { MIGRATIONS } from '../database/migrations.ts'
import { settleRootKey } from '../modules/sign-in/root-key.ts'
import { Member } from './member.ts'
import { MetricsOfAll } from './metrics-of-all.ts'
import { MetricsServer } from './metrics-server.ts'
import type { Served, ServedDatabase, Serving } from './serving.ts'
import { Vacancies } from './vacancies.ts'

const SERVING_WITHIN_MS = 60_000

/**
 * The first process, when there are several workers behind the port. It prepares the database once, starts
 * the workers, deals out connections to them in turn, counts what must be counted over all of them, and
 * replaces those that end. Each worker is a node like one on another machine; the keeper decides about no
 * seat and reads no request.
 */
export class Keeper implements Serving {
  readonly #config: Config
  readonly #log: Logger
  readonly #fail: (reason: string) => void
  readonly #members = new Set<Member>()
  readonly #vacancies = new Vacancies()
  readonly #limits = new OwnAddressLimits(systemClock)
  readonly #metrics = new MetricsOfAll(() => this.#serving())
  #metricsServer: MetricsServer | null = null
  #database: ServedDatabase | null = null
  #isReady = false
  #isStopping = false
  #rolling: Promise<void> | null = null

  /** `fail` ends the server. */
  constructor(config: Config, log: Logger, fail: (reason: string) => void) {
    this.#config = config
    this.#log = log
    this.#fail = fail
    // The keeper does little else, so it lets in a rush that busy workers would leave in the kernel's queue;
    // and readers who stay for hours are spread evenly. See docs/decisions/031-workers.md.
    cluster.schedulingPolicy = cluster.SCHED_RR
    // They load their code while Postgres starts.
    for (let number = 1; number <= config.workers; number += 1) this.#fork(number)
  }

  async start(database: ServedDatabase): Promise<Served> {
    const { connectSeconds } = this.#config
    await prepareDatabase(database.url, MIGRATIONS, { ...database, connectSeconds }, this.#log)
    await this.#settleRootKey(database)
    this.#database = database
    const members = [...this.#members]
    await Promise.all(members.map(member => this.#begin(member, { seedsDemo: member.number === 1 })))
    // Before buyers are let in: a port that is taken ends the start.
    this.#metricsServer = await MetricsServer.start(this.#config, () => this.#metrics.read())
    const [first] = await Promise.all(members.map(member => member.listen()))
    this.#isReady = true
    for (const member of members) this.#serves(member)
    return { ...first!, metricsAddress: this.#metricsServer?.address ?? null }
  }

  /** New workers in place of the old ones, which finish what they have in hand. */
  restart(): void {
    if (!this.#isReady || this.#isStopping) return
    this.#rolling ??= this.#replaceAll().finally(() => {
      this.#rolling = null
    })
  }

  async stop(drainSeconds: number): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#members].map(member => member.leave('stopping', drainSeconds)))
    await this.#metricsServer?.stop()
  }

  hurry(): void {
    for (const member of this.#members) member.hurry()
  }

  /** The key is told once, and before any worker could accept it. */
  async #settleRootKey({ url, requestLogin }: ServedDatabase): Promise<void> {
    const { connectSeconds } = this.#config
    const { database } = await openDatabase(url, { maxConnections: 2, connectSeconds, requestLogin })
    try {
      await settleRootKey(database, this.#config.rootKey, tellRootKey)
    } finally {
      await database.close()
    }
  }

  #serving(): Member[] {
    return [...this.#members].filter(member => member.stage === 'serving')
  }

  #fork(number: number): Member {
    const member: Member = new Member(number, cluster.fork(), {
      say,
      lastFigures: figures => this.#metrics.lastFigures(member, figures),
      metrics: () => this.#readMetrics(),
      take: takes => takes.map(([limit, key]) => this.#limits.take(limit, key)),
      giveBack: taken => this.#limits.giveBack(...taken),
    })
    this.#members.add(member)
    this.#log.debug({ worker: number, started_pid: member.pid }, 'a worker is started')
    void member.ended.then(how => this.#onEnd(member, how))
    return member
  }

  #begin(member: Member, { seedsDemo }: { seedsDemo: boolean }): Promise<void> {
    const { number } = member
    return member.begin({ number, count: this.#config.workers, seedsDemo, database: this.#database! })
  }

  /** A worker that takes part as soon as it can. */
  async #add(number: number): Promise<void> {
    const member = this.#fork(number)
    const bound = setTimeout(() => member.kill(), SERVING_WITHIN_MS)
    try {
      await this.#begin(member, { seedsDemo: false })
      await member.listen()
    } finally {
      clearTimeout(bound)
    }
    this.#serves(member)
  }

  #serves({ number, pid }: Member): void {
    this.#vacancies.filled(number)
    this.#log.info({ worker: number, serving_pid: pid }, 'a worker serves')
    this.#giveJobs()
  }

  /** One of them does what is to be done once for all. */
  #giveJobs(): void {
    const serving = this.#serving()
    if (serving.some(member => member.hasJobs)) return
    serving[0]?.takeJobs()
  }

  #onEnd(member: Member, how: string): void {
    this.#members.delete(member)
    this.#metrics.ended(member)
    if (this.#isStopping || !this.#isReady || member.isLeaving) return
    this.#giveJobs()
    const { number, pid, failure, hasServed } = member
    // While workers are replaced one after another, the old one or the next one is there.
    const next = this.#vacancies.ended({ number, hasServed, failure, isCovered: this.#isCovered(number) })
    const fields = { worker: number, ended_pid: pid, how, failure }
    this.#metrics.deaths.inc()
    const couldNotStart = !hasServed && failure !== null
    this.#log.error(fields, couldNotStart ? 'a worker could not start' : 'a worker ended and is replaced')
    if (next === 'too often') {
      const reason = `worker ${number} ended again and again, the last time with ${how}`
      process.stderr.write(`voelgoed: ${reason}\n`)
      this.#fail(reason)
    } else if (next !== 'none') this.#fill(number, next.startAfterMs)
  }

  #isCovered(number: number): boolean {
    return [...this.#members].some(other => other.number === number && !other.isLeaving)
  }

  #fill(number: number, afterMs: number): void {
    const start = () => {
      if (!this.#isStopping && !this.#isCovered(number)) this.#add(number).catch(() => {})
    }
    if (afterMs === 0) start()
    else setTimeout(start, afterMs).unref()
  }

  /** One after another, each only when the next one serves: at every moment connections are let in. */
  async #replaceAll(): Promise<void> {
    this.#log.info('replacing the workers')
    for (const old of this.#serving()) {
      if (this.#isStopping) return
      // It ended by itself meanwhile, and is being replaced for that.
      if (!this.#members.has(old)) continue
      try {
        await this.#add(old.number)
      } catch (error) {
        this.#log.error({ err: error }, 'a new worker could not start; the old ones go on')
        return
      }
      const left = old.leave('replaced')
      this.#giveJobs()
      await left
    }
    this.#log.info('the workers have been replaced')
  }

  async #readMetrics(): Promise<string> {
    try {
      return await this.#metrics.read()
    } catch (error) {
      this.#log.error({ err: error }, 'the metrics could not be added up')
      throw error
    }
  }
}
