import { type GuestPerson, type NamedGuests, NO_GUESTS } from '../../guests/guest-rule.ts'
import type { CheckoutId, CommandId, HoldId, TicketId } from '../../ids.ts'
import type { HoldRefusal } from '../../refusal.ts'
import { assert } from '../../result.ts'
import type { apply as Apply } from '../apply.ts'
import type { Change } from '../change.ts'
import type { Actor, Command, PersonActing } from '../command.ts'
import type { decide as Decide } from '../decide.ts'
import type { Outcome } from '../decision.ts'
import type { restoreState } from '../restore.ts'
import { createState, type EventPlan, type EventState } from '../state.ts'
import { nextExpiry, seatStatusFor } from '../view.ts'
import { checkState } from './check-state.ts'
import { type Name, NOW, people } from './hall.ts'
import { NaiveEvent } from './naive-event.ts'
import type { Guest, Of, Step } from './steps.ts'
import { Tables } from './tables.ts'

export interface Machine {
  readonly decide: typeof Decide
  readonly apply: typeof Apply
  readonly restore: typeof restoreState
}

export interface Played {
  readonly plan: EventPlan
  readonly state: EventState
  readonly tables: Tables
  readonly changes: readonly Change[]
  /** Counts each kind of change and of refusal. */
  readonly seen: ReadonlyMap<string, number>
  readonly now: number
}

/**
 * Plays a history on the machine and on the naive model side by side, writing the rows that a database would
 * have. Throws at the first step at which they do not agree, or at which an invariant is broken.
 */
export function play(steps: readonly Step[], plan: EventPlan, machine: Machine): Played {
  const naive = new NaiveEvent(plan)
  const tables = new Tables(plan)
  const changes: Change[] = []
  const seen = new Map<string, number>()
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
  let state = createState(plan)
  let now = NOW
  const newId = numbering()

  for (const step of steps) {
    if (step.do === 'wait') now += step.ms
    else if (step.do === 'wait_for_expiry') now = Math.max(now, (nextExpiry(state) ?? now) + step.ms)
    else if (step.do === 'restart') state = machine.restore(tables.plan, tables.rows(now))
    else if (!ON_TICKETS.includes(step.do) || naive.tickets.length > 0) {
      const command = commandOf(step, naive, newId)
      const outcome = machine.decide(state, command, now)

      const ended = outcome.ok ? outcome.value.changes.flatMap(holdEnded) : []
      const expected =
        command.kind === 'end_holds'
          ? naive.endHolds(command, ended, now)
          : command.kind === 'hold_best'
            ? naive.holdBest(command, chosenBy(outcome), now)
            : naive.run(command, now)
      const actual = outcome.ok
        ? { holds: outcome.value.holds, skipped: outcome.value.skipped }
        : comparable(outcome.problem)
      same(actual, expected, `${command.kind} answered otherwise than the model`)

      if (!outcome.ok) note(nameOf(outcome.problem))
      else {
        checkEffort(command, outcome.value.changes, { state, now })
        const isLate = outcome.value.changes.some(change => change.kind === 'seat_reserved')
        if (command.kind === 'sell') note(isLate ? 'sold late' : 'sold')
        if (command.kind === 'move_tickets') note('moved')
        for (const change of outcome.value.changes) {
          same(JSON.parse(JSON.stringify(change)), change, 'a change is not plain JSON')
          assert(change.at === now, 'a change has another time than the decision')
          note(change.kind)
          if (change.kind === 'seat_released') note(`${change.kind} ${change.reason}`)
          tables.write(change)
          machine.apply(state, change)
          naive.note(change)
          changes.push(change)
        }
        if (FILLING.includes(command.kind)) checkReleased(naive)
      }
    }
    naive.expireAll(now)
    tables.check(now)
    checkState(state)
    checkViews(state, naive, now)
  }
  return { plan, state, tables, changes, seen, now }
}

function holdEnded(change: Change): string[] {
  return change.kind === 'seat_released' || change.kind === 'seat_hold_expired' ? [change.holdId] : []
}

