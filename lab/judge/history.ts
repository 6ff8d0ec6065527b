import type { Heard } from './books/books.ts'

/**
 * A history: what clients asked and heard, one JSON line a moment, in the order of the lab's own monotonic
 * clock (milliseconds). Written while it happens, so that it survives whatever the run does not.
 */
export type Line =
  | InvokeLine
  | ReturnLine
  | FeedLine
  | ClockLine
  | FaultLine
  | ReadLine
  | OwnReadLine
  | CopyLine
  | BusyLine
  | HeardLine

interface InvokeLine {
  readonly type: 'invoke'
  readonly op: number
  readonly at: number
  readonly user: string
  readonly node: number
  readonly event: string
  readonly command: AskedCommand
  /** Attempts with the same wish are one request that is repeated; the journal knows it as the cart token. */
  readonly wish?: string
  /** Sent as Idempotency-Key. */
  readonly key?: string
}

/** Seats by their ordinal, zones by their index. */
export type AskedCommand =
  | { readonly kind: 'hold_seats'; readonly ordinals: readonly number[] }
  | { readonly kind: 'hold_places'; readonly zone: number; readonly quantity: number }
  /** The best seats that are free, wherever; of these so many wheelchair places and companion seats. */
  | {
      readonly kind: 'hold_best'
      readonly quantity: number
      readonly wheelchair: number
      readonly companions: number
      readonly together: boolean | null
    }
  | { readonly kind: 'extend'; readonly hold: string }
  | { readonly kind: 'release'; readonly hold: string }
  | { readonly kind: 'reduce'; readonly hold: string; readonly quantity: number }
  /** The command moves everything that this guest holds, in any event. */
  | { readonly kind: 'transfer'; readonly from: string }
  | { readonly kind: 'start_payment'; readonly holds: readonly string[]; readonly checkout: string }
  | {
      readonly kind: 'sell'
      readonly holds: readonly string[]
      readonly checkout: string
      readonly tickets: readonly string[]
    }
  | { readonly kind: 'block' | 'unblock'; readonly ordinals: readonly number[] }
  /** The event itself. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'look' }

/**
 *   ok        it has happened
 *   refused   it has not, and will not
 *   unknown   no answer, or one that says so: it has happened, will yet, or never does
 */
export interface ReturnLine extends Answer {
  readonly type: 'ok' | 'refused' | 'unknown'
  readonly op: number
  readonly at: number
}

export interface Answer {
  /** 0: there was no connection to ask through. */
  readonly status: number
  readonly code?: string
  readonly holds?: readonly AnsweredHold[]
  /** A release gave back so many places. */
  readonly released?: number
  /** The released hold had ended before, in this way. */
  readonly ended?: string
  /** Seats that a refusal names. */
  readonly ordinals?: readonly number[]
  /** A look gets the next three: seats that are not available, and the counters. */
  readonly seq?: number
  readonly seats?: readonly (readonly [ordinal: number, status: string])[]
  readonly zones?: readonly Counts[]
  readonly replayed?: boolean
  /** A transfer answers for each event with the holds it moved, or with the reason why it moved none. */
  readonly transfers?: readonly { event: string; holds?: readonly AnsweredHold[]; code?: string }[]
}

export interface AnsweredHold {
  readonly id: string
  readonly ordinal: number | null
  readonly zone: number
  readonly quantity: number
  readonly heldUntil: number
}

export interface Counts {
  readonly held: number
  readonly sold: number
  readonly blocked: number
  readonly available: number
}

/**
 * A message of the live feed, as one reader heard it. `joined`:
 * the first of a connection without a Last-Event-ID.
 */
export interface FeedLine {
  readonly type: 'feed'
  readonly at: number
  readonly reader: number
  readonly node: number
  readonly event: string
  readonly message: 'seats' | 'reset'
  readonly joined: boolean
  readonly seq: number
  readonly seats: readonly (readonly [ordinal: number, status: string])[]
  readonly counts: Counts | null
  /** Something in it looks like the identity of a person. */
  readonly names?: string
}

/** The database said `database` (milliseconds since 1970) between two moments of the lab's clock. */
export interface ClockLine {
  readonly type: 'clock'
  readonly from: number
  readonly to: number
  readonly database: number
}

export interface FaultLine {
  readonly type: 'fault'
  readonly fault: string
  readonly node: number | null
  readonly from: number
  readonly to: number
  /** From its end to the first useful answer of every node; null: there was none within the bound. */
  readonly backAfterMs: number | null
  /** Redis had everything that was in Postgres so long after its fault. Null: not within the bound. */
  readonly equalAfterMs?: number | null
  readonly detail: string
}

