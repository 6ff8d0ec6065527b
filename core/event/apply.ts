import type { HoldId } from '../ids.ts'
import { assert, assertNever } from '../result.ts'
import type { Change, EventChanged, SeatReserved } from './change.ts'
import { forgetFreeSeats, touchSeat } from './free-seats.ts'
import { type ActiveHold, isAlive } from './holds/active-hold.ts'
import { countPlaces } from './holds/idle-holders.ts'
import { addHold, moveHold, postponeHold, removeHold, shrinkHold } from './holds/index-holds.ts'
import { AVAILABLE, BLOCKED, type EventState, HELD, SOLD, WHEELCHAIR, type ZoneState } from './state.ts'

/**
 * The only way a state changes. A change was decided on this very state, or comes from its journal: whatever
 * doesn't fit is a bug or a damaged journal, and the state must be thrown away.
 */
export function apply(state: EventState, change: Change): void {
  assert(change.seq === state.seq + 1, 'a gap in the journal')
  switch (change.kind) {
    case 'seat_reserved':
      reserve(state, change)
      break
    case 'seat_hold_extended': {
      const hold = activeHold(state, change)
      assert(isAlive(hold, change.at), 'an extension of a hold that has run out')
      moveSeat(state, change, { from: HELD, to: HELD })
      postponeHold(state, hold, change)
      touch(state, hold, change)
      break
    }
    case 'payment_started': {
      const hold = activeHold(state, change)
      assert(isAlive(hold, change.at), 'a payment for a hold that has run out')
      assert(hold.checkoutId === null, 'a second payment for a hold')
      moveSeat(state, change, { from: HELD, to: HELD })
      postponeHold(state, hold, change)
      state.holds.checkouts.set(hold.slot, change.checkoutId)
      touch(state, hold, change)
      break
    }
    case 'payment_ended': {
      const hold = activeHold(state, change)
      assert(isAlive(hold, change.at), 'the end of a payment for a hold that has run out')
      assert(hold.checkoutId === change.checkoutId, 'the end of another payment')
      moveSeat(state, change, { from: HELD, to: HELD })
      state.holds.checkouts.delete(hold.slot)
      touch(state, hold, change)
      break
    }
    case 'hold_reduced': {
      const hold = activeHold(state, change)
      assert(isAlive(hold, change.at), 'fewer places of a hold that has run out')
      assert(hold.ordinal === null, 'fewer places of a seat')
      assert(hold.quantity - change.quantity === change.freed, 'a hold reduced by another number')
      shrinkHold(state, hold, change.quantity)
      zoneOf(state, change).held -= change.freed
      touch(state, hold, change)
      break
    }
    case 'hold_transferred': {
      const hold = activeHold(state, change)
      assert(isAlive(hold, change.at), 'a transfer of a hold that has run out')
      moveSeat(state, change, { from: HELD, to: HELD })
      postponeHold(state, hold, change)
      moveHold(state, hold, change)
      touch(state, hold, change)
      break
    }
    case 'seat_hold_expired': {
      const hold = activeHold(state, change)
      assert(!isAlive(hold, change.at), 'a hold expired before its time')
      moveSeat(state, change, { from: HELD, to: AVAILABLE })
      end(state, hold, change.at)
      break
    }
    case 'seat_released': {
      const hold = activeHold(state, change)
      moveSeat(state, change, { from: HELD, to: AVAILABLE })
      end(state, hold, change.at)
      break
    }
    case 'seat_converted': {
      const hold = activeHold(state, change)
      assert(isAlive(hold, change.at), 'a conversion of a hold that has run out')
      assert(change.ticketIds.length === hold.quantity, 'a ticket for each place')
      moveSeat(state, change, { from: HELD, to: SOLD })
      zoneOf(state, change).sold += hold.quantity
      if (change.ordinal !== null && state.seats.category[change.ordinal] === WHEELCHAIR) {
        state.placeBuyers.set(change.ordinal, change.userId)
      }
      end(state, hold, change.at)
      break
    }
    case 'ticket_voided': {
      const zone = zoneOf(state, change)
      assert(zone.sold > 0, 'a ticket of a zone in which nothing is sold')
      moveSeat(state, change, { from: SOLD, to: AVAILABLE })
      zone.sold -= 1
      if (change.ordinal !== null) state.placeBuyers.delete(change.ordinal)
      break
    }
    case 'seat_blocked':
      moveSeat(state, change, { from: AVAILABLE, to: BLOCKED })
      zoneOf(state, change).blocked += 1
      break
    case 'seat_unblocked':
      moveSeat(state, change, { from: BLOCKED, to: AVAILABLE })
      zoneOf(state, change).blocked -= 1
      break
    case 'companions_released': {
      const zone = zoneOf(state, change)
      assert(!zone.companionsReleased, 'companion seats released twice')
      zone.companionsReleased = true
      forgetFreeSeats(state)
      break
    }
    case 'event_changed':
      updateEvent(state, change)
      break
    default:
      assertNever(change, 'a kind of change that this program does not know')
  }
  state.seq = change.seq
}

