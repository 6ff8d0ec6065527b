import { apply } from '@voelgoed/core/event/apply'
import type { Change } from '@voelgoed/core/event/change'
import type { EventState } from '@voelgoed/core/event/state'
import type { CommandId } from '@voelgoed/core/ids'
import { hasSeats } from '@voelgoed/core/layout/model'
import type { EventZone } from '@voelgoed/core/layout/overlay'
import type { PolicyFields } from '@voelgoed/core/policy'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import type { JournalPoint, Ledger } from '../tables/ledger.ts'
import type { SharedSeats } from './seat-maps.ts'

/** Answers need to know this of an event: what its zones are called, and its seats. */
export interface EventHall {
  readonly zones: readonly EventZone[]
  readonly seats: SharedSeats
}

/**
 * An event in memory: its state, and what answers need to know besides. A lane has one that it works on,
 * which no other code may see; every reader has the view (committed-view.ts), which has another inside.
 */
export interface HotEvent extends EventHall {
  readonly state: EventState
  zones: readonly EventZone[]
  /** The command of the last change in `state`; null when that is not known. */
  tip: CommandId | null
  /** The epoch of the history that `state` is made of, as the ledger last said it. */
  epoch: number
  /** The lost history went so far, as far as the ledger or this node knows. */
  lostUpTo: number
  eventRevision: number
  policyRevision: number
  /**
   * The database's clock is so far ahead of this node's monotonic one, which does not jump: for telling
   * people how long, never for granting.
   */
  clockOffset: number
}

/** These are not in the journal, as they were last read. */
export interface EventTerms {
  readonly zones: readonly EventZone[]
  readonly policy: PolicyFields
  readonly lastStart: number | null
  readonly epoch: number
  readonly lostUpTo: number
  readonly eventRevision: number
  readonly policyRevision: number
  readonly clockOffset: number
}

export function termsOf({
  state,
  zones,
  epoch,
  lostUpTo,
  eventRevision,
  policyRevision,
  clockOffset,
}: Readonly<HotEvent>): EventTerms {
  const { policy, lastStart } = state.settings
  return { zones, policy, lastStart, epoch, lostUpTo, eventRevision, policyRevision, clockOffset }
}

/** Only a revision that has moved brings another policy: until then a change in the journal may be newer. */
export function takeTerms(hot: HotEvent, terms: EventTerms): void {
  hot.clockOffset = terms.clockOffset
  hot.epoch = terms.epoch
  // Postgres may have lost what it knew of an earlier loss.
  hot.lostUpTo = Math.max(hot.lostUpTo, terms.lostUpTo)
  if (hot.eventRevision === terms.eventRevision && hot.policyRevision === terms.policyRevision) return
  hot.zones = terms.zones
  hot.state.settings = { ...hot.state.settings, policy: terms.policy, lastStart: terms.lastStart }
  hot.eventRevision = terms.eventRevision
  hot.policyRevision = terms.policyRevision
}

/** Applies changes that follow this state. `tip`: the command of the last of them. */
export function advance(hot: HotEvent, changes: readonly Change[], tip: CommandId | null): void {
  for (const change of changes) apply(hot.state, change)
  hot.tip = tip
}

/** Up to where the journal is in this state. */
export function pointOf({ state, tip }: Pick<HotEvent, 'state' | 'tip'>): JournalPoint {
  return { seq: state.seq, tip }
}

/** The database's clock, as well as this node knows it. */
export function databaseNow(hot: Pick<HotEvent, 'clockOffset'>, time: Time = processTime): number {
  return time.now() + hot.clockOffset
}

/**
 * Returns how far the database's clock is ahead once it was read again, at some moment between question and
 * answer. An answer that was late, because this node was frozen or the line slow, leaves room for what was
 * known before; a clock that was set does not.
 */
export function offsetAfter(
  known: number,
  { now, askedAt }: Pick<Ledger, 'now' | 'askedAt'>,
  answeredAt: number,
): number {
  return Math.min(Math.max(known, now - answeredAt), now - askedAt)
}

/**
 * The ordinal of a seat that this event sells. Null: the layout has no such seat, or the event runs its zone
 * without seats.
 */
export function sellableOrdinal({ seats, zones }: EventHall, seatId: string): number | null {
  const ordinal = seats.map.seatIds.ordinalOf(seatId)
  if (ordinal === undefined) return null
  return hasSeats(zones[seats.map.zoneOf[ordinal]!]!.zoneType) ? ordinal : null
}
