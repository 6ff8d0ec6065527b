import { isStaff, missingForZone, type Person } from '../../access.ts'
import type { Explanation } from '../../allocation/explain.ts'
import type { HoldId, UserId } from '../../ids.ts'
import { hasSeats } from '../../layout/model.ts'
import { ruleAgainstZone } from '../../policy-zones.ts'
import type { HoldRefusal } from '../../refusal.ts'
import { assert, refuse } from '../../result.ts'
import { heldUntilOf, missingPlaces, seatIdsOf, statusAt } from '../availability.ts'
import type { HoldBest, HoldPlaces, HoldSeats } from '../command.ts'
import { answerOf, decided, decidedSeats, type Outcome } from '../decision.ts'
import { type ActiveHold, isAlive } from '../holds/active-hold.ts'
import { isOnSale } from '../lifecycle.ts'
import { salesEnd } from '../sale-window.ts'
import {
  AVAILABLE,
  type EventState,
  HELD,
  holdOf,
  SOLD,
  WHEELCHAIR,
  type ZoneSettings,
  type ZoneState,
} from '../state.ts'
import { joinCart } from './cart.ts'
import { keptFrom, releaseCompanions } from './companions.ts'
import { overLimits } from './limits.ts'
import { NewChanges } from './new-changes.ts'
import { quickCartWarning } from './stranding.ts'
import { brokenWholes } from './wholes.ts'

/** The rules for new holds, in the order in which decide.ts numbers them. */

export function holdSeats(state: EventState, command: HoldSeats, now: number): Outcome {
  const { actor, ordinals, holdIds } = command
  assert(ordinals.length > 0 && holdIds.length === ordinals.length, 'seats, and a hold id for each')
  assert(ordinals.length === 1 || new Set(ordinals).size === ordinals.length, 'a seat asked for twice')

  const { userId } = actor.person
  const mine = ordinals.map(ordinal => {
    const hold = holdOf(state, ordinal)
    assert(hold !== undefined, 'a seat of this event')
    return hold?.belongsTo(userId) && isAlive(hold, now) ? hold : null
  })
  const wanted = ordinals.filter((_, i) => mine[i] === null)
  if (wanted.length === 0) {
    return decided(
      [],
      mine.map(hold => answerOf(hold!)),
    )
  }

  const refusal =
    notOnSale(state, now) ??
    tooManySeats(state, actor.person, wanted.length) ??
    disabledSeats(state, wanted) ??
    shutSeats(state, actor.person, wanted) ??
    brokenWholes(
      state,
      wanted,
      ordinal => ordinals.includes(ordinal) || isMine(state, ordinal, userId, now),
    ) ??
    takenSeats(state, wanted, now) ??
    keptSeats(state, command, wanted, now)
  if (refusal !== null) return refuse(refusal)

  const ending = new Map<number, ActiveHold>()
  let wheelchairs = 0
  for (const ordinal of wanted) {
    // Whatever still holds a seat at this point has run out.
    const hold = holdOf(state, ordinal)
    if (hold) ending.set(hold.slot, hold)
    if (state.seats.category[ordinal] === WHEELCHAIR) wheelchairs += 1
  }
  const overLimit = overLimits(state, actor, { places: wanted.length, wheelchairs }, ending, now)
  if (overLimit !== null) return refuse(overLimit)
  return takeSeats(state, { command, seats: ordinals, holdIds, ending, explanation: null }, now)
}

/**
 * Nothing refuses from here on: the seats are the buyer's already, or free but for holds that have run out.
 * Those that are theirs come back with the others. `holdIds`: one for each seat.
 */
export function takeSeats(
  state: EventState,
  {
    command,
    seats,
    holdIds,
    ending,
    explanation,
  }: {
    command: HoldSeats | HoldBest
    seats: readonly number[]
    holdIds: readonly HoldId[]
    ending: Map<number, ActiveHold>
    explanation: Explanation | null
  },
  now: number,
): Outcome {
  const { userId } = command.actor.person
  const taken = seats.filter(ordinal => !isMine(state, ordinal, userId, now))
  for (const ordinal of taken) {
    const hold = holdOf(state, ordinal)
    if (hold) ending.set(hold.slot, hold)
  }
  const made = new NewChanges(state, now)
  for (const hold of ending.values()) made.expire(hold)
  const times = joinCart(state, made, userId, now)
  const holds = seats.map((ordinal, i) =>
    isMine(state, ordinal, userId, now)
      ? answerOf(holdOf(state, ordinal)!, times.heldUntil)
      : made.reserveSeat(command, { holdId: holdIds[i]!, ordinal }, times),
  )
  releaseCompanions(state, made)
  const stranding = quickCartWarning(state, { userId, taken }, now)
  return decidedSeats(made.changes, holds, { explanation, stranding })
}

function isMine(state: EventState, ordinal: number, userId: UserId, now: number): boolean {
  const hold = holdOf(state, ordinal)
  return hold?.belongsTo(userId) === true && isAlive(hold, now)
}