/** Expirations are made where they are in the way, and by `expire`: soonest first, no more than it may. */
function checkEffort(
  command: Command,
  changes: readonly Change[],
  { state, now }: { state: EventState; now: number },
): void {
  const expired = changes.filter(change => change.kind === 'seat_hold_expired')
  if (command.kind === 'expire') {
    const due = [...state.holds.values()]
      .filter(hold => hold.heldUntil <= now)
      .sort((a, b) => a.heldUntil - b.heldUntil || (a.holdId < b.holdId ? -1 : 1))
    const expected = due.slice(0, command.limit).map(hold => hold.holdId)
    same(
      expired.map(change => change.holdId),
      expected,
      'expire tidied up something else',
    )
  } else if (command.kind === 'hold_seats') {
    // Per seat: its own old hold, one of the user, one of the address, one wheelchair seat.
    assert(expired.length <= 4 * command.ordinals.length + lowered, 'a hold paid for a backlog')
  }
}

/** Policies get stricter in some histories: then a user may have this many more holds than are allowed. */
const lowered = 8

function checkViews(state: EventState, naive: NaiveEvent, now: number): void {
  for (let ordinal = 0; ordinal < state.seats.count; ordinal++) {
    const isClosed = naive.zones[state.seats.zoneOf[ordinal]!]!.disabled
    const status = naive.statusOf(ordinal)
    for (const { userId } of Object.values(people)) {
      const isMine = naive.holderOf(ordinal)?.userId === userId
      const place = status === 'available' && !isClosed ? naive.keptPlace(ordinal) : null
      const isKept = place !== null && !naive.owns(userId, place)
      const free = isClosed ? 'blocked' : isKept ? 'reserved_companion' : status
      const expected = isMine ? 'held_by_me' : status === 'available' ? free : status
      same(seatStatusFor(state, { ordinal, userId }, now), expected, 'a buyer sees another status')
    }
  }
}

const FILLING: readonly string[] = [
  ...['hold_seats', 'hold_best', 'sell', 'move_tickets', 'block', 'event_changed'],
]
/** Steps that need a ticket. */
const ON_TICKETS: readonly string[] = ['void_tickets', 'move_tickets']

function checkReleased(naive: NaiveEvent): void {
  for (const zoneIndex of naive.zones.keys()) {
    const isReleased = naive.released.has(zoneIndex) || !naive.isFilled(zoneIndex)
    assert(isReleased, 'a zone is filled and its companion seats are kept')
  }
}

/** The seats that the machine chose; null: it did not. */
function chosenBy(outcome: Outcome): number[] | null {
  if (outcome.ok) return outcome.value.holds.map(({ ordinal }) => ordinal!)
  return null
}

/** Without what the model does not know: which other seats would do. */
function comparable(refusal: HoldRefusal): unknown {
  if (refusal.kind === 'no_suitable_seats') return 'nothing found'
  if (refusal.kind === 'hold_expired') return { refused: { kind: refusal.kind } }
  if (refusal.kind !== 'would_strand_seats') return { refused: refusal }
  return { refused: { ...refusal, seatIds: [...refusal.seatIds].sort(), alternatives: [] } }
}

