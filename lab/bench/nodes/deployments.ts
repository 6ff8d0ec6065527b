import { setTimeout as delay } from 'node:timers/promises'
import { readyz } from '@voelgoed/core/contract/running'
import { Caller } from '../../call-route.ts'
import { RedisServer } from '../../redis/server.ts'
import { secondsOf } from '../stage/processor-time.ts'
import type { Site } from '../stage/site.ts'
import type { Stage } from '../stage/stage.ts'

/** How an installation is set up. */
export interface Setup {
  readonly nodes: number
  readonly redis: boolean
  readonly bus: 'postgres' | 'redis'
  readonly gate: boolean
}

/** What everything is compared with. */
export const BASELINE: Setup = { nodes: 1, redis: false, bus: 'postgres', gate: false }

export const SETUPS: readonly Setup[] = [
  BASELINE,
  { nodes: 2, redis: false, bus: 'postgres', gate: false },
  { nodes: 1, redis: true, bus: 'redis', gate: false },
  { nodes: 1, redis: true, bus: 'redis', gate: true },
  { nodes: 2, redis: true, bus: 'postgres', gate: false },
  { nodes: 2, redis: true, bus: 'redis', gate: false },
  { nodes: 2, redis: true, bus: 'redis', gate: true },
]

/** Whose Redis is harmed. */
export function isHarmed({ nodes, bus }: Setup): boolean {
  return nodes === 2 && bus === 'redis'
}

export function nameOf({ nodes, redis, bus, gate }: Setup): string {
  const name = nodes === 1 ? 'one node' : `${nodes} nodes`
  if (!redis) return name
  const told = nodes === 1 ? '' : `, bus by ${bus === 'redis' ? 'Redis' : 'NOTIFY'}`
  return `${name}, Redis${told}${gate ? ', gate' : ''}`
}

export type Harm = 'killed' | 'paused'

const BACK_WITHIN_MS = 30_000
const LOOK_EVERY_MS = 50

/** An installation that runs: its nodes on a database of their own, and its Redis. */
export class Deployment {
  readonly setup: Setup
  readonly site: Site
  readonly #redis: RedisServer | null
  readonly #callers: readonly Caller[]

  private constructor(setup: Setup, site: Site, redis: RedisServer | null) {
    this.setup = setup
    this.site = site
    this.#redis = redis
    this.#callers = site.ports.map(port => new Caller(`http://127.0.0.1:${port}`))
  }

  static async start(stage: Stage, setup: Setup): Promise<Deployment> {
    const redis = setup.redis ? await RedisServer.start() : null
    try {
      const site = await stage.openSite({
        workers: 1,
        nodes: setup.nodes,
        env: {
          // As in production: what the limits cost is a part of what Redis costs.
          VOELGOED_LIMITS: 'on',
          VOELGOED_TRUST_PROXY: '127.0.0.1',
          VOELGOED_BUS: setup.bus,
          VOELGOED_GATE: setup.gate ? 'on' : 'off',
          ...(redis && { REDIS_URL: redis.url }),
        },
      })
      return new Deployment(setup, site, redis)
    } catch (error) {
      await redis?.stop()
      throw error
    }
  }

  /** A caller for each node. */
  get callers(): readonly Caller[] {
    return this.#callers
  }

  /** Processor time of its Redis; null: it has none, or it was killed. */
  redisSeconds(): number | null {
    return this.#redis?.isRunning ? secondsOf(this.#redis.pid) : null
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
