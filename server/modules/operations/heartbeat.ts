import { processTime, type Time } from '@voelgoed/kit/base/time'
import type { Job } from '@voelgoed/kit/jobs/jobs'
import { Repeat } from '@voelgoed/kit/jobs/repeat'
import type { Database } from '@voelgoed/kit/postgres/database'
import type { FastifyBaseLogger } from 'fastify'
import { keepNode, type NodeState, removeNode } from '../copies/tables/nodes.ts'

const EVERY_MS = 2_000

export interface HeartbeatDeps {
  readonly database: Pick<Database, 'platform'>
  readonly log: FastifyBaseLogger
  state(): NodeState
  readonly time?: Time
}

/** Says every two seconds in Postgres that this node lives, and what it has. */
export class Heartbeat implements Job {
  readonly name = 'heartbeat'
  readonly on = 'node'
  readonly endsBeforeLanes = true
  readonly #deps: HeartbeatDeps
  readonly #repeat: Repeat
  /** Nodes that live, this one included, as it saw last. */
  alive = 0
  #hasFailed = false

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps
    this.#repeat = new Repeat({
      everyMs: EVERY_MS,
      run: async () => void (await this.beat()),
      onFailure: error => this.#failed(error),
      time: deps.time ?? processTime,
    })
  }

  start(): void {
    this.#repeat.start(0)
  }

  /** The others need not wait for this node any more. */
  async stop(): Promise<void> {
    await this.#repeat.stop()
    const { database, log, state } = this.#deps
    await database
      .platform('keep the list of nodes', tx => removeNode(tx, state().id))
      .catch(error => log.warn({ err: error }, 'could not say that this node ends'))
  }

  async beat(): Promise<void> {
    const { database, state } = this.#deps
    this.alive = await database.platform('keep the list of nodes', tx => keepNode(tx, state()))
    this.#hasFailed = false
  }

  /** Said once for an outage. */
  #failed(error: unknown): void {
    if (!this.#hasFailed) this.#deps.log.warn({ err: error }, 'could not say that this node lives')
    this.#hasFailed = true
  }
}
