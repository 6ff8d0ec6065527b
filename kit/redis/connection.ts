import type { FastifyBaseLogger } from 'fastify'
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import { Breaker, type BreakerOptions } from './breaker.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

/** For whom a caller waits: a read of the warm tier. */
const READ_MS = 50
/** For what no caller waits for. */
const WRITE_MS = 250

/**
 * With ioredis' defaults, commands hang while a server is frozen, and a write whose reply was lost is sent
 * again. With these no command takes longer than its time-out, and none happens twice: measured with a server
 * that is killed, frozen, and failed over (docs/operate/warm-tier.md).
 */
const OPTIONS = {
  commandTimeout: WRITE_MS,
  connectTimeout: 500,
  /** Only while a reply is due. */
  socketTimeout: 1_000,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} as const satisfies RedisOptions

const retryIn = (times: number) => Math.min(50 * times, 500)

const ONE_SERVER: RedisOptions = {
  ...OPTIONS,
  enableOfflineQueue: false,
  retryStrategy: retryIn,
  lazyConnect: true,
  scripts: SCRIPTS,
}

const CLUSTER: ClusterOptions = {
  enableOfflineQueue: false,
  lazyConnect: true,
  slotsRefreshTimeout: 500,
  slotsRefreshInterval: 2_000,
  maxRedirections: 3,
  retryDelayOnClusterDown: 50,
  // Anything above 0 sends a command again whose reply was lost.
  retryDelayOnFailover: 0,
  clusterRetryStrategy: retryIn,
  redisOptions: OPTIONS,
  scripts: SCRIPTS,
}

type Argument = string | number | Buffer
type Command = (...words: readonly Argument[]) => Promise<unknown>

/**
 * The one way to Redis: every command goes through the breaker and has a time-out. One server, or a Cluster;
 * it connects by itself, again and again, and no start of a node waits for it.
 */
export class RedisConnection {
  readonly breaker: Breaker
  readonly #urls: readonly string[]
  readonly #client: Redis | Cluster
  readonly #log: FastifyBaseLogger
  #wasReady: boolean | null = null
  #isClosed = false

  constructor(
    urls: readonly string[],
    log: FastifyBaseLogger,
    breaker: Omit<BreakerOptions, 'onChange'> = {},
  ) {
    this.#urls = urls
    this.#log = log
    this.breaker = new Breaker({
      ...breaker,
      onChange: to => log.info({ breaker: to }, 'the breaker of Redis has changed'),
    })
    const [url] = urls
    this.#client = urls.length === 1 ? new Redis(url!, ONE_SERVER) : new Cluster([...urls], CLUSTER)
    // Without a listener an error of the connection would end the process.
    this.#client.on('error', error => this.#changed(false, error))
    this.#client.on('close', () => this.#changed(false))
    this.#client.on('ready', () => this.#changed(true))
    this.#client.connect().catch(() => {})
  }

  /** For /readyz. */
  get state(): 'ok' | 'degraded' {
    return this.#client.status === 'ready' && this.breaker.state === 'closed' ? 'ok' : 'degraded'
  }

  /** Runs a script for a reader that waits. Texts come as bytes. */
  read(script: ScriptName, keys: readonly string[], ...words: readonly Argument[]): Promise<unknown> {
    return this.breaker.run(() => this.#command(`${script}Buffer`)(keys.length, ...keys, ...words), READ_MS)
  }

  /** Runs a script that no caller waits for. */
  write(script: ScriptName, keys: readonly string[], ...words: readonly Argument[]): Promise<unknown> {
    return this.breaker.run(() => this.#command(script)(keys.length, ...keys, ...words), WRITE_MS)
  }

  /** Some fields of each of some hashes, in one round trip: they must be in one slot. Null: not there. */
  fieldsOfEach(keys: readonly string[], fields: readonly string[]): Promise<(string | null)[][]> {
    return this.breaker.run(async () => {
      const pipeline = this.#client.pipeline()
      for (const key of keys) pipeline.hmget(key, ...fields)
      const replies = (await pipeline.exec()) ?? []
      return replies.map(([error, values]) => {
        if (error) throw error
        return values as (string | null)[]
      })
    }, READ_MS)
  }

  /** Members of a ZSET by rank, both ends included. */
  range(key: string, from: number, to: number): Promise<string[]> {
    return this.breaker.run(() => this.#client.zrange(key, String(from), String(to)), WRITE_MS)
  }

  /** The same with their scores. */
  async rangeWithScores(
    key: string,
    from: number,
    to: number,
  ): Promise<{ readonly member: string; readonly score: number }[]> {
    const words = await this.breaker.run(
      () => this.#client.zrange(key, String(from), String(to), 'WITHSCORES'),
      WRITE_MS,
    )
    const found: { member: string; score: number }[] = []
    for (let at = 0; at < words.length; at += 2) {
      found.push({ member: words[at]!, score: Number(words[at + 1]) })
    }
    return found
  }

  /** The texts under some keys, which must be in one slot. Null: there is none. */
  texts(keys: readonly string[]): Promise<(string | null)[]> {
    if (keys.length === 0) return Promise.resolve([])
    return this.breaker.run(() => this.#client.mget(...keys), WRITE_MS)
  }

  /** The bytes under a key, which from now on stay for so many seconds more. Null: there are none. */
  getBytes(key: string, keepSeconds: number): Promise<Buffer | null> {
    return this.breaker.run(() => this.#client.getexBuffer(key, 'EX', keepSeconds), WRITE_MS)
  }

  /** Whatever is under the key gives way. */
  async putBytes(key: string, bytes: Buffer, keepSeconds: number): Promise<void> {
    await this.breaker.run(() => this.#client.set(key, bytes, 'EX', keepSeconds), WRITE_MS)
  }

  /** Tells all that listen to the channel. */
  async publish(channel: string, text: string): Promise<void> {
    await this.breaker.run(() => this.#client.spublish(channel, text), WRITE_MS)
  }

  /** A connection for listening, not connected yet. One that is lost does not connect again. */
  subscriber(): Redis | Cluster {
    const [url] = this.#urls
    return this.#urls.length === 1
      ? new Redis(url!, { ...ONE_SERVER, retryStrategy: () => null })
      : new Cluster([...this.#urls], {
          ...CLUSTER,
          shardedSubscribers: true,
          clusterRetryStrategy: () => null,
        })
  }

  close(): void {
    this.#isClosed = true
    this.#client.disconnect()
  }

  #command(name: string): Command {
    const commands = this.#client as unknown as Readonly<Record<string, Command>>
    return (...words) => commands[name]!.call(this.#client, ...words)
  }

  /** Said once for each change, however often it tries. */
  #changed(isReady: boolean, error?: Error): void {
    if (this.#isClosed || this.#wasReady === isReady) return
    this.#wasReady = isReady
    if (isReady) this.#log.info('Redis is connected')
    else this.#log.warn({ err: error }, 'Redis is out of reach; the server does without it')
  }
}
