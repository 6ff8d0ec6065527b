import { createServer } from 'node:net'

interface PortRange {
  readonly from: number
  readonly to: number
}

/**
 * For programs that can not be asked which port the system gave them. All of these lie below the ports that
 * systems give by themselves: another connection of the tests would take one of those before the program has
 * started. Redis has the first range, and a Cluster of it talks on the port 10,000 above.
 */
export const REDIS_PORTS: PortRange = { from: 10_240, to: 20_240 }
const OTHER_PORTS: PortRange = { from: 30_240, to: 32_768 }

export async function freePort({ from, to }: PortRange = OTHER_PORTS): Promise<number> {
  for (;;) {
    const port = from + Math.floor(Math.random() * (to - from))
    if (await isFree(port)) return port
  }
}

export function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
