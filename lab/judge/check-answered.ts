import type { Findings } from './findings.ts'
import type { FaultLine, Operation } from './history.ts'
import type { EventRecord } from './record.ts'

/** Longer than the lab waits for an answer. */
const BOUND_MS = 13_000

/**
 * A node whose line to Postgres is slow answers all the same. A request that was sent to it while its line
 * was slow, and early enough to have its time, has an answer; if it has none, the node starves.
 */
export function checkAnswered(
  operations: readonly Operation[],
  record: EventRecord,
  findings: Findings,
  faults: readonly FaultLine[],
): void {
  for (const { fault, node, from, to } of faults) {
    if (fault !== 'slow-line') continue
    const starved = operations.filter(
      operation =>
        operation.node === node &&
        operation.from > from &&
        operation.from + BOUND_MS < to &&
        operation.outcome === 'unknown',
    )
    if (starved.length === 0) continue
    findings.add({
      invariant: 9,
      rule: 'a node with a slow line to Postgres answers',
      event: record.eventId,
      evidence: starved.slice(0, 3),
    })
  }
}
