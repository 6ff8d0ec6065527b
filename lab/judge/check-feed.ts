import type { DatabaseClock } from './database-clock.ts'
import type { Findings } from './findings.ts'
import type { Counts, FeedLine, Operation } from './history.ts'
import type { EventRecord } from './record.ts'
import type { Replayed } from './replay.ts'

interface Deps {
  readonly record: EventRecord
  readonly replayed: Replayed
  readonly clock: DatabaseClock
  readonly findings: Findings
}

/**
 * Nearer to its end than this, the checker can't know whether a node that reads from memory saw a hold alive.
 */
const DOUBT_MS = 2_000

const ON_ITS_WAY_MS = 10_000

/**
 * Checks each reader of the live feed by itself: it hears the journal's deltas word for word, in their order.
 */
export function checkFeed(messages: readonly FeedLine[], deps: Deps & { endsAt: number }): void {
  const { record, replayed, clock } = deps
  const add = (invariant: number, rule: string, ...evidence: unknown[]) =>
    deps.findings.add({ invariant, rule, event: record.eventId, evidence })
  const known = new Map<number, FeedLine>()
  const end = record.journal.length
  for (const message of messages) {
    const { seq, reader } = message
    const before = known.get(reader)
    if (message.names) add(17, 'no identity on a public channel', message)
    if (before && !message.joined && seq <= before.seq && message.message === 'seats') {
      // A client drops this message too, because its seq is not new.
      continue
    }
    if (seq > end) {
      add(12, 'the feed never speaks of what is not committed', message)
      continue
    }
    if (seq > 0 && record.journal[seq - 1]!.at > clock.latest(message.at)) {
      add(12, 'the feed never speaks before the commit', message, record.journal[seq - 1])
    }
    if (message.message === 'seats' && message.counts) {
      const counts = { held: replayed.held[seq]!, sold: replayed.sold[seq]!, blocked: replayed.blocked[seq]! }
      if (!sameCounts(message.counts, counts)) {
        add(12, 'the counters of a message are those of its seq', message, counts)
      }
    }
    if (before && !message.joined && message.message === 'seats') {
      const due = replayed.deltas.slice(before.seq + 1, seq + 1).filter(delta => delta !== null)
      if (JSON.stringify(due) !== JSON.stringify(message.seats)) {
        add(12, 'the feed says what the journal says', before, message, due.slice(0, 20))
      }
    }
    known.set(reader, message)
  }
  // The feed may not have sent the last changes of the run yet.
  const due = clock.latest(deps.endsAt) - ON_ITS_WAY_MS
  const lastDelta = replayed.deltas.findLastIndex(
    (delta, seq) => delta !== null && record.journal[seq - 1]!.at < due,
  )
  for (const last of known.values()) {
    if (last.seq < lastDelta) add(12, 'the feed skips nothing', last, { journal: lastDelta })
  }
}

/** Checks that a caller who read the whole event saw it as it was at the seq of the answer. */
export function checkLooks(
  operations: readonly Operation[],
  deps: Deps & {
    /** The machine kept its processes waiting so long, at most. */
    readonly lateMs: number
  },
): void {
  const { record, replayed, clock } = deps
  const add = (invariant: number, rule: string, ...evidence: unknown[]) =>
    deps.findings.add({ invariant, rule, event: record.eventId, evidence })
  const looks = operations.filter(({ command, outcome }) => command.kind === 'look' && outcome === 'ok')
  const lives = livesOf(replayed)
  const doubtMs = DOUBT_MS + deps.lateMs
  for (const look of looks) {
    const { seq = 0, seats = [], zones = [] } = look.answer
    if (seq > record.journal.length) {
      add(12, 'no caller reads what is not committed', look)
      continue
    }
    const counts = { held: 0, sold: 0, blocked: 0 }
    for (const zone of zones) {
      counts.held += zone.held
      counts.sold += zone.sold
      counts.blocked += zone.blocked
    }
    const due = { held: replayed.held[seq]!, sold: replayed.sold[seq]!, blocked: replayed.blocked[seq]! }
    if (!sameCounts(counts, due)) add(14, 'the counters are those of their seq', look, due)
    const read = new Map(seats)
    const from = clock.earliest(look.from) - doubtMs
    const to = clock.latest(look.to) + doubtMs
    for (const [ordinal, told] of read) {
      if (!lives.has(ordinal)) add(14, 'a seat is what it was at the seq', look, { ordinal, told })
    }
    for (const [ordinal, ofSeat] of lives) {
      const status = statusAt(ofSeat, seq, { from, to })
      const told = read.get(ordinal) ?? 'available'
      if (!status.includes(told === 'held_by_me' ? 'held' : told)) {
        add(14, 'a seat is what it was at the seq', look, { ordinal, told, status })
      }
    }
  }
}

interface Life {
  readonly seq: number
  readonly status: string
  readonly heldUntil: number
}

/** By seat: each change of its status, and until when a hold was to last. */
export function livesOf({ model, deltas }: Replayed): Map<number, Life[]> {
  const lives = new Map<number, Life[]>()
  for (const [seq, delta] of deltas.entries()) {
    if (!delta) continue
    const [ordinal, status] = delta
    const life = lives.get(ordinal) ?? []
    life.push({ seq, status, heldUntil: Number.POSITIVE_INFINITY })
    lives.set(ordinal, life)
  }
  for (const hold of model.holds.values()) {
    if (hold.ordinal === null) continue
    const life = lives.get(hold.ordinal)
    for (const { seq, heldUntil } of hold.untils) life?.push({ seq, status: 'held', heldUntil })
  }
  for (const life of lives.values()) life.sort((a, b) => a.seq - b.seq || b.heldUntil - a.heldUntil)
  return lives
}

export function statusAt(life: readonly Life[], seq: number, time: { from: number; to: number }): string[] {
  const now = life.findLast(moment => moment.seq <= seq)
  if (!now) return ['available']
  if (now.status !== 'held' || now.heldUntil > time.to) return [now.status]
  return now.heldUntil > time.from ? ['held', 'available'] : ['available']
}

function sameCounts(a: Omit<Counts, 'available'>, b: Omit<Counts, 'available'>): boolean {
  return a.held === b.held && a.sold === b.sold && a.blocked === b.blocked
}
