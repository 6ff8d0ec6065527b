import type { UserId } from '../../ids.ts'
import { hasSeats, SEAT_CATEGORIES } from '../../layout/model.ts'
import { assert, assertNever } from '../../result.ts'
import type { Change } from '../change.ts'
import type { EventUpdate } from '../command.ts'
import type { StateRows } from '../restore.ts'
import type { EventPlan, SeatStatus } from '../state.ts'

/**
 * Holds what the database would hold after these changes, written from each change alone. Checks the
 * invariants that can be seen in rows and in their history (the numbers are those of the list of invariants):
 * 1 one owner a seat · 2 seat, hold and ticket agree · 4 legal transitions, versions and seq by one · 5
 * counters · 6 nothing granted after heldUntil · 7 heldUntil never back, nor past the cap · 11 no gap · 19
 * one clock a cart.
 */
export class Tables {
  plan: EventPlan
  seq = 0
  readonly seats: SeatRow[]
  readonly holds = new Map<string, HoldRecord>()
  /** Valid ones. */
  readonly tickets = new Map<string, { holdId: string; ordinal: number | null; userId: string }>()
  readonly #issued = new Set<string>()
  readonly counts: { held: number; sold: number; blocked: number }[]
  readonly released = new Set<number>()

  constructor(plan: EventPlan) {
    this.plan = plan
    this.seats = Array.from({ length: plan.seats.count }, (_, ordinal) => {
      return { ordinal, status: 'available', version: 0, holdId: null, ticketId: null }
    })
    this.counts = plan.zones.map(() => ({ held: 0, sold: 0, blocked: 0 }))
  }

