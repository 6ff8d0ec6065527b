import { hasSeatReason } from './check-seat-refusals.ts'
import type { DatabaseClock } from './database-clock.ts'
import type { Findings } from './findings.ts'
import type { Operation } from './history.ts'
import { Model, type ModelHold } from './model.ts'
import { type EventRecord, policiesDuring, type Users } from './record.ts'
import type { Replayed } from './replay.ts'

export interface RefusalFigures {
  readonly refusals: number
}

interface Question {
  readonly operation: Operation
  readonly first: number
  readonly last: number
  /** By the database's clock. */
  readonly from: number
  readonly to: number
}

interface Deps {
  readonly record: EventRecord
  readonly replayed: Replayed
  readonly clock: DatabaseClock
  readonly users: Users
  readonly findings: Findings
}

/**
 * Every refusal had its reason at some moment between question and answer. One more walk along the journal.
 */
export function checkRefusals(operations: readonly Operation[], deps: Deps): RefusalFigures {
  const { record, replayed, clock, users, findings } = deps
  const add = (invariant: number, rule: string, ...evidence: unknown[]) =>
    findings.add({ invariant, rule, event: record.eventId, evidence })

  const answeredAt = changesAnsweredAt(operations, clock)
  const questions: Question[] = []
  let refusals = 0
  for (const operation of operations) {
    // Nothing to move is an answer with a reason as well.
    const isNothing = operation.command.kind === 'transfer' && operation.answer.holds?.length === 0
    if (operation.outcome !== 'refused' && !(operation.outcome === 'ok' && isNothing)) continue
    refusals += 1
    const { status, code } = operation.answer
    if (status === 0 || status === 503) continue
    if (status >= 500) {
      add(9, 'no fault of ours in an answer', operation)
      continue
    }
    if (users.get(operation.user)?.organizationId !== record.organizationId) {
      if (status !== 404) add(13, "what is another organization's does not exist", operation)
      continue
    }
    if (status === 401 || status === 403 || code === 'event_not_found' || code === 'seat_not_found') {
      add(9, 'no caller with the right to enter is refused', operation)
      continue
    }
    const { first, last } = replayed.span(operation)
    const from = clock.earliest(operation.from)
    questions.push({
      operation,
      first: firstInSight(record, first, from, answeredAt),
      last,
      from,
      to: clock.latest(operation.to),
    })
  }

  for (const { operation } of walk(record, questions)) {
    add(8, 'a refusal has a reason while it is asked for', operation, ...reasons(operation, replayed.model))
  }
  return { refusals }
}

/**
 * A refusal may come from a read without the lock, and such a read sees a change only from its commit on. The
 * journal has the time at which a change was decided; its commit came before the next batch was decided under
 * the lock, and before the change was answered. Until then the state before it was still in sight.
 */
function firstInSight(
  { journal }: EventRecord,
  first: number,
  from: number,
  answeredAt: ReadonlyMap<string, number>,
): number {
  let seq = first
  let nextBatchAt = journal[seq]?.at ?? Number.POSITIVE_INFINITY
  for (; seq > 0; seq -= 1) {
    const { at, kind, body } = journal[seq - 1]!
    const following = journal[seq]
    if (following && following.at > at) nextBatchAt = following.at
    const answered = answeredAt.get(`${kind} ${body.holdId}`)
    if (Math.min(nextBatchAt, answered ?? Number.POSITIVE_INFINITY) <= from) break
  }
  return seq
}

/** By change of a hold: when an answer told of it, by the database's clock. It was committed by then. */
function changesAnsweredAt(operations: readonly Operation[], clock: DatabaseClock): Map<string, number> {
  const answered = new Map<string, number>()
  for (const { command, outcome, answer, to } of operations) {
    const kind = TOLD_OF[command.kind]
    if (outcome !== 'ok' || kind === undefined) continue
    const released = command.kind === 'release' && (answer.released ?? 0) > 0 ? [command.hold] : []
    for (const id of [...released, ...(answer.holds ?? []).map(hold => hold.id)]) {
      const key = `${kind} ${id}`
      answered.set(key, Math.min(clock.latest(to), answered.get(key) ?? Number.POSITIVE_INFINITY))
    }
  }
  return answered
}

const UNLIMITED = Number.POSITIVE_INFINITY

const TOLD_OF: Readonly<Record<string, string>> = {
  hold_seats: 'seat_reserved',
  hold_places: 'seat_reserved',
  hold_best: 'seat_reserved',
  reduce: 'hold_reduced',
  transfer: 'hold_transferred',
  release: 'seat_released',
}

