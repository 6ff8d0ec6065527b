import type { DatabaseClock } from './database-clock.ts'
import type { Findings } from './findings.ts'
import type { Operation } from './history.ts'
import type { EventRecord } from './record.ts'

export interface BruteForceFigures {
  checked: number
  /** Too many at once: the search goes on behind them, with whatever may have come of them. */
  tooLarge: number
}

/** So many operations on one seat, and so many steps, are tried in every order that time allows. */
const MOST_AT_ONCE = 30
const MOST_STEPS = 50_000

/**
 * The second opinion, which knows nothing of the journal: for each seat, is there any order of what was asked
 * of it in which every answer is right? A window ends where nothing is under way; what the seat can be after
 * one window is what it can be before the next.
 *
 * A buyer's holds end together: what the buyer does with another seat may lift the end of this one. So a hold
 * lives at least until the end its own answers tell,
 * and at most until the latest end that its buyer was ever told.
 */
export function bruteForce(
  operations: readonly Operation[],
  deps: { record: EventRecord; clock: DatabaseClock; findings: Findings },
): BruteForceFigures {
  const figures = { checked: 0, tooLarge: 0 }
  const { bySeat, seatOf, askedFirst } = sortBySeat(operations, deps.record)
  const latestEnds = latestEndsOf(operations)
  const cancelledAt = cancelledFrom(operations, deps.clock)
  for (const [ordinal, ofSeat] of bySeat) {
    // A seat that is sold with others may be given back with one of them: only the journal says so.
    if (deps.record.plan.seatRules?.wholes.some(whole => whole.includes(ordinal))) continue
    // Made for one seat at a time: for all at once they would fill the memory.
    const trials = ofSeat.flatMap(operation => {
      const from = deps.clock.earliest(askedFirst.get(operation) ?? operation.from)
      const to = deps.clock.latest(operation.to)
      return rulesOf(operation, ordinal, seatOf, latestEnds).map(rule => ({ ...rule, operation, from, to }))
    })
    let states: State[] = [FREE]
    for (const window of windowsOf(trials)) {
      // From here on, only the journal says what the seat was.
      if (window.some(({ to }) => to === Number.POSITIVE_INFINITY || to >= cancelledAt)) break
      const after = window.length > MOST_AT_ONCE ? null : search(window, states)
      if (after === null) {
        figures.tooLarge += 1
        states = whateverComesOf(window, states)
        continue
      }
      figures.checked += 1
      if (after.length === 0) {
        deps.findings.add({
          invariant: 1,
          rule: 'there is an order in which every answer is right',
          event: deps.record.eventId,
          evidence: [{ ordinal, before: states.slice(0, 3) }, ...window.map(({ operation }) => operation)],
        })
        break
      }
      states = after
    }
  }
  return figures
}

/** A seat, and the time it has got to be by the database's clock. */
interface State {
  readonly kind: 'free' | 'held' | 'sold' | 'blocked'
  readonly hold: string
  readonly user: string
  readonly until: number
  readonly time: number
}

const FREE: State = { kind: 'free', hold: '', user: '', until: 0, time: Number.NEGATIVE_INFINITY }

/**
 * An operation may have been possible in this span. `next` gives the state it leads to; null: it cannot be.
 */
interface Trial {
  readonly operation: Operation
  readonly from: number
  readonly to: number
  next(state: State): Omit<State, 'time'> | null
  /** Not before: a seat whose hold must have run out. */
  notBefore?(state: State): number
}

