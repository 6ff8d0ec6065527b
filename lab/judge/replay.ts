import type { DatabaseClock } from './database-clock.ts'
import type { Findings } from './findings.ts'
import type { Operation } from './history.ts'
import { Model, type ModelHold } from './model.ts'
import type { Entry, EventRecord } from './record.ts'

/** The journal played through the model: what was when. */
export interface Replayed {
  readonly model: Model
  /** By seq: how many places were held, sold, blocked after it. */
  readonly held: Int32Array
  readonly sold: Int32Array
  readonly blocked: Int32Array
  /** By seq: what the feed has to say of it. */
  readonly deltas: (readonly [ordinal: number, status: string] | null)[]
  /** The seqs an operation can have seen: after the first, before or at the last. */
  span(operation: Pick<Operation, 'from' | 'to'>): { first: number; last: number }
}

export function replay(record: EventRecord, clock: DatabaseClock, findings: Findings): Replayed {
  const { journal } = record
  const model = new Model(record.plan)
  const held = new Int32Array(journal.length + 1)
  const sold = new Int32Array(journal.length + 1)
  const blocked = new Int32Array(journal.length + 1)
  const deltas: Replayed['deltas'] = [null]
  const times = new Float64Array(journal.length + 1)
  times[0] = Number.NEGATIVE_INFINITY
  for (const [index, entry] of journal.entries()) {
    for (const { invariant, rule, other } of model.step(entry)) {
      findings.add({ invariant, rule, event: record.eventId, evidence: other ? [other, entry] : [entry] })
    }
    const totals = model.totals()
    held[index + 1] = totals.held
    sold[index + 1] = totals.sold
    blocked[index + 1] = totals.blocked
    times[index + 1] = model.at
    deltas.push(deltaOf(entry))
  }
  for (const { invariant, rule, other } of model.finish()) {
    findings.add({ invariant, rule, event: record.eventId, evidence: other ? [other] : [] })
  }
  return {
    model,
    held,
    sold,
    blocked,
    deltas,
    span: ({ from, to }) => ({
      first: countUpTo(times, clock.earliest(from)),
      last: to === Number.POSITIVE_INFINITY ? journal.length : countUpTo(times, clock.latest(to)),
    }),
  }
}

/** The hold as an operation can have found it: there and alive at some moment of its span. */
export function wasAlive(hold: ModelHold, span: { first: number; last: number }, from: number): boolean {
  if (hold.madeBy.seq > span.last) return false
  if (hold.endedBy && hold.endedBy.seq <= span.first) return false
  return hold.heldUntil > from
}

/** Those of them that stood at some moment of the span; each stands until the next. */
export function during<Moment extends { readonly seq: number }>(
  moments: readonly Moment[],
  { first, last }: { first: number; last: number },
): Moment[] {
  return moments.filter(({ seq }, index) => {
    const next = moments[index + 1]
    return seq <= last && (!next || next.seq > first)
  })
}

/** Gives the seq that stood just before this time. The array begins with a sentinel, which does not count. */
function countUpTo(times: Float64Array, time: number): number {
  let low = 0
  let high = times.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

function deltaOf({ kind, body }: Entry): readonly [number, string] | null {
  const status = DELTAS[kind]
  return status && typeof body.ordinal === 'number' ? [body.ordinal, status] : null
}

const DELTAS: Readonly<Record<string, string>> = {
  seat_reserved: 'held',
  seat_hold_expired: 'available',
  seat_released: 'available',
  seat_converted: 'sold',
  seat_blocked: 'blocked',
  seat_unblocked: 'available',
  ticket_voided: 'available',
}
