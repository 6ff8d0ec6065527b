import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@voelgoed/kit/postgres/embedded/launch'
import pg from 'pg'

/**
 * The Postgres of a benchmark: the embedded one, new and empty, with the settings it always has and those in
 * its argument. Says where it is in one line of JSON, and ends when standard input does, so that it can't
 * outlive its parent process.
 */
const SHOWN = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'commit_delay',
  'shared_buffers',
  'max_wal_size',
] as const

const folder = await mkdtemp(join(tmpdir(), 'voelgoed-bench-'))
const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, 'data'),
  // Several installations run side by side where they are compared.
  settings: { max_connections: '400', ...(JSON.parse(process.argv[2] ?? '{}') as Record<string, string>) },
  onUnexpectedExit: description => {
    process.stderr.write(`${description}\n`)
    process.exit(1)
  },
})
const client = new pg.Client({ connectionString: postgres.url })
await client.connect()
const settings: Record<string, string> = {}
for (const name of SHOWN) settings[name] = (await client.query(`show ${name}`)).rows[0][name]
await client.end()
process.stdout.write(`${JSON.stringify({ url: postgres.url, pid: postgres.pid, settings })}\n`)

async function stop(): Promise<void> {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit(0)
}
// Both may come; stopping twice does no harm.
process.stdin.resume().once('end', stop)
// Again and again: the default would end this process at the second one, and leave Postgres behind.
process.on('SIGTERM', stop)
// A terminal sends Ctrl-C to all of us; the parent process closes standard input when it is done.
process.on('SIGINT', () => {})