/** Asks at every seq of each question's span whether it has its answer; returns those that never do. */
function walk(record: EventRecord, questions: readonly Question[]): Question[] {
  const waiting = [...questions].sort((a, b) => a.first - b.first)
  const never: Question[] = []
  const model = new Model(record.plan)
  let open: Question[] = []
  let next = 0
  for (let seq = 0; seq <= record.journal.length; seq += 1) {
    if (seq > 0) model.step(record.journal[seq - 1]!)
    for (; next < waiting.length && waiting[next]!.first <= seq; next += 1) open.push(waiting[next]!)
    open = open.filter(question => {
      if (isRight(model, question)) return false
      if (seq < question.last) return true
      never.push(question)
      return false
    })
  }
  return [...never, ...waiting.slice(next)]
}

function isRight(model: Model, question: Question): boolean {
  const { operation, from, to } = question
  const { command, answer, user } = operation
  const mayLive = (hold: ModelHold) => hold.heldUntil > from
  const wanted = 'ordinals' in command ? command.ordinals : []
  const named = answer.ordinals ?? wanted
  const holdsOf = (): (ModelHold | undefined)[] => {
    const ids = 'hold' in command ? [command.hold] : 'holds' in command ? command.holds : []
    return ids.map(id => model.holds.get(id))
  }
  const isTransfer = command.kind === 'transfer'
  const cart = () =>
    [...model.liveOf(user), ...(isTransfer ? model.liveOf(command.from) : [])].filter(mayLive)
  switch (answer.code) {
    case undefined:
      return isTransfer && [...model.liveOf(command.from)].every(hold => hold.heldUntil <= to)
    case 'event_not_available':
    case 'invalid_transition':
      return model.isCancelled
    case 'hold_not_reducible': {
      const quantity = command.kind === 'reduce' ? command.quantity : 0
      return holdsOf().some(hold => hold && hold.quantity <= quantity)
    }
    case 'hold_changed': {
      const places = holdsOf().reduce((sum, hold) => sum + (hold?.quantity ?? 0), 0)
      return command.kind === 'sell' && command.tickets.length !== places
    }
    case 'carts_end_too_far_apart':
      return (
        Math.max(...cart().map(({ heldUntil }) => heldUntil)) >
        Math.min(...cart().map(({ capUntil }) => capUntil))
      )
    case 'seat_held_by_another_user':
      return (
        named.length > 0 &&
        named.every(ordinal => {
          const hold = model.seats.get(ordinal)?.hold
          const isHeld = hold?.status === 'active' && hold.user !== user && mayLive(hold)
          return isHeld && wanted.includes(ordinal)
        })
      )
    case 'seat_not_available':
      if (command.kind === 'release') return holdsOf()[0]?.status === 'converted'
      return (
        named.length > 0 &&
        named.every(ordinal => {
          const seat = model.seats.get(ordinal)
          if (seat?.status === 'sold' || seat?.status === 'blocked') return true
          return command.kind === 'block' && seat?.hold != null && mayLive(seat.hold)
        })
      )
    case 'zone_at_capacity': {
      if (command.kind !== 'hold_places') return false
      const zone = model.zones[command.zone]!
      let taken = zone.sold + zone.blocked
      for (const hold of zone.live) if (mayLive(hold)) taken += hold.quantity
      return taken + command.quantity > model.plan.zones[command.zone]!.capacity
    }
    case 'quota_exceeded': {
      const limits = policiesDuring(model.plan, from, to).map(policy => policy.maxHoldsPerUser ?? UNLIMITED)
      const limit = Math.min(...limits)
      if (limit === UNLIMITED) return false
      let places = command.kind === 'hold_places' || command.kind === 'hold_best' ? command.quantity : 0
      for (const ordinal of wanted) {
        const hold = model.seats.get(ordinal)?.hold
        const isMine = hold?.user === user && hold.status === 'active' && hold.heldUntil > to
        if (!isMine) places += 1
      }
      for (const hold of cart()) places += hold.quantity
      return places > limit
    }
    case 'too_many_seats': {
      const limit = model.plan.maxSeatsPerBooking
      const asked = command.kind === 'hold_places' ? command.quantity : wanted.length
      return limit !== null && asked > limit
    }
    case 'hold_expired':
      return holdsOf().some(hold => hold && (hold.status === 'expired' || hold.heldUntil <= to))
    case 'hold_not_found': {
      const holds = holdsOf()
      if (holds.length === 0) return true
      return holds.some(hold => !hold || hold.user !== user || hold.status !== 'active')
    }
    case 'hold_in_payment': {
      const checkout = 'checkout' in command ? command.checkout : null
      const holds = command.kind === 'transfer' ? [...model.liveOf(command.from)] : holdsOf()
      return holds.some(hold => hold && hold.checkout !== null && hold.checkout !== checkout)
    }
    case 'idempotency_key_reused':
      // Judged by all requests with the key: check-keys.ts.
      return true
    default:
      return hasSeatReason(model, question)
  }
}

function reasons({ command }: Operation, model: Model): unknown[] {
  const holds = 'ordinals' in command ? command.ordinals.map(ordinal => model.seats.get(ordinal)?.hold) : []
  return holds.flatMap(hold => (hold ? [hold.madeBy, ...(hold.endedBy ? [hold.endedBy] : [])] : []))
}
