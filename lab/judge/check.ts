import { type BruteForceFigures, bruteForce } from './brute-force.ts'
import { checkAnswered } from './check-answered.ts'
import { checkCancelled } from './check-cancelled.ts'
import { checkCopies } from './check-copies.ts'
import { checkEffects } from './check-effects.ts'
import { checkErrors, type WaitFigures } from './check-errors.ts'
import { checkFeed, checkLooks } from './check-feed.ts'
import { checkKeys } from './check-keys.ts'
import { checkOwnReads } from './check-own-reads.ts'
import { checkReads } from './check-reads.ts'
import { checkRefusals, type RefusalFigures } from './check-refusals.ts'
import { checkTables } from './check-tables.ts'
import { databaseClock } from './database-clock.ts'
import { excuseLost } from './excuse-lost.ts'
import { Findings } from './findings.ts'
import type { History, Operation } from './history.ts'
import type { EventRecord, Users } from './record.ts'
import { replay } from './replay.ts'
import { splitTransfers } from './split-transfers.ts'

export interface Verdict {
  readonly findings: Findings
  readonly figures: CheckFigures
}

export interface CheckFigures {
  readonly operations: number
  readonly entries: number
  readonly messages: number
  readonly refusals: RefusalFigures
  readonly windows: BruteForceFigures
  /** Null: the run had no Redis. */
  readonly redis: RedisFigures | null
  readonly ms: number
}

export interface RedisFigures extends WaitFigures {
  readonly reads: number
  /** Redis answered so many of the reads. */
  readonly fromRedis: number
  readonly copies: number
}

/**
 * Judges a run by what its clients heard and by what the database had written down: all of it by the
 * journal's order, and small windows a second time without it.
 */
export function checkRun(
  recorded: History,
  records: readonly EventRecord[],
  users: Users,
  /** With Redis: which faults are done to it. */
  isOfRedis: ((fault: string) => boolean) | null = null,
): Verdict {
  const history = excuseLost(recorded)
  const started = performance.now()
  const findings = new Findings()
  const clock = databaseClock(history.clock)
  const byEvent = new Map<string, Operation[]>()
  for (const operation of splitTransfers(history.operations, records)) {
    const known = byEvent.get(operation.event)
    if (known) known.push(operation)
    else byEvent.set(operation.event, [operation])
  }
  // A node takes the database's clock for ahead by as much as its question for the time took to arrive.
  const lateMs = history.busy.reduce((longest, { from, to }) => Math.max(longest, to - from), 0)
  const refusals = { refusals: 0 }
  const windows = { checked: 0, tooLarge: 0 }
  let entries = 0
  for (const record of records) {
    const operations = byEvent.get(record.eventId) ?? []
    const replayed = replay(record, clock, findings)
    const deps = { record, replayed, clock, users, findings, lateMs }
    const isOfEvent = ({ event }: { readonly event: string }) => event === record.eventId
    entries += record.journal.length
    checkEffects(operations, deps)
    refusals.refusals += checkRefusals(operations, deps).refusals
    checkKeys(operations, findings)
    checkLooks(operations, deps)
    const feed = history.feed.filter(isOfEvent)
    checkFeed(feed, { ...deps, endsAt: history.clock.at(-1)?.to ?? 0 })
    checkReads(history.reads.filter(isOfEvent), { ...deps, feed, operations })
    checkOwnReads(history.ownReads.filter(isOfEvent), { ...deps, operations })
    checkCopies(history.copies.filter(isOfEvent), {
      ...{ record, findings, faults: history.faults },
      databaseTime: clock.latest,
    })
    checkTables(record, replayed.model, findings)
    checkCancelled(record, replayed.model, findings)
    checkAnswered(operations, record, findings, history.faults)
    const found = bruteForce(operations, deps)
    windows.checked += found.checked
    windows.tooLarge += found.tooLarge
  }
  const redis = isOfRedis && {
    ...checkErrors(recorded, isOfRedis, findings),
    reads: history.reads.length,
    fromRedis: history.reads.filter(({ tier }) => tier === 'redis').length,
    copies: history.copies.length,
  }
  const figures = {
    operations: history.operations.length,
    entries,
    messages: history.feed.length,
    refusals,
    windows,
    redis,
    ms: performance.now() - started,
  }
  return { findings, figures }
}
