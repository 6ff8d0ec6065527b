import { setTimeout as delay } from 'node:timers/promises'
import { readOccupancy } from '@voelgoed/contract/holds'
import { readyz } from '@voelgoed/contract/running'
import { RedisServer } from '@voelgoed/testing/redis/server'
import { Caller } from '../../call-route.ts'
import { secondsOf } from '../stage/processor-time.ts'
import type { Site } from '../stage/site.ts'
import type { Stage } from '../stage/stage.ts'

/** Nodes, processes behind the port of each, and a Redis, by which the nodes hear each other or do not. */
export const INSTALLATION = /^([1-9])(?:x([1-9]))?(\+redis|\+notify)?$/

export type Harm = 'killed' | 'paused'

const BACK_WITHIN_MS = 30_000
const LOOK_EVERY_MS = 50

/** An installation that runs: its nodes on a database of their own, and its Redis. */
export class Installation {
  readonly name: string
  readonly site: Site
  readonly #redis: RedisServer | null
  readonly #callers: readonly Caller[]

  private constructor(name: string, site: Site, redis: RedisServer | null) {
    this.name = name
    this.site = site
    this.#redis = redis
    this.#callers = site.ports.map(port => new Caller(`http://127.0.0.1:${port}`))
  }

  /** `isCompared`: with limits by address and session, as in production: Redis costs them as well. */
  static async start(
    stage: Stage,
    text: string,
    { isCompared }: { isCompared: boolean },
  ): Promise<Installation> {
    const [, nodes, workers = '1', with_] = INSTALLATION.exec(text)!
    const redis = with_ ? await RedisServer.start() : null
    const limits: Record<string, string> = isCompared
      ? { VOELGOED_LIMITS: 'on', VOELGOED_TRUST_PROXY: '127.0.0.1' }
      : {}
    const bus = with_ === '+redis' ? 'redis' : 'postgres'
    try {
      const site = await stage.openSite({
        ...{ workers: Number(workers), nodes: Number(nodes) },
        env: { ...limits, VOELGOED_BUS: bus, ...(redis && { REDIS_URL: redis.url }) },
      })
      const name = [
        nodes === '1' ? 'one node' : `${nodes} nodes`,
        ...(workers === '1' ? [] : [` of ${workers} processes`]),
        ...(with_ ? [with_ === '+redis' ? ' with Redis' : ' with Redis beside NOTIFY'] : []),
      ].join('')
      const installation = new Installation(name, site, redis)
      await installation.ready()
      return installation
    } catch (error) {
      await redis?.stop()
      throw error
    }
  }

  /** There is a Redis by which its nodes hear each other. */
  get isHarmed(): boolean {
    return this.name.endsWith('nodes with Redis')
  }

  /** Processor time so far; of Redis null: it has none, or it was killed. */
  used(): { server: number | null; redis: number | null } {
    return {
      server: this.site.cpuSeconds(),
      redis: this.#redis?.isRunning ? secondsOf(this.#redis.pid) : null,
    }
  }

  /** Every node has them in memory. */
  async load(eventIds: readonly string[]): Promise<void> {
    const token = this.site.customer
    for (const event of eventIds) {
      for (const caller of this.#callers) await caller.get(readOccupancy, { token, params: { event } })
    }
  }

  async harm(harm: Harm): Promise<void> {
    if (harm === 'paused') this.#redis!.freeze()
    else await this.#redis!.kill()
  }

  /** Until every node says that it has its Redis again. */
  async heal(harm: Harm): Promise<void> {
    if (harm === 'paused') this.#redis!.thaw()
    else await this.#redis!.restart()
    await this.ready()
  }

  async ready(): Promise<void> {
    const giveUpAt = performance.now() + BACK_WITHIN_MS
    for (const caller of this.#callers) {
      while ((await caller.get(readyz)).redis !== (this.#redis ? 'ok' : 'off')) {
        if (performance.now() > giveUpAt) throw new Error('a node did not find its Redis again')
        await delay(LOOK_EVERY_MS)
      }
    }
  }

  async stop(): Promise<void> {
    for (const caller of this.#callers) caller.close()
    await this.site.stop()
    await this.#redis?.stop()
  }
}
