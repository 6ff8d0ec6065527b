import type { CheckoutId, HoldId, UserId } from '../../ids.ts'

/**
 * A hold that has not ended. It may still have run out: see isAlive. Until a change ends it
 * (`seat_hold_expired`) it stays in the state, but nothing is granted or refused because of it.
 *
 * What is known of it is in the arrays of `Holds`; this object only says where, is made when it is asked for,
 * and must not be kept once another change is applied: its slot may be another hold's by then. Two objects of
 * one hold have one `slot`.
 */
export class ActiveHold implements HoldTimes {
  readonly table: HoldTable
  readonly slot: number

  constructor(table: HoldTable, slot: number) {
    this.table = table
    this.slot = slot
  }

  get holdId(): HoldId {
    return this.table.ids.keyOf(this.slot)
  }

  /** Changes when the hold is transferred. */
  get user(): HeldBy<UserId> {
    return this.table.users.at(this.table.userOf[this.slot]!)
  }

  belongsTo(userId: UserId): boolean {
    return this.table.users.keys.isKeyOf(this.table.userOf[this.slot]!, userId)
  }

  /** null: the address is not known, or is not to be counted. */
  get ip(): HeldBy<string> | null {
    const ip = this.table.ipOf[this.slot]!
    return ip < 0 ? null : this.table.ips.at(ip)
  }

  /** The seat, or null for places of a zone without seats. */
  get ordinal(): number | null {
    const ordinal = this.table.ordinals[this.slot]!
    return ordinal < 0 ? null : ordinal
  }

  get zoneIndex(): number {
    return this.table.zoneIndexes[this.slot]!
  }

  /** Places; 1 for a seat. Gets smaller when the buyer gives some of the places back. */
  get quantity(): number {
    return this.table.quantityOf(this.slot)
  }

  /** The first millisecond in which the hold is not alive any more. Never moves back. */
  get heldUntil(): number {
    return this.table.heldUntil[this.slot]!
  }

  /** heldUntil never moves past it, and it never moves to a later time: cart.ts. */
  get capUntil(): number {
    return this.table.capUntil[this.slot]!
  }

  /** Set when a payment starts, until the hold or the payment ends. */
  get checkoutId(): CheckoutId | null {
    return this.table.checkouts.get(this.slot) ?? null
  }

  /** The seq of its last change. 0: not known, because the rows it was restored from did not say it. */
  get lastSeq(): number {
    return this.table.lastSeq[this.slot]!
  }
}

/**
 * When a hold ends if nothing else happens, and the latest end it may get.
 * The holds of a cart share theirs: cart.ts.
 */
export interface HoldTimes {
  readonly heldUntil: number
  readonly capUntil: number
}

/**
 * A group of active holds, the one that ends soonest on top: all holds of the event, of a user, of an
 * address, or of a zone without seats.
 */
export interface HoldQueue {
  readonly size: number
  /** Seats and places of all holds in the queue: what limits count. */
  readonly places: number
  readonly first: ActiveHold | undefined
  /** All of them, in no order that means anything. */
  readonly heap: readonly ActiveHold[]
  has(hold: ActiveHold): boolean
  /** Those that have run out, soonest first. */
  due(now: number): Iterable<ActiveHold>
  /** Those that have run out, in no order, in fewer steps. */
  eachDue(now: number, visit: (hold: ActiveHold) => void): void
  /** Any hold that is alive, or null. */
  someAlive(now: number): ActiveHold | null
}

/** A user or an address, and the queue of what they hold. */
export interface HeldBy<Key extends string> extends HoldQueue {
  readonly key: Key
  readonly slot: number
  readonly all: HoldQueue
}

/** Where holds stand, each field under the slot of the hold: holds.ts. */
export interface HoldTable {
  readonly ids: { keyOf(slot: number): HoldId; isBefore(a: number, b: number): boolean }
  readonly users: HolderTable<UserId>
  readonly ips: HolderTable<string>
  readonly heldUntil: Float64Array
  readonly capUntil: Float64Array
  readonly lastSeq: Float64Array
  readonly ordinals: Int32Array
  readonly zoneIndexes: Uint16Array
  readonly userOf: Int32Array
  readonly ipOf: Int32Array
  readonly placeInEvent: Int32Array
  readonly placeWithUser: Int32Array
  readonly placeWithIp: Int32Array
  readonly placeInZone: Int32Array
  readonly checkouts: ReadonlyMap<number, CheckoutId>
  at(slot: number): ActiveHold
  quantityOf(slot: number): number
}

interface HolderTable<Key extends string> {
  readonly keys: { isKeyOf(slot: number, key: Key): boolean }
  at(slot: number): HeldBy<Key>
}

/** Expiry is this comparison, with the database's clock, and nothing else. */
export function isAlive(hold: ActiveHold, now: number): boolean {
  return now < hold.heldUntil
}
