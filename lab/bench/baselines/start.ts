import { startProgram } from '../stage/child.ts'
import type { BenchDatabase, BenchPostgres } from '../stage/postgres.ts'
import { secondsOf } from '../stage/processor-time.ts'
import { type ChosenRedis, chooseRedis } from './choose-redis.ts'
import type { BaselineCommand, BaselineTold, DriveFigures, DriveOrder } from './protocol.ts'

export interface Baselines {
  readonly ports: NonNullable<BaselineTold['ports']>
  /** Null: there is no Redis here, and what needs it is not measured. */
  readonly redisVersion: string | null
  readonly database: BenchDatabase
  /** New events with these seats, all free. */
  prepare(order: { eventIds: readonly string[]; seatIds: readonly string[] }): Promise<void>
  drive(order: DriveOrder): Promise<DriveFigures>
  /** Processor time so far. Null where there is no /proc. */
  cpuSeconds(): number | null
  stop(): Promise<void>
}

/** Starts the baselines of the product on the same Postgres, in a database of their own. */
export async function startBaselines(
  postgres: BenchPostgres,
  { mayFetchRedis }: { mayFetchRedis: boolean },
): Promise<Baselines> {
  const redis: ChosenRedis | null = await chooseRedis({ mayFetch: mayFetchRedis })
  const database = await postgres.newDatabase()
  const child = startProgram([
    'bench-baselines',
    JSON.stringify({ databaseUrl: database.url, redisUrl: redis?.url ?? null }),
  ])
  const stop = async () => {
    await child.stop()
    await redis?.stop()
    await database.drop()
  }
  const told = <Name extends keyof BaselineTold>(name: Name) =>
    child.find(line => (JSON.parse(line) as BaselineTold)[name] ?? null) as Promise<
      NonNullable<BaselineTold[Name]>
    >
  const tell = (command: BaselineCommand) => child.tell(JSON.stringify(command))
  try {
    return {
      ports: await told('ports'),
      redisVersion: redis?.version ?? null,
      database,
      async prepare(order) {
        const prepared = told('prepared')
        tell({ prepare: order })
        await prepared
      },
      drive(order) {
        const driven = told('driven')
        tell({ drive: order })
        return driven
      },
      cpuSeconds: () => secondsOf(child.pid),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