  write(change: Change): void {
    assert(change.seq === this.seq + 1, 'invariant 11: the journal has a gap')
    this.seq = change.seq
    switch (change.kind) {
      case 'seat_reserved': {
        const { holdId, userId, ip, ordinal, zoneIndex, quantity, heldUntil, capUntil, at } = change
        assert(!this.holds.has(holdId), 'invariant 4: a hold was made twice')
        assert(at < heldUntil && heldUntil <= capUntil, 'invariant 7: a hold past its cap')
        this.holds.set(holdId, {
          ...{ holdId, userId, ip, ordinal, zoneIndex, quantity, heldUntil, capUntil },
          checkoutId: null,
          lastSeq: change.seq,
          createdAt: at,
          takenBy: userId,
          taken: quantity,
          status: 'active',
        })
        this.moveSeat(change, 'available', { status: 'held', holdId, ticketId: null })
        this.counts[zoneIndex]!.held += quantity
        break
      }
      case 'hold_reduced': {
        const hold = this.activeHold({ ...change, quantity: change.quantity + change.freed })
        assert(change.at < hold.heldUntil, 'invariant 6: a hold that had run out was reduced')
        assert(change.quantity > 0 && change.freed > 0 && hold.ordinal === null, 'fewer places, but some')
        hold.quantity = change.quantity
        hold.lastSeq = change.seq
        this.counts[hold.zoneIndex]!.held -= change.freed
        break
      }
      case 'seat_hold_extended':
      case 'hold_transferred':
      case 'payment_started': {
        const hold = this.activeHold(change)
        const capUntil = ('capUntil' in change ? change.capUntil : undefined) ?? hold.capUntil
        assert(change.at < hold.heldUntil, 'invariant 6: a hold that had run out was prolonged')
        assert(change.heldUntil >= hold.heldUntil, 'invariant 7: heldUntil moved back')
        assert(change.heldUntil <= capUntil, 'invariant 7: heldUntil moved past the cap')
        assert(capUntil <= hold.capUntil, 'invariant 7: the cap moved to a later time')
        if (change.kind === 'payment_started') {
          assert(hold.checkoutId === null, 'a hold is paid for once')
          hold.checkoutId = change.checkoutId
        }
        if (change.kind === 'hold_transferred') {
          assert(change.userId !== hold.userId, 'a hold was transferred to its owner')
          hold.userId = change.userId
        }
        hold.heldUntil = change.heldUntil
        hold.capUntil = capUntil
        hold.lastSeq = change.seq
        this.moveSeat(change, 'held', { status: 'held', holdId: hold.holdId, ticketId: null })
        break
      }
      case 'payment_ended': {
        const hold = this.activeHold(change)
        assert(change.at < hold.heldUntil, 'invariant 6: a hold that had run out was given back to its cart')
        assert(hold.checkoutId === change.checkoutId, 'the payment that ends is the one that began')
        hold.checkoutId = null
        hold.lastSeq = change.seq
        this.moveSeat(change, 'held', { status: 'held', holdId: hold.holdId, ticketId: null })
        break
      }
      case 'seat_hold_expired':
      case 'seat_released': {
        const hold = this.activeHold(change)
        const isOver = hold.heldUntil <= change.at
        assert(isOver === (change.kind === 'seat_hold_expired'), 'time expires a hold, people release it')
        hold.status = change.kind === 'seat_released' ? 'cancelled' : 'expired'
        this.moveSeat(change, 'held', { status: 'available', holdId: null, ticketId: null })
        this.counts[hold.zoneIndex]!.held -= hold.quantity
        break
      }
      case 'seat_converted': {
        const hold = this.activeHold(change)
        assert(change.at < hold.heldUntil, 'invariant 6: a hold that had run out was converted')
        assert(change.userId === hold.userId, 'invariant 3: a ticket for another user')
        assert(change.ticketIds.length === hold.quantity, 'invariant 3: a ticket for each place')
        hold.status = 'converted'
        for (const ticketId of change.ticketIds) {
          assert(!this.#issued.has(ticketId), 'invariant 3: a ticket was issued twice')
          this.#issued.add(ticketId)
          this.tickets.set(ticketId, { holdId: hold.holdId, ordinal: hold.ordinal, userId: hold.userId })
        }
        this.moveSeat(change, 'held', { status: 'sold', holdId: null, ticketId: change.ticketIds[0]! })
        this.counts[hold.zoneIndex]!.held -= hold.quantity
        this.counts[hold.zoneIndex]!.sold += hold.quantity
        break
      }
      case 'ticket_voided': {
        const ticket = this.tickets.get(change.ticketId)
        assert(ticket !== undefined, 'invariant 4: a ticket that is not valid was voided')
        assert(ticket.ordinal === change.ordinal, 'a ticket of another seat')
        this.tickets.delete(change.ticketId)
        this.moveSeat(change, 'sold', { status: 'available', holdId: null, ticketId: null })
        this.counts[change.zoneIndex]!.sold -= 1
        break
      }
      case 'seat_blocked':
        this.moveSeat(change, 'available', { status: 'blocked', holdId: null, ticketId: null })
        this.counts[change.zoneIndex]!.blocked += 1
        break
      case 'seat_unblocked':
        this.moveSeat(change, 'blocked', { status: 'available', holdId: null, ticketId: null })
        this.counts[change.zoneIndex]!.blocked -= 1
        break
      case 'companions_released':
        assert(!this.released.has(change.zoneIndex), 'companion seats released twice')
        this.released.add(change.zoneIndex)
        break
      case 'event_changed':
        this.plan = updated(this.plan, change)
        break
      default:
        assertNever(change, 'a kind of change that has no rows')
    }
  }

  /** The queries of the invariants. */
  check(now: number): void {
    const active = [...this.holds.values()].filter(hold => hold.status === 'active')
    const clocks = new Map<string, string>()
    for (const { userId, heldUntil, capUntil } of active) {
      if (heldUntil <= now) continue
      const clock = `${heldUntil} ${capUntil}`
      assert((clocks.get(userId) ?? clock) === clock, 'invariant 19: the holds of a cart end together')
      clocks.set(userId, clock)
    }
    for (const { ordinal, status, holdId, ticketId } of this.seats) {
      const owners =
        active.filter(hold => hold.ordinal === ordinal).length +
        [...this.tickets.values()].filter(ticket => ticket.ordinal === ordinal).length
      assert(owners <= 1, 'invariant 1: a seat has two owners')
      assert(owners === (status === 'held' || status === 'sold' ? 1 : 0), 'invariant 2: status and owner')
      const hold = active.find(each => each.ordinal === ordinal)
      assert((hold?.holdId ?? null) === holdId, 'invariant 2: seat and hold')
      assert((ticketId !== null) === (status === 'sold'), 'invariant 2: seat and ticket')
    }
    this.plan.zones.forEach((zone, zoneIndex) => {
      const { held, sold, blocked } = this.counts[zoneIndex]!
      const ofZone = active.filter(hold => hold.zoneIndex === zoneIndex)
      assert(held === sum(ofZone.map(hold => hold.quantity)), 'invariant 5: held is not the sum of the holds')
      const tickets = [...this.tickets.values()].filter(
        ({ holdId }) => this.holds.get(holdId)!.zoneIndex === zoneIndex,
      )
      assert(sold === tickets.length, 'invariant 5: sold is not the number of tickets')
      assert(held >= 0 && sold >= 0 && blocked >= 0, 'invariant 5: a counter below zero')
      assert(held + sold + blocked <= zone.capacity, 'invariant 5: more than the capacity')
    })
  }

  /** Returns what a node that starts now would read. */
  rows(now: number): StateRows {
    const windowMs = this.plan.settings.policy.hold_window_seconds * 1000
    const holds = [...this.holds.values()]
    return {
      seq: this.seq,
      seats: this.seats
        .filter(({ version }) => version > 0)
        .map(({ ordinal, status, version }) => ({ ordinal, status, version })),
      // Newest first, so that nothing depends on the order in which rows are read.
      holds: holds.filter(({ status }) => status === 'active').reverse(),
      placeBuyers: [...this.tickets.values()].flatMap(({ ordinal, userId }) =>
        ordinal !== null && SEAT_CATEGORIES[this.plan.seats.category[ordinal]!] === 'wheelchair'
          ? [{ ordinal, userId: userId as UserId }]
          : [],
      ),
      companionsReleased: [...this.released],
      soldPlaces: this.counts
        .map(({ sold }, zoneIndex) => ({ zoneIndex, sold }))
        .filter(({ zoneIndex }) => !hasSeats(this.plan.zones[zoneIndex]!.zoneType)),
      recentHolds: holds
        .filter(({ createdAt }) => createdAt > now - windowMs)
        .map(({ takenBy, taken, createdAt }) => ({ userId: takenBy, at: createdAt, places: taken })),
    }
  }

  private activeHold(change: { holdId: string; ordinal: number | null; quantity: number }): HoldRecord {
    const hold = this.holds.get(change.holdId)
    assert(hold?.status === 'active', 'invariant 4: what has ended stays ended')
    assert(hold.ordinal === change.ordinal && hold.quantity === change.quantity, 'another hold’s place')
    return hold
  }

  private moveSeat(
    { ordinal, version }: { ordinal: number | null; version: number | null },
    from: SeatStatus,
    to: Pick<SeatRow, 'status' | 'holdId' | 'ticketId'>,
  ): void {
    if (ordinal === null) return
    const seat = this.seats[ordinal]!
    assert(seat.status === from, 'invariant 4: a transition that is not legal')
    assert(version === seat.version + 1, 'invariant 4: the version goes up by one')
    Object.assign(seat, to, { version })
  }
}

interface SeatRow {
  ordinal: number
  status: SeatStatus
  version: number
  holdId: string | null
  ticketId: string | null
}

type HoldRecord = {
  -readonly [Key in keyof Required<StateRows['holds'][number]>]: Required<StateRows['holds'][number]>[Key]
} & {
  createdAt: number
  takenBy: UserId
  taken: number
  status: 'active' | 'converted' | 'expired' | 'cancelled'
}

function updated(
  plan: EventPlan,
  { status, saleStart, saleEnd, policy, zones = [] }: EventUpdate,
): EventPlan {
  const old = plan.settings
  return {
    seats: plan.seats,
    settings: {
      ...old,
      status: status ?? old.status,
      saleStart: saleStart === undefined ? old.saleStart : saleStart,
      saleEnd: saleEnd === undefined ? old.saleEnd : saleEnd,
      policy: policy ?? old.policy,
    },
    zones: plan.zones.map((zone, index) => {
      const update = zones.find(({ zoneIndex }) => zoneIndex === index)
      if (!update) return zone
      const { capacity, access, disabled } = update
      return { ...zone, capacity, access, disabled }
    }),
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}