function keptSeats(
  state: EventState,
  { actor, ordinals }: HoldSeats,
  wanted: readonly number[],
  now: number,
): HoldRefusal | null {
  const kept = keptFrom(state, actor.person.userId, { seats: wanted, taken: ordinals }, now)
  return kept.length > 0 ? { kind: 'companion_reserved', seatIds: seatIdsOf(state, kept) } : null
}

export function holdPlaces(state: EventState, command: HoldPlaces, now: number): Outcome {
  const { actor, zoneIndex, quantity } = command
  const zone = state.zones[zoneIndex]
  assert(zone !== undefined && !hasSeats(zone.settings.zoneType), 'a zone without seats')
  assert(Number.isSafeInteger(quantity) && quantity > 0, 'a number of places')

  const closed = notOnSale(state, now) ?? tooManySeats(state, actor.person, quantity)
  if (closed !== null) return refuse(closed)
  if (zone.settings.disabled) return refuse({ kind: 'zone_at_capacity', available: 0 })
  const shut = shutZone(state, zone.settings, actor.person)
  if (shut !== null) return refuse(shut)

  const ending = new Map<number, ActiveHold>()
  const { capacity } = zone.settings
  const missing = missingPlaces(state, { zoneIndex, capacity }, quantity, ending, now)
  if (missing > 0) return refuse({ kind: 'zone_at_capacity', available: quantity - missing })

  const overLimit = overLimits(state, actor, { places: quantity, wheelchairs: 0 }, ending, now)
  if (overLimit !== null) return refuse(overLimit)

  // Nothing refuses from here on.
  const made = new NewChanges(state, now)
  for (const hold of ending.values()) made.expire(hold)
  const hold = made.reservePlaces(command, joinCart(state, made, actor.person.userId, now))
  return decided(made.changes, [hold])
}

export function notOnSale({ settings }: EventState, now: number): HoldRefusal | null {
  const { status, saleStart } = settings
  const saleEnd = salesEnd(settings)
  if (!isOnSale(status)) return { kind: 'event_not_available', status }
  const isOpen = (saleStart === null || saleStart <= now) && (saleEnd === null || now <= saleEnd)
  return isOpen ? null : { kind: 'event_sales_closed', saleStart, saleEnd }
}

/**
 * The new ones alone. What the buyer has besides is counted with the other limits,
 * when it is known that they are free.
 */
export function tooManySeats({ settings }: EventState, person: Person, seats: number): HoldRefusal | null {
  const limit = isStaff(person.role) ? null : settings.policy.max_seats_per_booking
  return limit !== null && seats > limit ? { kind: 'too_many_seats', limit } : null
}

function zoneOfSeat({ zones, seats }: EventState, ordinal: number): ZoneSettings {
  return zones[seats.zoneOf[ordinal]!]!.settings
}

export function disabledSeats(state: EventState, wanted: readonly number[]): HoldRefusal | null {
  const disabled = wanted.filter(ordinal => zoneOfSeat(state, ordinal).disabled)
  if (disabled.length === 0) return null
  return { kind: 'seat_not_available', seatIds: seatIdsOf(state, disabled), currentStatus: 'blocked' }
}

export function shutSeats(state: EventState, person: Person, wanted: readonly number[]): HoldRefusal | null {
  for (const ordinal of wanted) {
    const shut = shutZone(state, zoneOfSeat(state, ordinal), person)
    if (shut !== null) return shut
  }
  return null
}

/** A zone that the policy does not let the event sell, or that does not let this person in. */
export function shutZone(state: EventState, zone: ZoneSettings, person: Person): HoldRefusal | null {
  const { policy } = state.settings
  const { accessMode } = zone.access
  const besideSeats = !policy.allow_hybrid_ga_reserved && state.zones.some(offersSeats)
  const rule = ruleAgainstZone(policy, { zoneType: zone.zoneType, accessMode }, besideSeats)
  if (rule !== null) return { kind: 'zone_not_sold', rule }
  const required = missingForZone(zone.access, person)
  return required === null ? null : { kind: 'zone_access_denied', required }
}

function offersSeats({ settings }: ZoneState): boolean {
  return !settings.disabled && hasSeats(settings.zoneType)
}

export function takenSeats(state: EventState, wanted: readonly number[], now: number): HoldRefusal | null {
  const gone: number[] = []
  const held: number[] = []
  let isSold = false
  let until = now
  for (const ordinal of wanted) {
    const status = statusAt(state, ordinal, now)
    if (status === AVAILABLE) continue
    if (status === HELD) {
      held.push(ordinal)
      until = Math.max(until, heldUntilOf(state, ordinal))
    } else {
      gone.push(ordinal)
      isSold ||= status === SOLD
    }
  }
  if (gone.length > 0) {
    // Where some are sold and some blocked, sold speaks for all: that is the one that lasts.
    const currentStatus = isSold ? 'sold' : 'blocked'
    return { kind: 'seat_not_available', seatIds: seatIdsOf(state, gone), currentStatus }
  }
  if (held.length > 0) {
    // All of them are wanted, so the one that is free last counts.
    const expiresIn = Math.ceil((until - now) / 1000)
    return { kind: 'seat_held_by_another_user', seatIds: seatIdsOf(state, held), expiresIn }
  }
  return null
}
