import type { DatabaseClock } from './database-clock.ts'
import type { Findings } from './findings.ts'
import type { AnsweredHold, Operation } from './history.ts'
import type { Model, ModelHold } from './model.ts'
import type { Entry, EventRecord, Users } from './record.ts'
import { during, type Replayed, wasAlive } from './replay.ts'

interface Deps {
  readonly record: EventRecord
  readonly replayed: Replayed
  readonly clock: DatabaseClock
  readonly users: Users
  readonly findings: Findings
}

/**
 * Holds answers against the journal, both ways: what was confirmed has happened, between its invocation and
 * its answer; and what has happened was asked for by a caller who was not told that it has not.
 */
export function checkEffects(operations: readonly Operation[], deps: Deps): void {
  const own = new Map<Operation, Effect>()
  const claims = new Claims(operations, deps.record.journal, deps.clock)
  const firstTries = new Map<string, number>()
  for (const { key, from } of operations) {
    if (key !== undefined) firstTries.set(key, Math.min(from, firstTries.get(key) ?? from))
  }
  const add = (invariant: number, rule: string, ...evidence: unknown[]) =>
    deps.findings.add({ invariant, rule, event: deps.record.eventId, evidence })

  for (const entry of deps.record.journal) {
    const problem = claims.attribute(entry, own)
    if (problem) add(9, problem.rule, entry, ...problem.operations)
    const { userId } = entry.body
    for (const person of [userId, entry.actor]) {
      if (person && deps.users.get(person)?.organizationId !== deps.record.organizationId) {
        add(13, 'no user of another organization changes anything', entry)
      }
    }
  }

  for (const operation of operations) {
    const effect = own.get(operation)
    if (effect) checkTimes(operation, effect, deps.clock, add)
    if (operation.outcome !== 'ok') continue
    const user = deps.users.get(operation.user)
    if (user?.organizationId !== deps.record.organizationId) {
      add(13, 'no user of another organization is served', operation)
      continue
    }
    // A stored answer was true when it was first given: at a moment since the first try with its key.
    const since = (operation.answer.replayed && firstTries.get(operation.key ?? '')) || operation.from
    const rule = falseAnswer(operation, effect?.entries ?? [], { ...deps, since })
    if (rule) add(rule.invariant, rule.rule, operation, ...rule.entries)
  }
  checkOrder(own, add)
}

/**
 * An operation made these entries. It can have begun at `from`, because a caller may have asked for the same
 * before, without an answer.
 */
interface Effect {
  readonly entries: Entry[]
  from: number
}

type Add = (invariant: number, rule: string, ...evidence: unknown[]) => void

/** Finds the operation of a caller that can have made an entry of the journal. */
class Claims {
  readonly #wishes = new Map<string, Operation[]>()
  readonly #byHold = new Map<string, Operation[]>()
  readonly #blocks: Operation[] = []
  readonly #extensions = new Map<string, Operation[]>()
  readonly #transfers = new Map<string, Operation[]>()
  readonly #cancellations: Operation[] = []
  /** These users had the holds before an entry gave them to another one, by the entry's seq. */
  readonly #ownersBefore = new Map<number, string>()
  /** By command, this entry says which request it was, for the other entries of that command. */
  readonly #leading = new Map<string, Entry>()
  /** By command: who asked for the release of one of the holds that it released. */
  readonly #releases = new Map<string, Operation[]>()
  readonly #clock: DatabaseClock

