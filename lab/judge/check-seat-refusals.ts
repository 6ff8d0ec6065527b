import type { Operation } from './history.ts'
import type { Model } from './model.ts'
import { policiesDuring } from './record.ts'
import type { SeatRules } from './seat-rules.ts'

/** A question, and between which moments of the database's clock it was answered. */
interface Asked {
  readonly operation: Operation
  readonly from: number
  readonly to: number
}

/**
 * Tells if a refusal by the rules about seats that go together can be true of this state. A hold that may or
 * may not have run out speaks for either.
 */
export function hasSeatReason(model: Model, asked: Asked): boolean {
  const { seatRules } = model
  if (!seatRules) return false
  switch (asked.operation.answer.code) {
    case 'companion_reserved':
      return isKeptFrom(model, seatRules, asked)
    case 'sold_as_a_whole':
      return breaksWhole(model, seatRules, asked)
    case 'would_strand_seats':
      return leavesAlone(model, seatRules, asked)
    case 'no_suitable_seats':
      return hasNoneLeft(model, seatRules, asked)
    default:
      return false
  }
}

function isKeptFrom(model: Model, rules: SeatRules, { operation, to }: Asked): boolean {
  const { ordinals: named = [] } = operation.answer
  const seats = seatsOf(model, operation)
  return (
    named.length > 0 &&
    named.every(seat => {
      const place = rules.placeOf(seat)
      if (place === undefined || !seats.includes(seat) || !rules.isKept(seat)) return false
      if (seats.includes(place)) return false
      // A place that the buyer only holds is enough for a hold, not for an order.
      const { status, hold } = model.seat(place)
      const isEnough = !isOrder(operation) || status === 'sold' || hold?.checkout !== null
      return !(isEnough && surelyHas(model, operation.user, place, to))
    })
  )
}

function breaksWhole(model: Model, rules: SeatRules, { operation, to }: Asked): boolean {
  const { ordinals: named = [] } = operation.answer
  const seats = seatsOf(model, operation)
  // A hold may join what the buyer holds already, not what they have bought; an order is only what it names.
  const isTheirs = (seat: number) =>
    seats.includes(seat) ||
    (operation.command.kind === 'hold_seats' &&
      model.seat(seat).status === 'held' &&
      surelyHas(model, operation.user, seat, to))
  return rules.plan.wholes.some(
    whole =>
      whole.some(seat => seats.includes(seat)) &&
      !whole.every(isTheirs) &&
      whole.every(seat => named.includes(seat)),
  )
}

function leavesAlone(model: Model, rules: SeatRules, { operation, from, to }: Asked): boolean {
  const { ordinals: named = [] } = operation.answer
  if (!isOrder(operation)) return false
  if (!policiesDuring(model.plan, from, to).some(({ isStrict }) => isStrict)) return false
  const seats = seatsOf(model, operation)
  // A buyer's seat that is not being paid for is free to these rules, before and after its hold runs out.
  const isLoose = (seat: number) => {
    const { status, hold } = model.seat(seat)
    return status === 'held' && hold!.user === operation.user && hold!.checkout === null
  }
  const isLeft = (seat: number, at: number) =>
    !seats.includes(seat) && !rules.isKept(seat) && (isLoose(seat) || isFree(model, seat, at))
  return (
    named.length > 0 &&
    named.every(seat => {
      const neighbours = rules.neighboursOf(seat)
      return (
        !rules.isPlace(seat) &&
        !rules.isOfWhole(seat) &&
        isLeft(seat, to) &&
        neighbours.some(neighbour => seats.includes(neighbour)) &&
        !neighbours.some(neighbour => isLeft(neighbour, from))
      )
    })
  )
}

function hasNoneLeft(model: Model, rules: SeatRules, { operation: { command }, from }: Asked): boolean {
  if (command.kind !== 'hold_best') return false
  const isLeft = (seat: number) => isFree(model, seat, from)
  if (command.wheelchair > 0) {
    const { companions } = rules.plan
    return !companions.some(({ place, seat }) => isLeft(place) && (command.companions === 0 || isLeft(seat)))
  }
  return rules.stretches(command.quantity, isLeft).next().done === true
}

function isOrder({ command }: Operation): boolean {
  return command.kind === 'start_payment' || command.kind === 'sell'
}

/** The seats that a request is about, as far as its holds are known. */
function seatsOf(model: Model, { command }: Operation): readonly number[] {
  if ('ordinals' in command) return command.ordinals
  if (!('holds' in command)) return []
  return command.holds.flatMap(id => model.holds.get(id)?.ordinal ?? [])
}

function surelyHas(model: Model, user: string, seat: number, to: number): boolean {
  const { status, hold } = model.seat(seat)
  return hold?.user === user && (status === 'sold' || hold.heldUntil > to)
}

/** At this time: it was never taken, or its hold has run out. */
function isFree(model: Model, seat: number, at: number): boolean {
  const { status, hold } = model.seat(seat)
  return status === 'available' || (status === 'held' && hold!.heldUntil <= at)
}
