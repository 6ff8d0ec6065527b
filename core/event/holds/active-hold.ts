import type { CheckoutId, UserId } from '../../ids.ts'
import type { ExpiryQueue, Queued } from './expiry-queue.ts'

/**
 * A hold that has not ended. It may still have run out: see isAlive. Until a change ends it
 * (`seat_hold_expired`) it stays in the state, but nothing is granted or refused because of it.
 */
export interface ActiveHold extends Queued {
  /**
   * Direct ways to the queues it is in: with 100,000 holds, looking up a user or an address costs 0.4 µs. The
   * user changes when the hold is transferred.
   */
  user: UserHolds
  /** null: the address is not known, or is not to be counted. */
  readonly ip: IpHolds | null
  /** The seat, or null for places of a zone without seats. */
  readonly ordinal: number | null
  readonly zoneIndex: number
  /** heldUntil never moves past it, and it never moves to a later time: cart.ts. */
  capUntil: number
  /** Set once, when payment starts. */
  checkoutId: CheckoutId | null
  /** The seq of its last change. 0: not known, because the rows it was restored from did not say it. */
  lastSeq: number
}

/**
 * When a hold ends if nothing else happens, and the latest end it may get.
 * The holds of a cart share theirs: cart.ts.
 */
export interface HoldTimes {
  readonly heldUntil: number
  readonly capUntil: number
}

export type HoldQueue = ExpiryQueue<ActiveHold>

export interface Holder {
  readonly key: string
  readonly all: HoldQueue
  readonly recent?: readonly number[]
}

export type IpHolds = Holder

export interface UserHolds extends Holder {
  readonly key: UserId
  /** Made when the user first holds one: very few users do. */
  wheelchairs: HoldQueue | null
  /**
   * What the user took lately, released or not, oldest first: what `holds_per_window` counts. Pairs of a time
   * and the number of seats and places taken then, one after the other in one array: 16 bytes a pair.
   */
  recent: number[]
}

/** Holds nothing any more. */
export interface Idle<Kind extends Holder> {
  readonly holder: Kind
  readonly since: number
}

/** Expiry is this comparison, with the database's clock, and nothing else. */
export function isAlive(hold: ActiveHold, now: number): boolean {
  return now < hold.heldUntil
}