  constructor(operations: readonly Operation[], journal: readonly Entry[], clock: DatabaseClock) {
    this.#clock = clock
    const owners = new Map<string, string>()
    for (const entry of journal) {
      const { holdId = '', userId = '' } = entry.body
      if (LEADING.has(entry.kind)) this.#leading.set(entry.command, entry)
      if (entry.kind === 'hold_transferred') this.#ownersBefore.set(entry.seq, owners.get(holdId) ?? '')
      if (entry.kind === 'hold_transferred' || entry.kind === 'seat_reserved') owners.set(holdId, userId)
    }
    for (const operation of operations) {
      const { command, wish } = operation
      if (wish !== undefined) push(this.#wishes, wish, operation)
      if ('hold' in command) push(this.#byHold, command.hold, operation)
      if (command.kind === 'transfer') push(this.#transfers, `${command.from} ${operation.user}`, operation)
      if (command.kind === 'cancel') this.#cancellations.push(operation)
      if (command.kind === 'extend') push(this.#extensions, operation.user, operation)
      if (command.kind === 'start_payment' || command.kind === 'sell') {
        for (const hold of command.holds) push(this.#byHold, hold, operation)
      }
      if (command.kind === 'block' || command.kind === 'unblock') this.#blocks.push(operation)
    }
    for (const { kind, command, actor, body } of journal) {
      if (kind === 'seat_reserved') this.#takenAgain(body)
      if (kind !== 'seat_released') continue
      for (const operation of this.#byHold.get(body.holdId ?? '') ?? []) {
        const isIt = operation.command.kind === 'release' && operation.user === actor
        if (isIt) push(this.#releases, command, operation)
      }
    }
  }

  /** A hold that ran out is sold as the one that has its place now. */
  #takenAgain({ holdId = '', cartToken }: Entry['body']): void {
    for (const operation of this.#wishes.get(cartToken ?? '') ?? []) {
      if (operation.command.kind === 'sell') push(this.#byHold, holdId, operation)
    }
  }

  /** Finds the operation that made the entry; says what is wrong if there is none that may have. */
  attribute(
    entry: Entry,
    own: Map<Operation, Effect>,
  ): { rule: string; operations: readonly Operation[] } | null {
    // Made by the rule or by the system, at any time after the end; the model has looked at the time.
    if (entry.kind === 'seat_hold_expired' || entry.kind === 'companions_released') return null
    if (entry.kind === 'event_changed' && entry.body.status !== 'cancelled') return null
    if (entry.body.reason === 'event_cancelled') return null
    const asked = this.#candidates(entry)
    if (asked.length === 0) return { rule: 'every entry was asked for by a caller', operations: [] }
    const told = asked.find(operation => operation.outcome === 'ok' && confirms(operation, entry))
    const open = asked.find(operation => operation.outcome === 'unknown')
    const operation = told ?? open
    if (!operation) {
      const isKnown = asked.some(({ outcome }) => outcome === 'ok')
      const rule = isKnown ? 'a request that is repeated has one effect' : 'what was refused has not happened'
      return { rule, operations: asked.slice(0, 3) }
    }
    let effect = own.get(operation)
    if (!effect) {
      effect = { entries: [], from: operation.from }
      own.set(operation, effect)
    }
    effect.entries.push(entry)
    // Another attempt may have done it, and this one only heard of it.
    for (const { from } of asked) effect.from = Math.min(effect.from, from)
    return null
  }

  #candidates(entry: Entry): readonly Operation[] {
    const { cartToken, holdId = '', ordinal, checkoutId, ticketIds } = entry.body
    // The same may be asked for again and again: only the time tells one from another.
    const inTime = ({ from, to }: Operation) =>
      entry.at >= this.#clock.earliest(from) && entry.at <= this.#clock.latest(to)
    const ofHold = (kind: string) =>
      (this.#byHold.get(holdId) ?? []).filter(
        ({ command, user }) => command.kind === kind && (entry.actor === null || user === entry.actor),
      )
    switch (entry.kind) {
      case 'seat_reserved':
        return (this.#wishes.get(cartToken ?? '') ?? []).filter(({ user }) => user === entry.actor)
      case 'seat_hold_extended': {
        // A cart is extended with one of its holds, when something joins it,
        // or when a payment for a part of it starts.
        const leading = this.#leading.get(entry.command)
        return leading ? this.#candidates(leading) : (this.#extensions.get(entry.actor ?? '') ?? [])
      }
      case 'seat_released': {
        // One seat of a group that is sold as a whole is given back with all of them.
        return [...new Set([...ofHold('release'), ...(this.#releases.get(entry.command) ?? [])])]
      }
      case 'hold_reduced':
        return ofHold('reduce').filter(
          ({ command }) => command.kind === 'reduce' && command.quantity === entry.body.quantity,
        )
      case 'hold_transferred': {
        const from = this.#ownersBefore.get(entry.seq)
        return (this.#transfers.get(`${from} ${entry.actor}`) ?? []).filter(inTime)
      }
      case 'event_changed':
        return this.#cancellations.filter(({ user }) => user === entry.actor)
      case 'payment_started':
        return ofHold('start_payment').filter(
          ({ command }) => command.kind === 'start_payment' && command.checkout === checkoutId,
        )
      case 'seat_converted':
        return ofHold('sell').filter(
          ({ command }) => command.kind === 'sell' && command.tickets.includes(ticketIds?.[0] ?? ''),
        )
      case 'seat_blocked':
      case 'seat_unblocked': {
        const kind = entry.kind === 'seat_blocked' ? 'block' : 'unblock'
        return this.#blocks.filter(
          operation =>
            operation.command.kind === kind &&
            operation.command.ordinals.includes(ordinal ?? -1) &&
            inTime(operation),
        )
      }
      default:
        return []
    }
  }
}

/** Entries of a command that say which request it was. */
const LEADING = new Set(['seat_reserved', 'payment_started', 'hold_transferred'])

/** The answer speaks of what the entry says. */
function confirms({ command, answer }: Operation, { kind, body }: Entry): boolean {
  switch (kind) {
    case 'seat_reserved':
    case 'hold_reduced':
    case 'hold_transferred':
      return answer.holds?.some(({ id }) => id === body.holdId) ?? false
    case 'seat_hold_extended':
      return (
        command.kind === 'start_payment' ||
        (answer.holds?.some(({ heldUntil }) => heldUntil === body.heldUntil) ?? false)
      )
    case 'seat_released':
      return command.kind === 'release' && (answer.released ?? 0) > 0
    default:
      return true
  }
}

function checkTimes(operation: Operation, { entries, from }: Effect, clock: DatabaseClock, add: Add): void {
  for (const entry of entries) {
    if (entry.at < clock.earliest(from)) {
      add(6, 'nothing is dated before it was asked for', operation, entry)
    }
    if (operation.outcome === 'ok' && entry.at > clock.latest(operation.to)) {
      add(6, 'nothing is dated after it was confirmed', operation, entry)
    }
  }
}

/**
 * The journal's order is one in which everything can have happened: a request that was answered before
 * another one was sent comes before it. One walk: whatever comes later in the journal must not have ended
 * before an earlier one began.
 */
function checkOrder(own: ReadonlyMap<Operation, Effect>, add: Add): void {
  let latest: [Operation, Effect] | null = null
  // In the order in which the journal was walked: that of their first entries.
  for (const one of own) {
    const [operation, { entries, from }] = one
    if (operation.outcome !== 'ok') continue
    if (latest && operation.to < latest[1].from) {
      add(9, 'the journal keeps to the order of time', latest[0], latest[1].entries[0], operation, entries[0])
    }
    if (!latest || from > latest[1].from) latest = one
  }
}

interface Falsehood {
  readonly invariant: number
  readonly rule: string
  readonly entries: readonly unknown[]
}

/** Finds something that the answer says and the journal does not. */
function falseAnswer(
  operation: Operation,
  entries: readonly Entry[],
  deps: Deps & { readonly since: number },
): Falsehood | null {
  const { command, answer } = operation
  const { replayed, clock, since } = deps
  const { holds } = replayed.model
  const span = () => replayed.span({ from: since, to: operation.to })
  const from = clock.earliest(since)
  const wrong = (invariant: number, rule: string, ...evidence: unknown[]) => ({
    invariant,
    rule,
    entries: evidence,
  })
  switch (command.kind) {
    case 'hold_seats':
    case 'hold_places':
    case 'hold_best': {
      const given = answer.holds ?? []
      if (!isWhole(command, given, replayed.model)) return wrong(18, 'a command takes effect as a whole')
      for (const one of given) {
        const hold = holds.get(one.id)
        if (!hold) return wrong(9, 'what was confirmed is in the journal', one)
        const isOwn = hold.madeBy.body.cartToken === operation.wish
        // The answer shows the hold as it was when it was made. Later changes stand in other answers.
        const when = isOwn ? { first: hold.madeBy.seq, last: hold.madeBy.seq } : span()
        if (!isSame(hold, one, operation.user, when)) {
          return wrong(9, 'a hold is what was confirmed', one, hold.madeBy)
        }
        // A stored answer may be given again long after its hold has ended.
        if (!isOwn && !wasAlive(hold, span(), from)) {
          return wrong(9, 'a hold that is given back as mine is alive', one, hold.madeBy, hold.endedBy)
        }
      }
      const made = entries.filter(entry => entry.kind === 'seat_reserved')
      if (made.some(entry => entry.command !== made[0]!.command || entry.at !== made[0]!.at)) {
        return wrong(18, 'the seats of a command are taken together', ...made)
      }
      return null
    }
    case 'extend': {
      const one = answer.holds?.[0]
      const hold = holds.get(command.hold)
      if (!one || !hold) return wrong(9, 'what was confirmed is in the journal')
      if (!wasOf(hold, operation.user, span())) return wrong(9, "no user extends another's hold", hold.madeBy)
      if (!during(hold.untils, span()).some(({ heldUntil }) => heldUntil === one.heldUntil)) {
        return wrong(7, 'an extension is what was confirmed', one, hold.untils)
      }
      return wasAlive(hold, span(), from) ? null : wrong(6, 'nothing is extended after its end', hold.endedBy)
    }
    case 'release': {
      const hold = holds.get(command.hold)
      if (!hold) return wrong(9, 'what was confirmed is in the journal')
      if (!wasOf(hold, operation.user, span())) {
        return wrong(9, "no user releases another's hold", hold.madeBy)
      }
      if ((answer.released ?? 0) > 0) {
        return entries.length > 0 ? null : wrong(9, 'what was confirmed is in the journal', hold.madeBy)
      }
      const hasEnded = hold.endedBy !== null && hold.endedBy.seq <= span().last
      const isOver = hold.heldUntil <= clock.latest(operation.to)
      return hasEnded || isOver ? null : wrong(9, 'what is said to have ended has ended', hold.madeBy)
    }
    case 'reduce': {
      const [one] = answer.holds ?? []
      const hold = holds.get(command.hold)
      if (!one || !hold) return wrong(9, 'what was confirmed is in the journal')
      if (!wasOf(hold, operation.user, span())) return wrong(9, "no user reduces another's hold", hold.madeBy)
      const { first, last } = span()
      const reduced = hold.quantities
        .slice(1)
        .some(({ seq, quantity }) => quantity === command.quantity && seq > first && seq <= last)
      if (!reduced) return wrong(9, 'what was confirmed is in the journal', hold.quantities)
      return isSame(hold, one, operation.user, span()) && one.quantity === command.quantity
        ? null
        : wrong(9, 'a hold is what was confirmed', one, hold.madeBy)
    }
    case 'transfer': {
      const given = answer.holds ?? []
      for (const one of given) {
        const entry = entries.find(({ kind, body }) => kind === 'hold_transferred' && body.holdId === one.id)
        const hold = holds.get(one.id)
        if (!entry || !hold) return wrong(9, 'what was confirmed is in the journal', one)
        const at = { first: entry.seq, last: entry.seq }
        if (!isSame(hold, one, operation.user, at))
          return wrong(9, 'a hold is what was confirmed', one, entry)
      }
      const moved = entries.filter(({ kind }) => kind === 'hold_transferred')
      const isWhole =
        moved.length === given.length && moved.every(entry => entry.command === moved[0]!.command)
      return isWhole ? null : wrong(18, 'a cart changes hands as a whole', ...moved)
    }
    case 'cancel':
      return entries.length > 0 ? null : wrong(9, 'what was confirmed is in the journal')
    case 'start_payment': {
      if (command.holds.length === 0) return wrong(3, 'no checkout without a hold')
      const missing = command.holds.find(id => holds.get(id)?.checkout !== command.checkout)
      return missing ? wrong(9, 'what was confirmed is in the journal', missing) : null
    }
    case 'sell': {
      if (command.holds.length === 0) return wrong(3, 'no checkout without a hold')
      const missing = command.holds.find((id, index) => {
        const named = holds.get(id)
        const sold = holds.get(answer.holds?.[index]?.id ?? id)
        const end = sold?.endedBy
        if (end?.kind !== 'seat_converted') return true
        if (!command.tickets.includes(end.body.ticketIds?.[0] ?? '')) return true
        return sold !== named && !(named?.status === 'expired' && isSamePlace(sold!, named))
      })
      return missing ? wrong(9, 'what was confirmed is in the journal', missing) : null
    }
    default:
      return null
  }
}

function isWhole(command: Operation['command'], given: readonly AnsweredHold[], model: Model): boolean {
  if (command.kind === 'hold_places') {
    const [one] = given
    return given.length === 1 && one!.zone === command.zone && one!.quantity === command.quantity
  }
  if (command.kind === 'hold_best') return isWishGranted(command, given, model)
  if (command.kind !== 'hold_seats') return true
  const seats = new Set(given.map(({ ordinal }) => ordinal))
  return given.length === command.ordinals.length && command.ordinals.every(ordinal => seats.has(ordinal))
}

/** As many seats as were asked for, of the kinds that were asked for, and together if they were to be. */
function isWishGranted(
  { quantity, wheelchair, together }: Extract<Operation['command'], { kind: 'hold_best' }>,
  given: readonly AnsweredHold[],
  { seatRules }: Model,
): boolean {
  const seats = [...new Set(given.map(({ ordinal }) => ordinal ?? -1))].sort((a, b) => a - b)
  if (seats.length !== quantity || given.length !== quantity || seats.includes(-1)) return false
  if (!seatRules) return true
  const isNextTo = (seat: number, index: number) =>
    index === 0 || seatRules.neighboursOf(seat).includes(seats[index - 1]!)
  if (together && !seats.every(isNextTo)) return false
  return seats.filter(seat => seatRules.isPlace(seat)).length === wheelchair
}

interface Span {
  readonly first: number
  readonly last: number
}

function wasOf(hold: ModelHold, user: string, span: Span): boolean {
  return during(hold.owners, span).some(owner => owner.user === user)
}

function isSamePlace(one: ModelHold, other: ModelHold): boolean {
  return one.ordinal === other.ordinal && one.zone === other.zone && one.quantity === other.quantity
}

function isSame(hold: ModelHold, one: AnsweredHold, user: string, span: Span): boolean {
  return (
    wasOf(hold, user, span) &&
    hold.ordinal === one.ordinal &&
    hold.zone === one.zone &&
    during(hold.quantities, span).some(({ quantity }) => quantity === one.quantity) &&
    hold.untils.some(({ heldUntil }) => heldUntil === one.heldUntil)
  )
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const known = map.get(key)
  if (known) known.push(value)
  else map.set(key, [value])
}
