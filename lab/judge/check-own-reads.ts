import type { DatabaseClock } from './database-clock.ts'
import type { Findings } from './findings.ts'
import type { Operation, OwnReadLine } from './history.ts'
import type { ModelHold } from './model.ts'
import type { EventRecord } from './record.ts'
import type { Replayed } from './replay.ts'

interface Deps {
  readonly record: EventRecord
  readonly replayed: Replayed
  readonly clock: DatabaseClock
  readonly findings: Findings
  readonly operations: readonly Operation[]
  /** The machine kept its processes waiting so long, at most. */
  readonly lateMs: number
}

/** Nearer to its end than this, the checker can't know whether a node saw a hold alive. */
const DOUBT_MS = 2_000

/**
 * A person read of their own holds, on whichever node, nothing older than what they were told before:
 * what was granted is there until it has ended, and what they gave back is not.
 */
export function checkOwnReads(reads: readonly OwnReadLine[], deps: Deps): void {
  const { record, replayed, clock, findings } = deps
  const doubtMs = DOUBT_MS + deps.lateMs
  const byUser = new Map<string, Operation[]>()
  for (const operation of deps.operations) {
    if (operation.outcome !== 'ok') continue
    const known = byUser.get(operation.user)
    if (known) known.push(operation)
    else byUser.set(operation.user, [operation])
  }
  for (const read of reads) {
    const { last } = replayed.span(read)
    const before = (byUser.get(read.user) ?? []).filter(({ to }) => to <= read.from)
    const shown = new Set(read.holds)
    const add = (rule: string, operation: Operation) =>
      findings.add({ invariant: 23, rule, event: record.eventId, evidence: [operation, read] })
    const given = new Map(
      before.flatMap(operation => (operation.answer.holds ?? []).map(({ id }) => [id, operation])),
    )
    for (const [id, operation] of given) {
      const hold = replayed.model.holds.get(id)
      if (!hold || shown.has(id) || hold.heldUntil <= clock.latest(read.to) + doubtMs) continue
      if (leftAt(hold, read.user) > last) add('a person reads what they were granted before', operation)
    }
    for (const operation of before) {
      const { command } = operation
      if (command.kind === 'release' && shown.has(command.hold)) {
        add('a person does not read what they gave back before', operation)
      }
    }
  }
}

/** The seq at which the hold was not this person's any more. */
function leftAt({ owners, endedBy }: ModelHold, user: string): number {
  const next = owners.findIndex(owner => owner.user === user) + 1
  return owners[next]?.seq ?? endedBy?.seq ?? Number.POSITIVE_INFINITY
}
