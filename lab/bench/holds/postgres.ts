import { startScript } from './child.ts'

/** One Postgres for everything that is compared. */
export interface BenchPostgres {
  readonly url: string
  /** Of the postmaster. */
  readonly pid: number
  readonly settings: Readonly<Record<string, string>>
  stop(): Promise<void>
}

export async function startPostgres(): Promise<BenchPostgres> {
  const child = startScript(['server/bench/postgres.ts'])
  try {
    const told = await child.find(line => JSON.parse(line) as Omit<BenchPostgres, 'stop'>)
    return { ...told, stop: () => child.stop() }
  } catch (error) {
    await child.stop()
    throw error
  }
}