function commandOf(
  step: Exclude<Step, { do: 'wait' | 'wait_for_expiry' | 'restart' }>,
  naive: NaiveEvent,
  newId: <Id extends string>(kind: string) => Id,
): Command {
  const commandId = newId<CommandId>('command')
  const by = (name: Name, ip: string | null = null): PersonActing => {
    return { person: people[name], ip, source: 'web' }
  }
  const system: Actor = { person: null, ip: null, source: 'system' }
  const holdsOf = (numbers: readonly number[]) => {
    const own = naive.holds.filter(hold => !('of' in step) || step.of === 'any' || isOwn(hold, step))
    const named = numbers.map(n => own.at(-1 - (n % (own.length || 1)))?.holdId ?? ('no-such-hold' as HoldId))
    return [...new Set(named)]
  }

  switch (step.do) {
    case 'hold_seats': {
      const holdIds = step.seats.map(() => newId<HoldId>('hold'))
      return { kind: 'hold_seats', commandId, actor: by(step.who, step.ip), ordinals: step.seats, holdIds }
    }
    case 'hold_places': {
      const place = { zoneIndex: step.zone, quantity: step.quantity, holdId: newId<HoldId>('hold') }
      return { kind: 'hold_places', commandId, actor: by(step.who, step.ip), ...place }
    }
    case 'hold_best': {
      const { quantity, wheelchair, companions, together } = step
      const holdIds = Array.from({ length: quantity }, () => newId<HoldId>('hold'))
      const zoneIndexes = step.zone === undefined ? null : [step.zone]
      const wish = { quantity, wheelchair, companions, together, zoneIndexes, prices: null, holdIds }
      return { kind: 'hold_best', commandId, actor: by(step.who, step.ip), ...wish }
    }
    case 'extend':
      return { kind: 'extend', commandId, actor: by(step.who), holdId: holdsOf([step.hold])[0]! }
    case 'reduce': {
      const holdId = holdsOf([step.hold])[0]!
      return { kind: 'reduce', commandId, actor: by(step.who), holdId, quantity: step.quantity }
    }
    case 'transfer':
      return { kind: 'transfer', commandId, actor: by(step.who), from: people[step.from].userId }
    case 'give_back': {
      const holdIds = holdsOf(step.holds)
      return { kind: 'release', reason: 'user_cancelled', commandId, actor: by(step.who), holdIds }
    }
    case 'payment_failed': {
      const payment = { checkoutId: step.checkout as CheckoutId, holdIds: holdsOf(step.holds) }
      return { kind: 'release', reason: 'payment_failed', commandId, actor: system, ...payment }
    }
    case 'end_payment': {
      const payment = { checkoutId: step.checkout as CheckoutId, holdIds: holdsOf(step.holds) }
      return { kind: 'end_payment', commandId, actor: by(step.who), ...payment }
    }
    case 'staff_release': {
      const holdIds = holdsOf(step.holds)
      const actor: Actor = { person: people.dan, ip: null, source: 'admin' }
      const { force } = step
      return {
        kind: 'release',
        reason: 'admin_override',
        commandId,
        actor,
        holdIds,
        notes: 'asked to',
        force,
      }
    }
    case 'start_payment': {
      const payment = { checkoutId: step.checkout as CheckoutId, holdIds: holdsOf(step.holds) }
      const actor = by(step.who)
      const person = step.ended ? { ...actor.person, membershipStatus: 'expired' as const } : actor.person
      const guests = guestsOf(payment.holdIds, step.guest)
      const more = { guests, allowStranding: step.allowStranding }
      return { kind: 'start_payment', commandId, actor: { ...actor, person }, ...payment, ...more }
    }
    case 'sell': {
      const holdIds = holdsOf(step.holds)
      const known = holdIds.map(holdId => naive.holds.find(hold => hold.holdId === holdId))
      const holds = holdIds.map((holdId, index) => {
        const { status, isTidied = false, ordinal = null, zoneIndex = 0, quantity = 0 } = known[index] ?? {}
        const ended = status === 'expired' && isTidied ? { ordinal, zoneIndex, quantity } : null
        return { holdId, againAs: newId<HoldId>('hold'), cartToken: null, ended }
      })
      const owner = Object.values(people).find(({ userId }) => userId === known[0]?.userId)
      const person = owner ?? people[step.who]
      const buyer = step.ended ? { ...person, membershipStatus: 'expired' as const } : person
      // A hold of another buyer that ended is nothing that the caller knows of.
      const isTheirs = known.every(hold => !hold || hold.userId === buyer.userId)
      const places = known.reduce((sum, hold) => sum + (hold?.quantity ?? 0), 0)
      return {
        kind: 'sell',
        commandId,
        actor: { person: people.dan, ip: null, source: 'admin' },
        buyer,
        holds: isTheirs ? holds : holds.map(hold => ({ ...hold, ended: null })),
        checkoutId: step.checkout as CheckoutId,
        guests: guestsOf(holdIds, step.guest),
        allowStranding: step.allowStranding,
        ticketIds: Array.from({ length: places }, () => newId<TicketId>('ticket')),
      }
    }
    case 'void_tickets': {
      const chosen = new Set(step.tickets.map(n => naive.tickets.at(-1 - (n % naive.tickets.length))!))
      for (const { ordinal } of step.whole ? [...chosen] : []) {
        for (const other of naive.tickets) if (naive.isSoldWith(ordinal, other.ordinal)) chosen.add(other)
      }
      const tickets = [...chosen].map(({ ticketId, ordinal, zoneIndex }) => ({
        ticketId,
        ordinal,
        zoneIndex,
      }))
      const actor: Actor = { person: people.dan, ip: null, source: 'admin' }
      return { kind: 'void_tickets', commandId, actor, tickets, reason: 'the show was moved' }
    }
    case 'move_tickets': {
      const { tickets: valid, holds } = naive
      const ownerOf = ({ holdId }: { holdId: HoldId }) => holds.find(hold => hold.holdId === holdId)!.userId
      const chosen = [...new Set(step.tickets.map(n => valid.at(-1 - (n % valid.length))!))]
      const owner = ownerOf(chosen[0]!)
      const theirs = chosen.filter(ticket => ownerOf(ticket) === owner).slice(0, step.seats.length)
      const moves = theirs.map(({ ticketId, ordinal, zoneIndex }, index) => ({
        ticket: { ticketId, ordinal, zoneIndex },
        to: step.seats[index]!,
        holdId: newId<HoldId>('hold'),
        ticketId: newId<TicketId>('ticket'),
        reason: 'to other seats',
      }))
      return {
        kind: 'move_tickets',
        commandId,
        actor: { person: people.dan, ip: null, source: 'admin' },
        buyer: Object.values(people).find(({ userId }) => userId === owner)!,
        checkoutId: step.checkout as CheckoutId,
        moves,
      }
    }
    case 'expire':
      return { kind: 'expire', commandId, actor: system, limit: step.limit }
    case 'end_holds': {
      const { zone, user, force, limit } = step
      if (step.why === 'cancelled') {
        return { kind: 'end_holds', reason: 'event_cancelled', commandId, actor: system, limit }
      }
      return {
        kind: 'end_holds',
        reason: 'admin_override',
        commandId,
        actor: { person: people.dan, ip: null, source: 'admin' },
        limit,
        force,
        ...(zone !== undefined && { zoneIndex: zone }),
        ...(user !== undefined && { userId: people[user].userId }),
      }
    }
    case 'block':
    case 'unblock':
      return { kind: step.do, commandId, actor: system, ordinals: step.seats, reason: 'a broken chair' }
    case 'change_event':
      return { kind: 'event_changed', commandId, actor: system, ...step.update }
  }
}

