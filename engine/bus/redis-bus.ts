import type { Announcements } from '@voelgoed/kit/postgres/announcements'
import type { PubSub } from '@voelgoed/kit/redis/pub-sub'
import type { FastifyBaseLogger } from 'fastify'
import type { Bus } from '../ports/bus.ts'

/**
 * The bus by Redis, with the one by Postgres behind it. A node always listens to both. It tells by Redis,
 * and by Postgres as well while it does not hear Redis itself, or while another node says that it does not:
 * nodes without Redis say so by Postgres, again and again. So nodes of which only some reach Redis hear
 * each other, and a deployment may change from one bus to the other node by node.
 *
 * What was told between the loss of Redis and the moment at which the others know of it can be missed: this
 * node does not listen meanwhile, and looks for itself when it does again.
 */
export class RedisBus implements Bus {
  /** Events told about, by way. */
  readonly told = { redis: 0, postgres: 0 }
  readonly #pubSub: PubSub
  readonly #postgres: Announcements
  readonly #began: (() => void)[] = []
  #wasListening = false

  constructor(pubSub: PubSub, postgres: Announcements, log: FastifyBaseLogger) {
    this.#pubSub = pubSub
    this.#postgres = postgres
    pubSub.onListeningChange(yes => {
      log.info(
        { redis: yes },
        yes ? 'hears the other nodes by Redis' : 'hears the other nodes by Postgres alone',
      )
      postgres.rely(!yes)
      this.#settle()
    })
    pubSub.onUntold((...moved) => this.#tellByPostgres(...moved))
    postgres.onListeningChange(() => this.#settle())
    postgres.onOthersKnow(() => this.#settle())
  }

  start(): void {
    this.#postgres.start()
    this.#pubSub.start()
  }

  async stop(): Promise<void> {
    this.#pubSub.stop()
    await this.#postgres.stop()
  }

  /** Reached by Redis; Postgres must be heard in any case, because a node without Redis tells there. */
  get isListening(): boolean {
    return this.#postgres.isListening && (this.#pubSub.isListening || this.#postgres.doOthersKnow)
  }

  get isByRedis(): boolean {
    return this.#pubSub.isListening
  }

  get malformed(): number {
    return this.#pubSub.counts.malformed + this.#postgres.malformed
  }

  get dropped(): number {
    return this.#pubSub.counts.dropped
  }

  tell(...moved: Parameters<Bus['tell']>): void {
    const isByRedis = this.#pubSub.isListening
    if (isByRedis) {
      this.told.redis += 1
      this.#pubSub.tell(...moved)
    }
    if (!isByRedis || this.#postgres.isReliedOn) this.#tellByPostgres(...moved)
  }

  onHeard(heard: Parameters<Bus['onHeard']>[0]): void {
    this.#pubSub.onHeard(heard)
    this.#postgres.onHeard(heard)
  }

  /** By Postgres alone: every node listens there, and none is to load an event twice. */
  ask(...asked: Parameters<Bus['ask']>): Promise<boolean> {
    return this.#postgres.ask(...asked)
  }

  onAsked(asked: Parameters<Bus['onAsked']>[0]): void {
    this.#postgres.onAsked(asked)
  }

  onListening(began: () => void): void {
    this.#began.push(began)
  }

  #tellByPostgres(...moved: Parameters<Bus['tell']>): void {
    this.told.postgres += 1
    this.#postgres.tell(...moved)
  }

  #settle(): void {
    const { isListening } = this
    if (isListening === this.#wasListening) return
    this.#wasListening = isListening
    if (isListening) for (const began of this.#began) began()
  }
}
