import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/launch.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { describeSchema } from './describe-schema.ts'

const folder = await mkdtemp(join(tmpdir(), 'voelgoed-schema-'))
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), settings: { fsync: 'off' } })
try {
  const owner = new pg.Client({ connectionString: postgres.url })
  await owner.connect()
  await migrate(owner)
  await writeFile(new URL('../../src/postgres/schema.sql', import.meta.url), await describeSchema(owner))
  await owner.end()
} finally {
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