function guestsOf(holdIds: readonly HoldId[], guest: Guest): NamedGuests {
  if (guest === 'none') return NO_GUESTS
  const person: GuestPerson = {
    membershipTier: guest === 'on the whitelist' ? null : 'gold',
    membershipStatus: guest === 'on the whitelist' ? null : guest === 'member' ? 'active' : 'expired',
    isOnWhitelist: guest === 'on the whitelist',
  }
  const byHold = Object.fromEntries(holdIds.map((id, index) => [id, [index === 0 ? null : person]]))
  return { byHold, hasOwnTicket: false }
}

function isOwn(hold: NaiveEvent['holds'][number], step: Extract<Step, { of: Of }>): boolean {
  if (hold.isTidied || hold.status === 'converted' || hold.status === 'cancelled') return false
  if ('who' in step) return hold.userId === people[step.who].userId
  return 'checkout' in step && hold.payment?.checkoutId === step.checkout
}

function numbering(): <Id extends string>(kind: string) => Id {
  let last = 1000
  return kind => `${kind}-${++last}` as never
}

function nameOf(refusal: HoldRefusal): string {
  return refusal.kind === 'quota_exceeded' ? `${refusal.kind} ${refusal.quota}` : refusal.kind
}

function same(actual: unknown, expected: unknown, message: string): void {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  assert(a === b, `${message}\n  machine: ${a}\n  model:   ${b}`)
}
