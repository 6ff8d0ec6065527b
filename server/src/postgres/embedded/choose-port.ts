import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Free at this moment. Somebody else may take it before Postgres does: who starts Postgres tries again. */
export async function chooseFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
