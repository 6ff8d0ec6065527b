import { ALL_HOLDS } from './all-holds.ts'
import type { TestServer } from './harness.ts'
import type { TestDatabase } from './test-database.ts'

/** Returns how many milliseconds a hold still lives, by the clock that judges. */
export async function lifeOf({ sql }: Pick<TestDatabase, 'sql'>, holdId: string): Promise<number> {
  const [row] = await sql<{ ms: number }>(
    `select ceil(extract(epoch from held_until - clock_timestamp()) * 1000)::int as ms from ${ALL_HOLDS} h where id = $1`,
    [holdId],
  )
  return row!.ms
}

/** So much time passes that a hold is over, and has been for so many milliseconds. */
export async function runOut(
  { database, passes }: Pick<TestServer, 'database' | 'passes'>,
  holdId: string,
  forMs = 0,
): Promise<void> {
  await passes((await lifeOf(database, holdId)) + forMs)
}
