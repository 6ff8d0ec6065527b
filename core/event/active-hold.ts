import type { UserId } from '../ids.ts'
import type { ExpiryQueue, Queued } from './expiry-queue.ts'
import type { CheckoutId } from './ids.ts'

/**
 * A hold that has not ended. It may have run out all the same: see isAlive. Until somebody ends it with a
 * change (`seat_hold_expired`) it stays in the state, but nothing is granted or refused because of it.
 */
export interface ActiveHold extends Queued {
  /** Direct ways to the queues it is in: with 100,000 holds, looking up a user or an address costs 0.4 µs. */
  readonly user: UserHolds
  /** null: the address is not known, or is not to be counted. */
  readonly ip: IpHolds | null
  /** The seat, or null for places of a zone without seats. */
  readonly ordinal: number | null
  readonly zoneIndex: number
  /** Places; 1 for a seat. */
  readonly quantity: number
  /** heldUntil never moves past it. Moves once, when payment starts. */
  capUntil: number
  /** Set once, when payment starts. */
  checkoutId: CheckoutId | null
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
  /** Made when the user first holds one: hardly anybody does. */
  wheelchairs: HoldQueue | null
  /** When the user made holds lately, ended or not, oldest first: what `holds_per_window` counts. */
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
