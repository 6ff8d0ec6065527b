import { startScript } from './child.ts'
import type { BenchPostgres } from './postgres.ts'
import { postgresSeconds } from './processor-time.ts'

/** What server/bench/in-process.ts measures, by task. The lab may not import it: these are its answers. */
interface Tasks {
  throughput: {
    options: { seconds: number; concurrent: number; seats: number; events: number; warmUpHolds: number }
    figures: {
      holds: number
      seconds: number
      perSecond: number
      batchCommands: number
      cpuSeconds: number
    } & Percentiles
  }
  latency: {
    options: { few: number; many: number; concurrent: number; holds: number }
    figures: Record<'alone' | 'together', Record<'few' | 'many', Percentiles>>
  }
  memory: {
    options: { seats: number; holds: number }
    figures: {
      seatMapBytes: number
      emptyEventBytes: number
      holdsBytes: number
      bytesPerHold: number
      totalBytes: number
    }
  }
  pgbench: {
    options: { seconds: number; clients: number; seats: number; counters: boolean }
    /** Null: there is no pgbench on this machine. */
    figures: { version: string; holds: number; perSecond: number; averageMs: number } | null
  }
}

export interface Percentiles {
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

export type FiguresOf<Task extends keyof Tasks> = Tasks[Task]['figures']

export interface Measured<Task extends keyof Tasks> {
  readonly figures: FiguresOf<Task>
  /** Processor time of Postgres while it was measured. Null where there is no /proc, or nothing is timed. */
  readonly postgresSeconds: number | null
}

/** Runs a task in a process of its own, on a database of its own. */
export async function measureInProcess<Task extends keyof Tasks>(
  postgres: BenchPostgres,
  task: Task,
  options: Tasks[Task]['options'] & { seed: number },
): Promise<Measured<Task>> {
  const flags = task === 'memory' ? ['--expose-gc'] : []
  const all = JSON.stringify({ ...options, url: postgres.url })
  const child = startScript([...flags, 'server/bench/in-process.ts', task, all])
  const at: { begin?: number | null; end?: number | null } = {}
  try {
    const figures = await child.find(line => {
      const told = JSON.parse(line) as { mark?: 'begin' | 'end'; figures?: FiguresOf<Task> }
      if (told.mark) at[told.mark] = postgresSeconds(postgres.pid)
      return told.figures === undefined ? null : { figures: told.figures }
    })
    const { begin, end } = at
    return {
      ...figures,
      postgresSeconds: begin === undefined || begin === null || !end ? null : end - begin,
    }
  } finally {
    await child.stop()
  }
}
