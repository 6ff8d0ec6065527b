import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StartupError } from '@voelgoed/kit/base/startup-error'
import { Registry } from 'prom-client'
import type { Config } from '../config.ts'

/** `/metrics` at an address of its own, which buyers need not reach. */
export class MetricsServer {
  readonly address: string
  readonly #server: Server

  private constructor(server: Server, address: string) {
    this.#server = server
    this.address = address
  }

  /** Null: there is none, and /metrics is at the port of all. `read`: null when they can't be had in time. */
  static async start(
    { metricsPort, metricsHost }: Pick<Config, 'metricsPort' | 'metricsHost'>,
    read: () => Promise<string | null>,
  ): Promise<MetricsServer | null> {
    if (metricsPort === null) return null
    const server = createServer(async (request, response) => {
      response.setHeader('content-type', 'text/plain; charset=utf-8')
      response.setHeader('x-content-type-options', 'nosniff')
      const [path] = (request.url ?? '').split('?')
      if (path !== '/metrics' || !['GET', 'HEAD'].includes(request.method ?? '')) {
        response.writeHead(404).end('Here is GET /metrics, and nothing else.\n')
        return
      }
      const text = await read().catch(() => null)
      if (text === null)
        response.writeHead(503, { 'retry-after': '5' }).end('The metrics can not be read now.\n')
      else response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text)
    })
    try {
      server.listen({ port: metricsPort, host: metricsHost })
      await once(server, 'listening')
    } catch (error) {
      throw new StartupError(
        `VOELGOED_METRICS_PORT ${metricsPort} on ${metricsHost} can not be used: ${(error as Error).message}`,
      )
    }
    const { port } = server.address() as AddressInfo
    const host = metricsHost.includes(':') ? `[${metricsHost}]` : metricsHost
    return new MetricsServer(server, `http://${host}:${port}/metrics`)
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}
