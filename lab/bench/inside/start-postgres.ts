import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive } from '@voelgoed/kit/postgres/embedded/is-alive'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@voelgoed/kit/postgres/embedded/launch'

/**
 * The embedded Postgres in a folder that the parent names, for tests that harm it. It sends its address to
 * the parent after each start. On `restart` it ends Postgres at once (immediate shutdown: no checkpoint)
 * unless Postgres has ended already, and starts it again on another port.
 */
const folder = process.argv[2]!
const settings = JSON.parse(process.argv[3] ?? '{}') as Record<string, string>

// It may have to run as another user than we do.
await chmod(folder, 0o755)
let postgres: EmbeddedPostgres = await start()

process.on('message', async (told: { kind: 'restart' }) => {
  if (told.kind !== 'restart') return
  if (isAlive(postgres.pid)) process.kill(postgres.pid, 'SIGQUIT')
  while (isAlive(postgres.pid)) await new Promise(resolve => setTimeout(resolve, 10))
  postgres = await start()
})
const stop = () => void postgres.stop().finally(() => process.exit(0))
process.once('SIGTERM', stop)
process.once('disconnect', stop)
// A terminal sends Ctrl-C to all of us; the parent process says when it is done.
process.on('SIGINT', () => {})

async function start(): Promise<EmbeddedPostgres> {
  const started = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings })
  process.send?.({ url: started.url, pid: started.pid })
  return started
}
