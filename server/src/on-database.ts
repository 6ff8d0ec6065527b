import type { Config } from './config.ts'
import { runningEmbeddedUrl, startEmbeddedPostgres } from './embedded-postgres/launch.ts'
import { connectDatabase, type Database } from './postgres/database.ts'

/** What an operator's command does on the database of an installation, whether a server runs or not. */
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
