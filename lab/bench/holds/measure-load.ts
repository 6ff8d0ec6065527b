import type { ClosedLoopOrder } from '../load/closed-loop.ts'
import type { Generator } from '../stage/generator.ts'
import type { Workload } from '../stage/in-process.ts'
import type { HoldsRow, System } from './rows.ts'

/** Applies a load, and looks what it cost whom. */
export async function measureLoad(
  system: System,
  {
    generator,
    order,
    used,
  }: {
    generator: Generator
    order: ClosedLoopOrder & { readonly workload: Workload }
    /** Processor time so far. */
    used: () => { server: number | null; postgres: number | null }
  },
): Promise<HoldsRow> {
  const before = used()
  const figures = await generator.give('closedLoop', order)
  const after = used()
  const { p50Ms, p95Ms, p99Ms, holds, seconds, perSecond, refusedPerSecond, load, others } = figures
  return {
    system,
    workload: order.workload,
    atOnce: order.connections,
    holds,
    seconds,
    perSecond,
    refusedPerSecond,
    p50Ms,
    p95Ms,
    p99Ms,
    serverSeconds: difference(before.server, after.server),
    postgresSeconds: difference(before.postgres, after.postgres),
    load,
    others,
  }
}

function difference(before: number | null, after: number | null): number | null {
  return before === null || after === null ? null : after - before
}
