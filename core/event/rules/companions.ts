import type { UserId } from '../../ids.ts'
import { isAlive } from '../holds/active-hold.ts'
import { AVAILABLE, COMPANION, type EventState, holdOf } from '../state.ts'
import type { NewChanges } from './new-changes.ts'

/**
 * Companion seats. While the policy enforces the rule, the seat beside a wheelchair place is for the buyer
 * who holds that place, has bought it, or takes it with the same command. Once enough of the zone is taken
 * (companion_release_occupancy_threshold) its companion seats are anyone's, and stay so for this event:
 * `companions_released`. Holds that have run out count as taken until they are tidied up, as in the zone's
 * counters, so that the journal alone says when it was.
 */

/** Returns whether the seat is kept for the buyer of its wheelchair place. */
export function isKept({ seats, settings, zones }: EventState, ordinal: number): boolean {
  return (
    seats.category[ordinal] === COMPANION &&
    settings.policy.enforce_accessibility_rules &&
    !zones[seats.zoneOf[ordinal]!]!.companionsReleased &&
    placeOf(seats, ordinal) !== undefined
  )
}

/** The wheelchair place of a companion seat. */
function placeOf({ hall }: EventState['seats'], ordinal: number): number | undefined {
  const { positions, ordinals } = hall.rows
  const at = hall.companions.placeOf.get(positions[ordinal]!)
  return at === undefined ? undefined : ordinals[at]
}

/**
 * The seats among these that are kept from this buyer. `taken`: what they take with the same command, and
 * `left`: what they give up with it. `isOrder`: the seats are sold. Then a place that the buyer only holds is
 * not enough, because they may give it back and keep the seat.
 */
export function keptFrom(
  state: EventState,
  userId: UserId,
  {
    seats,
    taken,
    left = [],
    isOrder = false,
  }: { seats: readonly number[]; taken: readonly number[]; left?: readonly number[]; isOrder?: boolean },
  now: number,
): number[] {
  return seats.filter(ordinal => {
    if (!isKept(state, ordinal)) return false
    const place = placeOf(state.seats, ordinal)!
    if (taken.includes(place)) return false
    if (left.includes(place)) return true
    if (state.placeBuyers.get(place) === userId) return false
    const hold = holdOf(state, place)
    if (!(hold?.belongsTo(userId) && isAlive(hold, now))) return true
    return isOrder && hold.checkoutId === null
  })
}

/** To be called when all other changes of a decision are made: releases what they have filled up. */
export function releaseCompanions(
  state: EventState,
  made: NewChanges,
  policy: EventState['settings']['policy'] = state.settings.policy,
): void {
  const { zones: withCompanions } = state.seats.hall.companions
  if (withCompanions.length === 0 || !policy.enforce_accessibility_rules) return
  for (const zoneIndex of withCompanions) {
    const zone = state.zones[zoneIndex]!
    if (zone.companionsReleased) continue
    const { taken, blocked } = countsAfter(made, zoneIndex)
    const capacity = zone.settings.capacity - zone.blocked - blocked
    const occupied = zone.held + zone.sold + taken
    const needed = capacity * policy.companion_release_occupancy_threshold
    if (occupied === 0 || occupied * 100 < needed) continue
    made.releaseCompanions({
      zoneIndex,
      occupied,
      capacity,
      ordinals: freeCompanions(state, made, zoneIndex),
    })
  }
}

/** The companion seats of a zone that no buyer has after these changes. */
function freeCompanions({ seats, seatStatus }: EventState, made: NewChanges, zoneIndex: number): number[] {
  const { ordinals } = seats.hall.rows
  const isFreeAfter = new Map<number, boolean>()
  for (const change of made.changes) {
    if (!('ordinal' in change) || change.ordinal === null) continue
    isFreeAfter.set(change.ordinal, change.kind === 'seat_hold_expired' || change.kind === 'ticket_voided')
  }
  return Array.from(seats.hall.companions.placeOf.keys(), at => ordinals[at]!)
    .filter(ordinal => seats.zoneOf[ordinal] === zoneIndex)
    .filter(ordinal => isFreeAfter.get(ordinal) ?? seatStatus[ordinal] === AVAILABLE)
    .sort((a, b) => a - b)
}

function countsAfter({ changes }: NewChanges, zoneIndex: number): { taken: number; blocked: number } {
  let [taken, blocked] = [0, 0]
  for (const change of changes) {
    if (!('zoneIndex' in change) || change.zoneIndex !== zoneIndex) continue
    if (change.kind === 'seat_reserved') taken += 1
    else if (change.kind === 'seat_hold_expired' || change.kind === 'ticket_voided') taken -= 1
    else if (change.kind === 'seat_blocked') blocked += 1
  }
  return { taken, blocked }
}
