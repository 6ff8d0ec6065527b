import { RedisClient } from '@voelgoed/testing/redis/client'
import { findRedis } from '@voelgoed/testing/redis/program'
import { RedisServer } from '@voelgoed/testing/redis/server'

export interface ChosenRedis {
  readonly url: string
  readonly version: string
  stop(): Promise<void>
}

/** The one of REDIS_URL, else one of our own. Null: there is none to compare with. */
export async function chooseRedis({ mayFetch }: { mayFetch: boolean }): Promise<ChosenRedis | null> {
  const given = process.env.REDIS_URL?.split(',')[0]
  if (given) return { url: given, version: await versionAt(given), stop: async () => {} }
  const program = await findRedis({ mayFetch })
  if (!program) return null
  const server = await RedisServer.of(program)
  return { url: server.url, version: await versionAt(server.url), stop: () => server.stop() }
}

async function versionAt(url: string): Promise<string> {
  const client = await RedisClient.connect(url)
  try {
    return /redis_version:([\d.]+)/.exec(String(await client.command('INFO', 'server')))?.[1] ?? 'unknown'
  } finally {
    client.close()
  }
}
