import { connectDatabase, type Database } from '@voelgoed/kit/postgres/database'
import { runningEmbeddedUrl, startEmbeddedPostgres } from '@voelgoed/kit/postgres/embedded/launch'
import type { Config } from '../config.ts'

type Place = Pick<Config, 'databaseUrl' | 'dataDir'> & Partial<Pick<Config, 'connectSeconds'>>

/**
 * Does an operator's command on the database of an installation, whether a server runs or not. It waits for a
 * connection as long as a request does.
 */
export async function onDatabase<T>(
  { databaseUrl, dataDir, connectSeconds = 3 }: Place,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const running = databaseUrl ?? (await runningEmbeddedUrl(dataDir))
  if (running !== null) return connected(running, connectSeconds, work)
  const embedded = await startEmbeddedPostgres({ dataDir })
  try {
    return await connected(embedded.url, connectSeconds, work)
  } finally {
    await embedded.stop()
  }
}

async function connected<T>(
  url: string,
  connectSeconds: number,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const database = connectDatabase(url, { maxConnections: 2, connectSeconds })
  try {
    await database.prove()
    return await work(database)
  } finally {
    await database.close()
  }
}
