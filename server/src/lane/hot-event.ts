import type { EventState } from '@voelgoed/core/event/state'
import type { CommandId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import type { EventZone } from '@voelgoed/core/layout/overlay'
import type { JournalPoint, Ledger } from '../postgres/tables/ledger.ts'
import { processTime, type Time } from '../time.ts'
import type { SharedSeats } from './seat-maps.ts'

/** An event in memory: its state, and what answers need to know besides. */
export interface HotEvent {
  readonly state: EventState
  zones: readonly EventZone[]
  readonly seats: SharedSeats
  /** The command of the last change in `state`; null when that is not known. */
  tip: CommandId | null
  eventRevision: number
  policyRevision: number
  /**
   * How far the database's clock is ahead of this node's monotonic one, which does not jump: for telling
   * people how long, never for granting.
   */
  clockOffset: number
}

/** Up to where the journal is in this state. */
export function pointOf({ state, tip }: HotEvent): JournalPoint {
  return { seq: state.seq, tip }
}

/** The database's clock, as well as this node knows it. */
export function databaseNow(hot: HotEvent, time: Time = processTime): number {
  return time.now() + hot.clockOffset
}

/**
 * How far the database's clock is ahead once it was read again, at some moment between question and answer.
 * An answer that was late, because this node was frozen or the line slow, leaves room for what was known
 * before; a clock that was set does not.
 */
export function offsetAfter(
  known: number,
  { now, askedAt }: Pick<Ledger, 'now' | 'askedAt'>,
  answeredAt: number,
): number {
  return Math.min(Math.max(known, now - answeredAt), now - askedAt)
}

/** A seat of the event. One in a zone that this event runs without seats is none. */
export function sellableOrdinal(hot: HotEvent, seatId: string): number | null {
  const ordinal = hot.seats.ordinalOf.get(seatId)
  if (ordinal === undefined) return null
  return hasSeats(hot.zones[hot.seats.map.zoneOf[ordinal]!]!.zoneType) ? ordinal : null
}