/** The states after all of them, in any order; none: there is no order. Null: there are too many to try. */
function search(window: readonly Trial[], before: readonly State[]): State[] | null {
  if (window.length === 1) return before.flatMap(state => follow(window[0]!, state) ?? [])
  const all = (1 << window.length) - 1
  const ends = new Map<string, State>()
  // The earliest time at which a set of them can be done with the seat in a state: later is never better.
  const seen = new Map<string, number>()
  let steps = 0
  const visit = (done: number, state: State): void => {
    steps += 1
    if (steps > MOST_STEPS) return
    const key = `${done} ${state.kind} ${state.hold} ${state.until}`
    const known = seen.get(key)
    if (known !== undefined && known <= state.time) return
    seen.set(key, state.time)
    if (done === all) {
      ends.set(`${state.kind} ${state.hold} ${state.until}`, state)
      return
    }
    // A request that is sent after another was answered can't come before it.
    let mustBeginBy = Number.POSITIVE_INFINITY
    for (const [index, trial] of window.entries()) {
      if ((done & (1 << index)) === 0) mustBeginBy = Math.min(mustBeginBy, trial.to)
    }
    for (const [index, trial] of window.entries()) {
      if ((done & (1 << index)) !== 0 || trial.from > mustBeginBy) continue
      const next = follow(trial, state)
      if (next) visit(done | (1 << index), next)
    }
  }
  for (const state of before) visit(0, state)
  return steps > MOST_STEPS ? null : [...ends.values()]
}

/** As early as can be; null: not possible from there. */
function follow(trial: Trial, state: State): State | null {
  const time = Math.max(state.time, trial.from, trial.notBefore?.(state) ?? Number.NEGATIVE_INFINITY)
  if (time > trial.to) return null
  const next = trial.next({ ...state, time })
  return next && { ...next, time }
}

/** Every state that one of them leads to from any other: too many, but none is missing. */
function whateverComesOf(window: readonly Trial[], before: readonly State[]): State[] {
  const time = Math.max(...window.map(({ from }) => from))
  const reached = new Map<string, State>()
  const reach = (state: State) => {
    const key = `${state.kind} ${state.hold} ${state.until}`
    if (reached.has(key)) return
    reached.set(key, state)
    for (const trial of window) {
      const next = trial.next({
        ...state,
        time: Math.max(trial.from, trial.notBefore?.(state) ?? Number.NEGATIVE_INFINITY),
      })
      if (next) reach({ ...next, time })
    }
  }
  for (const state of [FREE, ...before]) reach(state)
  return [...reached.values()].map(state => ({ ...state, time }))
}

function windowsOf(trials: Trial[]): Trial[][] {
  trials.sort((a, b) => a.from - b.from)
  const windows: Trial[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const trial of trials) {
    if (trial.from > end) windows.push([])
    windows.at(-1)!.push(trial)
    end = Math.max(end, trial.to)
  }
  return windows
}

function sortBySeat(operations: readonly Operation[], { plan }: EventRecord) {
  const all = Array.from({ length: plan.zones.reduce((sum, { seats }) => sum + seats, 0) }, (_, seat) => seat)
  const seatOf = new Map<string, number>()
  const givenTo = new Map<string, number[]>()
  for (const { answer, user } of operations) {
    for (const { id, ordinal } of answer.holds ?? []) {
      if (ordinal === null) continue
      seatOf.set(id, ordinal)
      const given = givenTo.get(user) ?? []
      given.push(ordinal)
      givenTo.set(user, given)
    }
  }
  const bySeat = new Map<number, Operation[]>()
  const add = (ordinal: number, operation: Operation) => {
    const known = bySeat.get(ordinal)
    if (!known) bySeat.set(ordinal, [operation])
    // Two holds of one seat in one command can't be; but a mutant may answer anything.
    else if (known.at(-1) !== operation) known.push(operation)
  }
  const { once, askedFirst } = oncePerWish(operations)
  for (const operation of once) {
    const { command } = operation
    if ('ordinals' in command) for (const ordinal of command.ordinals) add(ordinal, operation)
    if (command.kind === 'hold_best') {
      const given = operation.answer.holds?.flatMap(({ ordinal }) => ordinal ?? [])
      // Without an answer it may have taken any seat.
      for (const ordinal of operation.outcome === 'unknown' ? all : (given ?? [])) add(ordinal, operation)
    }
    for (const hold of holdsOf(command)) {
      const ordinal = seatOf.get(hold)
      if (ordinal !== undefined) add(ordinal, operation)
    }
    if (command.kind === 'transfer') {
      const moved = operation.answer.holds?.flatMap(({ ordinal }) => ordinal ?? [])
      // Without an answer any hold of the guest may have moved: all seats that the guest was ever given.
      const ordinals = operation.outcome === 'unknown' ? givenTo.get(command.from) : moved
      for (const ordinal of new Set(ordinals)) add(ordinal, operation)
    }
  }
  return { bySeat, seatOf, askedFirst }
}

