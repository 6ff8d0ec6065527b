import { RedisClient } from '@voelgoed/testing/redis/client'
import { type RedisCluster, startRedisCluster } from '@voelgoed/testing/redis/cluster'
import { RedisProxy } from '@voelgoed/testing/redis/proxy'
import { RedisServer } from '@voelgoed/testing/redis/server'

export type RedisKind = 'one' | 'cluster'

/** A way of one node to Redis. In a Cluster nodes connect to the servers themselves: there is no proxy. */
export interface RedisLine {
  readonly url: string
  readonly proxy: RedisProxy | null
}

const ANSWER_WITHIN_MS = 2_000
const MOST_STEPS = 10

/** The Redis of a fault run: one server with a proxy for each node, or a Cluster of six. */
export class LabRedis {
  readonly kind: RedisKind
  readonly cluster: RedisCluster | null
  readonly servers: readonly RedisServer[]
  readonly #proxies: RedisProxy[] = []
  readonly #clients = new Map<RedisServer, RedisClient>()
  /** The keys of an event were last on this server. */
  readonly #where = new Map<string, RedisServer>()

  private constructor(servers: readonly RedisServer[], cluster: RedisCluster | null) {
    this.kind = cluster ? 'cluster' : 'one'
    this.cluster = cluster
    this.servers = servers
  }

  static async start(kind: RedisKind): Promise<LabRedis> {
    if (kind === 'one') return new LabRedis([await RedisServer.start()], null)
    const cluster = await startRedisCluster()
    return new LabRedis(cluster.servers, cluster)
  }

  get proxies(): readonly RedisProxy[] {
    return this.#proxies
  }

  async addLine(): Promise<RedisLine> {
    if (this.cluster) return { url: this.cluster.url, proxy: null }
    const proxy = await RedisProxy.start(this.servers[0]!.url)
    this.#proxies.push(proxy)
    return { url: proxy.url, proxy }
  }

  /** One command about keys of an event, to the server that has them. */
  async ask(event: string, ...words: readonly string[]): Promise<string | number | null> {
    let server = this.#where.get(event) ?? this.servers[0]!
    for (let step = 1; ; step += 1) {
      try {
        const answer = await this.#send(server, words)
        this.#where.set(event, server)
        return answer
      } catch (error) {
        const { message } = error as Error
        const moved = /^Redis: MOVED \d+ \S*:(\d+)$/.exec(message)
        if (step === MOST_STEPS || (message.startsWith('Redis: ') && !moved)) throw error
        const next = this.servers[(this.servers.indexOf(server) + 1) % this.servers.length]!
        server = this.servers.find(({ port }) => port === Number(moved?.[1])) ?? next
      }
    }
  }

  async #send(server: RedisServer, words: readonly string[]): Promise<string | number | null> {
    const client = this.#clients.get(server) ?? (await RedisClient.connect(server.url))
    this.#clients.set(server, client)
    let bound: NodeJS.Timeout | undefined
    try {
      const late = new Promise<never>((_, reject) => {
        bound = setTimeout(() => reject(new Error('no answer of Redis')), ANSWER_WITHIN_MS)
      })
      return await Promise.race([client.command(...words), late])
    } catch (error) {
      if (!(error as Error).message.startsWith('Redis: ')) {
        client.close()
        this.#clients.delete(server)
      }
      throw error
    } finally {
      clearTimeout(bound)
    }
  }

  /** Finds the servers that have keys now. */
  async masters(): Promise<RedisServer[]> {
    const roles = await Promise.all(this.servers.map(server => server.info('role').catch(() => null)))
    return this.servers.filter((_, index) => roles[index] === 'master')
  }

  /** Empties it for the next run; nodes of the last one are gone. */
  async forget(): Promise<void> {
    for (const proxy of this.#proxies.splice(0)) await proxy.close()
    for (const server of await this.masters()) await server.command('FLUSHALL')
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.values()) client.close()
    for (const proxy of this.#proxies.splice(0)) await proxy.close()
    if (this.cluster) await this.cluster.stop()
    else await this.servers[0]!.stop()
  }
}
