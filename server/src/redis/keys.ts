import type { EventId, HoldId, SeatId } from '@voelgoed/core/ids'
import type { TenantScope } from '../tenant.ts'

/** The keys of one event. */
export interface EventKeys {
  /** HASH: epoch, seq, tip, at; `writer` and `writing_since` while it is not whole. */
  readonly seq: string
  /** STRING: two bits a seat, seat n at bits 2n and 2n + 1 as BITFIELD counts them (`GET u2 #n`). */
  readonly seats: string
  /** ZSET: hold ids by when they run out, in milliseconds. */
  readonly holds: string
  /** HASH: the event's status, its counters, and `zone:<index>` for each zone. */
  readonly occupancy: string
  /** STRING, JSON: the hold that a seat has. Expires with it. */
  seatHold(seat: SeatId): string
  /** HASH: what a hold is for, and until when. */
  holdMeta(hold: HoldId): string
}

/**
 * Every key of an event, and there is no other way to make one. The event's id is in braces, so that all keys
 * of an event are in one slot of a Cluster, and a script may use several of them.
 */
export function eventKeys({ organizationId }: TenantScope, eventId: EventId): EventKeys {
  const event = `voelgoed:org:${organizationId}:event:{${eventId}}`
  return {
    seq: `${event}:seq`,
    seats: `${event}:seats:bitmap`,
    holds: `${event}:seat_holds`,
    occupancy: `${event}:occupancy`,
    seatHold: seat => `${event}:seat:${seat}:hold`,
    holdMeta: hold => `${event}:hold:${hold}:meta`,
  }
}
