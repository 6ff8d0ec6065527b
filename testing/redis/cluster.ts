import { waitUntil } from '../wait-until.ts'
import { findRedis, NO_REDIS } from './program.ts'
import { RedisServer } from './server.ts'

const SLOTS = 16_384
const MASTERS = 3
/**
 * A master that is gone is replaced after two seconds, and only its slots fail until then. A replica that
 * would wait for others before its first copy could not take over in that time.
 */
const SETTINGS = [
  ...['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000'],
  ...['--cluster-require-full-coverage', 'no', '--repl-diskless-sync-delay', '0'],
]

/** A Redis Cluster of our own: three masters, a replica each. */
export interface RedisCluster {
  /** As REDIS_URL has it: three of the nodes. */
  readonly url: string
  /** The masters first, in the order of their slots. */
  readonly servers: readonly RedisServer[]
  /** The server that is the master of a key now. */
  masterOf(key: string): Promise<RedisServer>
  stop(): Promise<void>
}

export async function startRedisCluster(): Promise<RedisCluster> {
  const program = await findRedis({ mayFetch: true })
  if (!program) throw new Error(NO_REDIS)
  const servers: RedisServer[] = []
  const stop = async () => {
    await Promise.all(servers.map(server => server.stop()))
  }
  try {
    for (let count = 0; count < 2 * MASTERS; count += 1) servers.push(await RedisServer.of(program, SETTINGS))
    await join(servers)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url: servers
      .slice(0, MASTERS)
      .map(server => server.url)
      .join(','),
    servers,
    async masterOf(key) {
      const ports = new Map(servers.map(server => [server.port, server]))
      for (const server of servers) {
        const slot = await server.command('CLUSTER', 'KEYSLOT', key).catch(() => null)
        if (slot === null) continue
        const nodes = await nodesKnownTo(server)
        const master = nodes.find(node => node.isMaster && !node.hasFailed && node.owns(Number(slot)))
        const found = master && ports.get(master.port)
        if (found) return found
      }
      throw new Error(`no server is the master of ${key}`)
    },
    stop,
  }
}

async function join(servers: readonly RedisServer[]): Promise<void> {
  const masters = servers.slice(0, MASTERS)
  for (const [index, master] of masters.entries()) {
    const from = Math.ceil((SLOTS * index) / MASTERS)
    const to = Math.ceil((SLOTS * (index + 1)) / MASTERS) - 1
    await master.command('CLUSTER', 'ADDSLOTSRANGE', String(from), String(to))
    await master.command('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1))
  }
  const [first, ...others] = servers
  // A handshake that takes longer than two seconds is given up by the servers, and none begins it again.
  const meet = async () => {
    const known = await nodesKnownTo(first!)
    for (const { port } of others) {
      if (known.some(node => node.port === port)) continue
      await first!.command('CLUSTER', 'MEET', '127.0.0.1', String(port))
    }
  }
  await waitUntil('all servers know each other', async () => {
    await meet()
    const known = await Promise.all(servers.map(server => nodesKnownTo(server)))
    return known.every(nodes => nodes.filter(node => !node.isInHandshake).length === servers.length)
  })
  for (const [index, replica] of servers.slice(MASTERS).entries()) {
    const id = String(await masters[index]!.command('CLUSTER', 'MYID'))
    await replica.command('CLUSTER', 'REPLICATE', id)
  }
  await waitUntil('three replicas have their copy', async () => {
    const links = await Promise.all(servers.slice(MASTERS).map(server => server.info('master_link_status')))
    return links.every(link => link === 'up')
  })
  await waitUntil('all servers say that the Cluster is well', async () => {
    const states = await Promise.all(servers.map(server => server.command('CLUSTER', 'INFO')))
    const known = await Promise.all(servers.map(server => nodesKnownTo(server)))
    const hasReplicas = known.every(nodes => nodes.filter(node => node.isMaster).length === MASTERS)
    return hasReplicas && states.every(state => String(state).includes('cluster_state:ok'))
  })
}

interface KnownNode {
  readonly port: number
  readonly isMaster: boolean
  readonly hasFailed: boolean
  readonly isInHandshake: boolean
  owns(slot: number): boolean
}

/** Each line: id, address, flags, master, two times, config epoch, link, slots. */
async function nodesKnownTo(server: RedisServer): Promise<KnownNode[]> {
  const text = String(await server.command('CLUSTER', 'NODES'))
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [, address = '', flags = '', , , , , , ...slots] = line.split(' ')
      const ranges = slots.map(range => range.split('-').map(Number))
      const all = flags.split(',')
      return {
        port: Number(/:(\d+)@/.exec(address)?.[1]),
        isMaster: all.includes('master'),
        hasFailed: all.includes('fail') || all.includes('fail?'),
        isInHandshake: all.includes('handshake'),
        owns: slot => ranges.some(([from = -1, to = from]) => slot >= from && slot <= to),
      }
    })
}
