import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ServerProcess, startProcess } from '@voelgoed/testing/process'
import { parsePrometheusText, seriesValue } from '@voelgoed/testing/prometheus-text'
import { createTestDatabase } from '@voelgoed/testing/test-database'
import { afterEach, expect, it } from 'vitest'

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function start(env: Record<string, string>): Promise<ServerProcess> {
  const database = await createTestDatabase()
  const server = startProcess({ DATABASE_URL: database.url, ...env })
  cleanUps.push(async () => {
    server.child.kill('SIGTERM')
    await server.exited()
    await database.drop()
  })
  return server
}

it.each([1, 2])(
  '%i workers: /metrics of all is at the address of its own, and not at that of buyers',
  async workers => {
    const server = await start({ VOELGOED_WORKERS: String(workers), VOELGOED_METRICS_PORT: '0' })
    const url = await server.ready()
    const [, metrics] = /^Metrics at (\S+)$/m.exec(server.output.stdout)!
    expect(new URL(metrics!).hostname).toBe('127.0.0.1')
    const answer = await fetch(metrics!)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const families = parsePrometheusText(await answer.text())
    expect(seriesValue(families, 'voelgoed_workers')).toBe(workers)
    expect(seriesValue(families, 'voelgoed_database_up')).toBe(1)

    const forBuyers = await fetch(`${url}/metrics`)
    expect([forBuyers.status, await forBuyers.json()]).toMatchObject([404, { code: 'not_found' }])
    for (const path of ['/', '/healthz', '/api/events']) {
      expect((await fetch(new URL(path, metrics))).status).toBe(404)
    }
    expect((await fetch(metrics!, { method: 'POST' })).status).toBe(404)
  },
)

it.each([1, 2])(
  '%i workers: a port of the metrics that is taken: one line and exit code 1',
  async workers => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    cleanUps.push(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const server = await start({ VOELGOED_WORKERS: String(workers), VOELGOED_METRICS_PORT: String(port) })
    expect(await server.exited()).toBe(1)
    expect(server.output.stderr).toMatch(
      /^voelgoed: VOELGOED_METRICS_PORT \d+ on 127\.0\.0\.1 can not be used: /,
    )
  },
)
