import type { Percentiles } from '../load/percentiles.ts'
import { type Child, startProgram } from './child.ts'
import type { BenchPostgres } from './postgres.ts'
import { treeSeconds } from './processor-time.ts'

export type Workload = 'each' | 'zipf' | 'one'

/** The tasks of lab/bench/inside/in-process.ts, and what each answers. */
export interface Tasks {
  throughput: {
    options: {
      workload: Workload
      seconds: number
      concurrent: number
      seats: number
      events: number
      warmUpHolds: number
    }
    figures: {
      holds: number
      refused: number
      seconds: number
      perSecond: number
      refusedPerSecond: number
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
  size: {
    options: { seats: number; history: number; samples: number; verify: boolean }
    figures: {
      startUpMs: number
      stateBytes: number
      hold: Percentiles
      availability: Percentiles
      occupancy: Percentiles
      historySeconds: number
      /** Violations that `npm run verify` finds afterwards. Null: it was not asked. */
      violations: number | null
    }
  }
  reap: {
    options: { holds: number; ttlSeconds: number }
    figures: {
      expired: number
      untilTidySeconds: number
      untilHistorySeconds: number
      perSecond: number
      left: number
      buyersBefore: Percentiles
      buyersMeanwhile: Percentiles
    }
  }
  warm: {
    options: { seats: number; holds: number; samples: number }
    figures: {
      keys: number
      bytes: number
      untilCopiedMs: number
      keysLeft: number
      availability: BySource
      layout: BySource & { bytes: number }
      map: BySource & { bytes: number }
    }
  }
}

/** With Redis, and without. */
export interface BySource {
  redis: Percentiles
  postgres: Percentiles
}

/** A task tells its parent process through this what it does, with a line of JSON each time. */
export interface Reporter {
  /** For people. */
  say(line: string): void
  /** Around what is timed, so that processor time can be read from outside at these moments. */
  mark(name: 'begin' | 'end'): void
}

export type TaskOptions<Task extends keyof Tasks> = Tasks[Task]['options']
export type FiguresOf<Task extends keyof Tasks> = Tasks[Task]['figures']

export interface Measured<Task extends keyof Tasks> {
  readonly figures: FiguresOf<Task>
  /** Processor time of Postgres while it was measured. Null where there is no /proc, or nothing is timed. */
  readonly postgresSeconds: number | null
}

/** A process of the server on a database of its own, that does one task after another. */
export class InProcess {
  readonly #postgres: BenchPostgres
  readonly #child: Child

  constructor(postgres: BenchPostgres, { seed, profile }: { seed: number; profile: string | null }) {
    this.#postgres = postgres
    const settings = JSON.stringify({ url: postgres.url, seed })
    this.#child = startProgram(['bench-in-process', settings], {
      profile,
      flags: ['--expose-gc'],
    })
  }

  async measure<Task extends keyof Tasks>(task: Task, options: TaskOptions<Task>): Promise<Measured<Task>> {
    const at: { begin?: number | null; end?: number | null } = {}
    const told = this.#child.find(line => {
      const told = JSON.parse(line) as { mark?: 'begin' | 'end'; figures?: FiguresOf<Task> }
      if (told.mark) at[told.mark] = treeSeconds(this.#postgres.pid)
      return told.figures === undefined ? null : { figures: told.figures }
    })
    this.#child.tell(JSON.stringify({ task, options }))
    const { figures } = await told
    const { begin, end } = at
    const postgresUsed = begin === undefined || begin === null || !end ? null : end - begin
    return { figures, postgresSeconds: postgresUsed }
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }
}