/** Turns the operation into its rules for this seat; none: its answer says nothing about the seat. */
function rulesOf(
  operation: Operation,
  ordinal: number,
  seatOf: ReadonlyMap<string, number>,
  latestEnds: ReadonlyMap<string, number>,
): Rule[] {
  const mayLive = (state: State): boolean =>
    state.kind === 'held' && state.time < Math.max(state.until, latestEnds.get(state.user) ?? 0)
  if ('ordinals' in operation.command || operation.command.kind === 'hold_best') {
    const rule = ruleOfSeat(operation, ordinal, mayLive)
    return rule ? [rule] : []
  }
  if (operation.command.kind === 'transfer') {
    const moved = operation.answer.holds?.find(hold => hold.ordinal === ordinal)
    if (!moved) return operation.outcome === 'unknown' ? [ANYTHING] : []
    const { from } = operation.command
    const { user } = operation
    const isIt = (state: State) => state.hold === moved.id && state.user === from && mayLive(state)
    return [{ next: state => (isIt(state) ? { ...state, user, until: moved.heldUntil } : null) }]
  }
  const holds = holdsOf(operation.command).filter(hold => seatOf.get(hold) === ordinal)
  return holds.flatMap(hold => ruleOfHold(operation, hold, mayLive) ?? [])
}

/** By buyer: the latest end of a hold that they were told. */
function latestEndsOf(operations: readonly Operation[]): Map<string, number> {
  const latest = new Map<string, number>()
  for (const { user, answer, command, outcome } of operations) {
    // It may have lifted the end of every hold of this buyer, and no answer says to when.
    if (outcome === 'unknown' && MAY_LIFT.has(command.kind)) latest.set(user, Number.POSITIVE_INFINITY)
    for (const { heldUntil } of answer.holds ?? []) {
      latest.set(user, Math.max(heldUntil, latest.get(user) ?? 0))
    }
  }
  return latest
}

const MAY_LIFT = new Set(['hold_seats', 'hold_places', 'hold_best', 'extend', 'transfer', 'start_payment'])

/**
 * From when on holds may end because their event is cancelled, by the database's clock. No answer tells when
 * each of them does.
 */
function cancelledFrom(operations: readonly Operation[], clock: DatabaseClock): number {
  const asked = operations.filter(({ command }) => command.kind === 'cancel').map(({ from }) => from)
  return clock.earliest(Math.min(...asked))
}

function holdsOf(command: Operation['command']): readonly string[] {
  if ('hold' in command) return [command.hold]
  return 'holds' in command ? command.holds : []
}

/**
 * A request that was repeated is one, from the first time it was asked to its first success. Without a
 * success it is the first time without an answer: that one may have happened, those that were refused have
 * not.
 */
function oncePerWish(operations: readonly Operation[]): {
  once: Iterable<Operation>
  askedFirst: Map<Operation, number>
} {
  const wishes = new Map<string, Operation>()
  const others: Operation[] = []
  const askedFirst = new Map<Operation, number>()
  for (const operation of operations) {
    const { wish, outcome, from } = operation
    const known = wish === undefined ? undefined : wishes.get(wish)
    if (wish === undefined) others.push(operation)
    else if (!known) wishes.set(wish, operation)
    else if (outcome === 'ok' && known.outcome !== 'ok') {
      wishes.set(wish, operation)
      askedFirst.set(operation, Math.min(from, askedFirst.get(known) ?? known.from))
    } else if (outcome === 'unknown' && known.outcome === 'refused') {
      wishes.set(wish, operation)
    }
  }
  return { once: [...wishes.values(), ...others], askedFirst }
}

