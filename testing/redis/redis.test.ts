import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { programArguments } from '../../scripts/build/programs.mjs'
import { waitUntil } from '../wait-until.ts'
import { RedisClient } from './client.ts'
import { startRedisCluster } from './cluster.ts'
import { RedisServer } from './server.ts'

it('a server of our own is killed, starts again on its port with nothing in it, freezes and thaws', async () => {
  const redis = await RedisServer.start()
  try {
    await redis.command('SET', 'a', '1')
    const { port } = redis
    await redis.kill()
    await expect(redis.command('GET', 'a')).rejects.toThrow()
    await redis.restart()
    expect(redis.port).toBe(port)
    expect(await redis.command('GET', 'a')).toBeNull()
    redis.freeze()
    const asked = redis.command('PING')
    redis.thaw()
    expect(await asked).toBe('PONG')
  } finally {
    await redis.stop()
  }
})

it('a server does not outlive the process that started it, even when that is killed', async () => {
  const parent = spawn(process.execPath, programArguments('test-redis'))
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pid = Number(String(line))
  expect(process.kill(pid, 0)).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isThere(pid)).toBe(false)
})

it('a Cluster replaces the master of a key when it is killed', async () => {
  const cluster = await startRedisCluster()
  try {
    // On a machine that stands still for seconds a replica may be late, or take over by itself.
    const before = await waitUntil('a replica has what was written', async () => {
      const master = await cluster.masterOf('a').catch(() => null)
      return master && (await isWritten(master)) && master
    })
    await before.kill()
    await expect.poll(async () => (await cluster.masterOf('a').catch(() => before)) !== before).toBe(true)
    // The nodes may choose more than once.
    const read = async () => (await cluster.masterOf('a')).command('GET', 'a')
    await expect.poll(() => read().catch(() => null)).toBe('1')
  } finally {
    await cluster.stop()
  }
})

/** On one connection, which waits for its own writes alone. */
async function isWritten(master: RedisServer): Promise<boolean> {
  const client = await RedisClient.connect(master.url)
  try {
    await client.command('SET', 'a', '1')
    return (await client.command('WAIT', '1', '10000')) === 1
  } catch {
    return false
  } finally {
    client.close()
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
