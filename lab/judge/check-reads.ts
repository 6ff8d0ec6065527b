import { livesOf, statusAt } from './check-feed.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { Findings } from './findings.ts'
import type { FeedLine, Operation, ReadLine } from './history.ts'
import type { EventRecord } from './record.ts'
import type { Replayed } from './replay.ts'

interface Deps {
  readonly record: EventRecord
  readonly replayed: Replayed
  readonly clock: DatabaseClock
  readonly findings: Findings
  readonly feed: readonly FeedLine[]
  readonly operations: readonly Operation[]
  /** The machine kept its processes waiting so long, at most. */
  readonly lateMs: number
}

/** Nearer to its end than this, the checker can't know whether a node saw a hold alive. By tier. */
const DOUBT_MS = { redis: 500, others: 2_000 }
const STATUSES = ['available', 'held', 'sold', 'blocked']

/**
 * Checks that each reader of seats was told what the journal says at the seq of the answer, whichever tier
 * answered. An answer from Redis is as new as its question: it is never older than what any reader knew by
 * then.
 */
export function checkReads(reads: readonly ReadLine[], deps: Deps): void {
  const { record, replayed, clock } = deps
  const add = (invariant: number, rule: string, ...evidence: unknown[]) =>
    deps.findings.add({ invariant, rule, event: record.eventId, evidence })
  const told = reads.filter(({ status }) => status === 200)
  const knownBefore = knowledgeOf(told, deps)
  const lives = livesOf(replayed)
  const lastOfNode = new Map<string, ReadLine>()
  const end = record.journal.length
  for (const read of told) {
    const doubt = (read.tier === 'redis' ? DOUBT_MS.redis : DOUBT_MS.others) + deps.lateMs
    const time = { from: clock.earliest(read.from) - doubt, to: clock.latest(read.to) + doubt }
    const known = knownBefore(read.from)
    const possible = (ordinal: number, seq: number) => statusAt(lives.get(ordinal) ?? [], seq, time)
    if (read.seq !== undefined && read.seats !== undefined) {
      if (read.seq > end) {
        add(12, 'no reader is told what is not committed', read)
        continue
      }
      if (read.tier === 'redis' && read.seq < known) {
        add(23, 'what Redis tells is not older than what readers know', read, { known })
      }
      const key = `${read.node}/${read.reader}`
      const before = lastOfNode.get(key)
      if (before && before.seq! > read.seq)
        add(23, 'a node never tells a reader less than before', before, read)
      lastOfNode.set(key, read)
      for (const [ordinal, digit] of [...read.seats].entries()) {
        const status = STATUSES[Number(digit)]!
        const due = possible(ordinal, read.seq)
        if (due.includes(status)) continue
        add(14, 'a reader is told what a seat was at the seq', shown(read), { ordinal, status, due })
      }
    } else if (read.seat) {
      const { ordinal } = read.seat
      const status = STATUSES[Number(read.seat.status)] ?? read.seat.status
      const { last } = replayed.span(read)
      // A buyer asks any node, and the memory of that node may be a little behind.
      const first = read.tier === 'redis' ? known : 0
      if (!anyOf(first, last, seq => possible(ordinal, seq).includes(status))) {
        add(14, 'a reader is told what a seat was while it was asked for', shown(read), {
          status,
          first,
          last,
        })
      }
    }
  }
}

function anyOf(first: number, last: number, isSo: (seq: number) => boolean): boolean {
  for (let seq = last; seq >= first; seq -= 1) if (isSo(seq)) return true
  return false
}

function shown({ seats: _, ...read }: ReadLine): object {
  return read
}

/** By a moment of the lab's clock: the highest seq that any reader had heard of by then. */
function knowledgeOf(told: readonly ReadLine[], { feed, operations }: Deps): (at: number) => number {
  const heard = [
    ...told.map(({ to, seq = 0 }) => ({ at: to, seq })),
    ...feed.map(({ at, seq }) => ({ at, seq })),
    ...operations.flatMap(({ outcome, to, answer }) =>
      outcome === 'ok' && answer.seq !== undefined ? [{ at: to, seq: answer.seq }] : [],
    ),
  ].sort((a, b) => a.at - b.at)
  let most = 0
  const rising = heard.flatMap(({ at, seq }) => {
    if (seq <= most) return []
    most = seq
    return [{ at, seq }]
  })
  return at => {
    let low = 0
    let high = rising.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (rising[middle]!.at < at) low = middle + 1
      else high = middle
    }
    return low === 0 ? 0 : rising[low - 1]!.seq
  }
}
