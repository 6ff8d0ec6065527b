import { SeatMaps } from '@voelgoed/engine/view/seat-maps'
import { inspect, type Snapshot } from '@voelgoed/kit/postgres/inspect'
import { eventSource } from '../../events/event-source.ts'
import { CHECKS } from '../checks/checks.ts'
import { listLedgers } from '../checks/event-rows.ts'
import { countRows, EXAMPLES, type Finding, runCheck } from '../checks/run-check.ts'
import type { Found } from './differences.ts'
import { REPLAY_CHECKS, replayEvent } from './replay.ts'

export interface VerifyOptions {
  /** For how long an expired hold may stay untidied. */
  readonly tidyWithinSeconds?: number
  /** For each statement; 0: no limit. */
  readonly statementTimeoutMs?: number
  /** Is told what is under way, now and then. */
  readonly progress?: (line: string) => void
}

export interface Report {
  readonly checks: readonly CheckReport[]
  /** So much was replayed, in so long. */
  readonly replay: { readonly events: number; readonly changes: number; readonly ms: number }
  /** Without untidiness. */
  readonly violations: number
  /** Expired holds that the reaper has left lying about. */
  readonly untidy: number
  readonly ms: number
}

export interface CheckReport extends Finding {
  readonly invariant: number
  readonly name: string
  readonly isTidiness: boolean
  /** It went through so many. */
  readonly examined: number
  readonly of: string
  /** Null: one of the replay's, which took its time for all of them together. */
  readonly ms: number | null
}

/**
 * Checks a database of ours against the invariants, without changing anything. A server may be running on it.
 */
export function verify(url: string, options: VerifyOptions = {}): Promise<Report> {
  return inspect(url, snapshot => examine(snapshot, options), options.statementTimeoutMs)
}

export async function examine(snapshot: Snapshot, options: VerifyOptions = {}): Promise<Report> {
  const { tidyWithinSeconds = 60, progress = () => {} } = options
  const started = performance.now()
  progress('unpacking the journals')
  await snapshot.keepEntries()
  const rows = await countRows(snapshot, CHECKS)
  const checks: CheckReport[] = []
  for (const check of CHECKS) {
    progress(`checking that ${check.name}`)
    const begun = performance.now()
    const finding = await runCheck(snapshot, check, { tidyWithinSeconds })
    checks.push({
      invariant: check.invariant,
      name: check.name,
      isTidiness: check.isTidiness ?? false,
      examined: rows[check.over]!,
      of: check.over,
      ...finding,
      ms: performance.now() - begun,
    })
  }
  const replay = await replayAll(snapshot, progress)
  checks.push(...replay.checks)
  const count = (wanted: (check: CheckReport) => boolean) =>
    checks.filter(wanted).reduce((sum, { violations }) => sum + violations, 0)
  return {
    checks: checks.sort((a, b) => a.invariant - b.invariant),
    replay: replay.figures,
    violations: count(check => !check.isTidiness),
    untidy: count(check => check.isTidiness),
    ms: performance.now() - started,
  }
}

/** The journal of every event, one event after another. */
async function replayAll(
  snapshot: Snapshot,
  progress: (line: string) => void,
): Promise<{ checks: CheckReport[]; figures: Report['replay'] }> {
  const begun = performance.now()
  const ledgers = await listLedgers(snapshot)
  const total = ledgers.reduce((sum, { seq }) => sum + seq, 0)
  const seatMaps = new SeatMaps(eventSource)
  const found: (Found & { organization_id: string; event_id: string })[] = []
  let changes = 0
  for (const [index, { organization_id, event_id }] of ledgers.entries()) {
    const ofEvent = await replayEvent(snapshot, seatMaps, { organization_id, event_id }, page => {
      changes += page
      progress(`replaying event ${index + 1} of ${ledgers.length}: ${changes} of ${total} changes`)
    })
    for (const one of ofEvent) found.push({ organization_id, event_id, ...one })
  }
  const figures = { events: ledgers.length, changes, ms: performance.now() - begun }
  const checks = REPLAY_CHECKS.map(({ invariant, name, facet }): CheckReport => {
    const violations = found.filter(one => one.facet === facet)
    const examples = violations.slice(0, EXAMPLES).map(({ organization_id, event_id, details }) => {
      return { organization_id, event_id, ...details }
    })
    return {
      invariant,
      name,
      isTidiness: false,
      examined: ledgers.length,
      of: 'journals',
      violations: violations.length,
      examples,
      ms: null,
    }
  })
  return { checks, figures }
}