interface Rule {
  next(state: State): Omit<State, 'time'> | null
  notBefore?(state: State): number
}

const isAlive = (state: State): boolean => state.kind === 'held' && state.time < state.until
const isFree = (state: State): boolean => state.kind === 'free' || (state.kind === 'held' && !isAlive(state))
const free: Omit<State, 'time'> = { kind: 'free', hold: '', user: '', until: 0 }
const untilItIsOver = (state: State): number =>
  state.kind === 'held' ? state.until : Number.NEGATIVE_INFINITY
const ANYTHING: Rule = { next: state => state }

function ruleOfSeat(
  { command, outcome, answer, user }: Operation,
  ordinal: number,
  mayLive: (state: State) => boolean,
): Rule | null {
  if (outcome === 'unknown') return ANYTHING
  if (command.kind === 'block' || command.kind === 'unblock') {
    if (outcome === 'refused') return null
    const blocks = command.kind === 'block'
    return {
      next(state) {
        if (!blocks) return state.kind === 'blocked' ? free : state
        if (state.kind === 'blocked') return state
        return isFree(state) ? { ...free, kind: 'blocked' } : null
      },
      notBefore: blocks ? untilItIsOver : undefined,
    } as Rule
  }
  if (outcome === 'ok') {
    const given = answer.holds?.find(hold => hold.ordinal === ordinal)
    if (!given) return null
    const mine = { kind: 'held', hold: given.id, user, until: given.heldUntil } as const
    const isMine = (state: State) => state.kind === 'held' && state.hold === given.id
    return {
      next: state => {
        if (isMine(state)) return mayLive(state) && state.until <= given.heldUntil ? mine : null
        return isFree(state) ? mine : null
      },
      notBefore: state => (isMine(state) ? Number.NEGATIVE_INFINITY : untilItIsOver(state)),
    }
  }
  if (!(answer.ordinals ?? []).includes(ordinal)) return null
  if (answer.code === 'seat_held_by_another_user') {
    return { next: state => (mayLive(state) && state.user !== user ? state : null) }
  }
  if (answer.code === 'seat_not_available') {
    return { next: state => (state.kind === 'sold' || state.kind === 'blocked' ? state : null) }
  }
  return null
}

function ruleOfHold(
  { command, outcome, answer, user }: Operation,
  hold: string,
  mayLive: (state: State) => boolean,
): Rule | null {
  if (outcome === 'unknown') return ANYTHING
  const isIt = (state: State) => state.kind === 'held' && state.hold === hold && state.user === user
  if (outcome === 'ok') {
    if (command.kind === 'release' && (answer.released ?? 0) === 0) return isNoMore(isIt)
    const sold = { kind: 'sold', hold, user, until: 0 } as const
    if (command.kind === 'sell' && answer.holds?.some(({ id }) => id === hold) === false) {
      // It had run out, and its seat was taken again and sold.
      return { next: state => (isIt(state) && !isAlive(state) ? sold : null), notBefore: untilItIsOver }
    }
    return {
      next(state) {
        if (!isIt(state) || !mayLive(state)) return null
        if (command.kind === 'release') return free
        if (command.kind === 'sell') return sold
        const heldUntil = answer.holds?.find(({ id }) => id === hold)?.heldUntil
        return heldUntil === undefined || heldUntil < state.until ? null : { ...state, until: heldUntil }
      },
    }
  }
  // The command named several holds, and the answer does not say which one was in the way.
  if (holdsOf(command).length > 1) return null
  return answer.code === 'hold_expired' || answer.code === 'hold_not_found' ? isNoMore(isIt) : null
}

function isNoMore(isIt: (state: State) => boolean): Rule {
  return {
    next: state => (isIt(state) && isAlive(state) ? null : state),
    notBefore: state => (isIt(state) ? state.until : Number.NEGATIVE_INFINITY),
  }
}
