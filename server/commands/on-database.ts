import { connectDatabase, type Database } from '@voelgoed/kit/postgres/database'
import { runningEmbeddedUrl, startEmbeddedPostgres } from '@voelgoed/kit/postgres/embedded/launch'
import type { Config } from '../config.ts'

/** Does an operator's command on the database of an installation, whether a server runs or not. */
export async function onDatabase<T>(
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const running = databaseUrl ?? (await runningEmbeddedUrl(dataDir))
  if (running !== null) return connected(running, work)
  const embedded = await startEmbeddedPostgres({ dataDir })
  try {
    return await connected(embedded.url, work)
  } finally {
    await embedded.stop()
  }
}

async function connected<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connectDatabase(url, { maxConnections: 2 })
  try {
    await database.prove()
    return await work(database)
  } finally {
    await database.close()
  }
}