function reserve(state: EventState, change: SeatReserved): void {
  const zone = zoneOf(state, change)
  assert(change.heldUntil <= change.capUntil, 'a hold beyond its cap')
  assert(
    zone.held + zone.sold + zone.blocked + change.quantity <= zone.settings.capacity,
    'more places than the zone has',
  )
  moveSeat(state, change, { from: AVAILABLE, to: HELD })
  zone.held += change.quantity
  const hold = addHold(state, change)
  touch(state, hold, change)
  countPlaces(state, state.holds.userOf[hold.slot]!, { at: change.at, places: change.quantity })
}

function touch({ holds }: EventState, { slot }: ActiveHold, { seq }: Change): void {
  holds.lastSeq[slot] = seq
}

function end(state: EventState, hold: ActiveHold, at: number): void {
  state.zones[hold.zoneIndex]!.held -= hold.quantity
  removeHold(state, hold, at)
}

function updateEvent(state: EventState, change: EventChanged): void {
  const { status, saleStart, saleEnd, policy, zones } = change
  const old = state.settings
  state.settings = {
    ...old,
    status: status ?? old.status,
    saleStart: saleStart === undefined ? old.saleStart : saleStart,
    saleEnd: saleEnd === undefined ? old.saleEnd : saleEnd,
    policy: policy ?? old.policy,
  }
  for (const { zoneIndex, capacity, access, disabled } of zones ?? []) {
    const zone = state.zones[zoneIndex]!
    const { settings } = zone
    assert(capacity >= zone.held + zone.sold + zone.blocked, 'a zone smaller than what is in it')
    zone.settings = { ...settings, capacity, access, disabled }
  }
}

/** Places of a zone without seats have no status of their own: only the zone's counters move. */
function moveSeat(
  state: EventState,
  { ordinal, version }: { ordinal: number | null; version: number | null },
  { from, to }: { from: number; to: number },
): void {
  if (ordinal === null) return
  assert(state.seatStatus[ordinal] === from, 'a transition that is not legal')
  assert(version === state.seatVersion[ordinal]! + 1, 'a version left out or repeated')
  state.seatStatus[ordinal] = to
  state.seatVersion[ordinal] = version
  touchSeat(state, ordinal)
}

/**
 * A seat is only ever touched through the hold it has now: an old hold can't free the seat of the next buyer.
 */
function activeHold(state: EventState, change: { holdId: HoldId; ordinal: number | null }): ActiveHold {
  const hold = state.holds.get(change.holdId)
  assert(hold !== undefined, 'a change of a hold that is not active')
  assert(hold.ordinal === change.ordinal, 'a change of another seat than the hold is for')
  return hold
}

function zoneOf(state: EventState, { zoneIndex }: { zoneIndex: number }): ZoneState {
  return state.zones[zoneIndex]!
}