/** The lab itself was late, or the disk kept a write waiting: the machine has more to do than it can. */
interface BusyLine {
  readonly type: 'busy'
  readonly from: number
  readonly to: number
}

/** A reader was told the state of seats: of all of them with their seq, or of one without. */
export interface ReadLine {
  readonly type: 'read'
  readonly from: number
  readonly to: number
  readonly reader: number
  readonly node: number
  readonly event: string
  /** 0: no node was there to ask. Null: no answer within the bound. */
  readonly status: number | null
  readonly code?: string
  /** The answer came from this tier. */
  readonly tier?: string
  readonly seq?: number
  /** By ordinal, a digit each: 0 available, 1 held, 2 sold, 3 blocked. */
  readonly seats?: string
  /** A digit as well. */
  readonly seat?: { readonly ordinal: number; readonly status: string }
}

/** A person was told this of their own holds in an event. */
export interface OwnReadLine {
  readonly type: 'own read'
  readonly from: number
  readonly to: number
  readonly user: string
  readonly node: number
  readonly event: string
  /** Their ids. */
  readonly holds: readonly string[]
}

/** An answer to a buyer who pays, to staff or to a gate. */
interface HeardLine extends Heard {
  readonly type: 'heard'
}

/** The copy of an event in Redis, all of it at one moment between two. */
export interface CopyLine extends Copy {
  readonly type: 'copy'
  readonly event: string
  readonly from: number
  readonly to: number
}

export interface Copy {
  readonly epoch: number
  readonly seq: number
  readonly status: string
  /** By ordinal, as a reader hears it; what is not free in a zone without seats is not there. */
  readonly seats: string
  /** The sorted set of the copy says when each hold runs out. */
  readonly holds: readonly (readonly [hold: string, until: number])[]
  readonly metas: readonly CopiedHold[]
  /** By the time of Redis, they may be gone as soon as they have run out. */
  readonly seatHolds: readonly (readonly [ordinal: number, hold: string, until: number])[]
  readonly totals: Counts
  readonly zones: readonly Counts[]
  /** Keys under the event's name that are none of ours. */
  readonly others: readonly string[]
}

export type CopiedHold = readonly [
  hold: string,
  ordinal: number | null,
  zone: number,
  quantity: number,
  until: number,
]

export interface Operation {
  readonly op: number
  readonly from: number
  readonly user: string
  readonly node: number
  readonly event: string
  readonly command: AskedCommand
  readonly wish: string | undefined
  readonly key: string | undefined
  outcome: 'ok' | 'refused' | 'unknown'
  /** Infinity while it may still happen. */
  to: number
  answer: Answer
}

export interface History {
  readonly operations: Operation[]
  readonly feed: FeedLine[]
  readonly clock: ClockLine[]
  readonly faults: FaultLine[]
  readonly reads: ReadLine[]
  readonly ownReads: OwnReadLine[]
  readonly copies: CopyLine[]
  readonly busy: BusyLine[]
  readonly heard: HeardLine[]
}

export class HistoryReader {
  readonly #open = new Map<number, Operation>()
  readonly history: History = {
    operations: [],
    feed: [],
    clock: [],
    faults: [],
    reads: [],
    ownReads: [],
    copies: [],
    busy: [],
    heard: [],
  }

  add(line: Line): void {
    switch (line.type) {
      case 'invoke': {
        const { op, at: from, user, node, event, command, wish, key } = line
        const outcome = 'unknown'
        const answer = { status: 0 }
        const operation = {
          op,
          from,
          user,
          node,
          event,
          command,
          wish,
          key,
          outcome,
          to: NEVER,
          answer,
        } as const
        this.#open.set(op, operation as Operation)
        this.history.operations.push(operation as Operation)
        break
      }
      case 'feed':
        this.history.feed.push(line)
        break
      case 'clock':
        this.history.clock.push(line)
        break
      case 'fault':
        this.history.faults.push(line)
        break
      case 'read':
        this.history.reads.push(line)
        break
      case 'own read':
        this.history.ownReads.push(line)
        break
      case 'busy':
        this.history.busy.push(line)
        break
      case 'heard':
        this.history.heard.push(line)
        break
      case 'copy':
        this.history.copies.push(line)
        break
      default: {
        const operation = this.#open.get(line.op)
        if (!operation) throw new Error(`an answer to nothing: ${JSON.stringify(line)}`)
        this.#open.delete(line.op)
        operation.outcome = line.type
        operation.answer = line
        if (line.type !== 'unknown') operation.to = line.at
      }
    }
  }
}

const NEVER = Number.POSITIVE_INFINITY

export function readHistory(lines: Iterable<Line>): History {
  const reader = new HistoryReader()
  for (const line of lines) reader.add(line)
  return reader.history
}
