import type { Counts } from './history.ts'

/**
 * The database had written this down at the end: the journal, which gives every history its order, and the
 * tables that must agree with it. Times are milliseconds of the database's clock.
 */
export interface EventRecord {
  readonly eventId: string
  readonly organizationId: string
  /** As it was set up; only the policy changes during a run. */
  readonly plan: EventPlan
  readonly journal: readonly Entry[]
  readonly tables: Tables | null
}

/** The policy of an event limits holds like this. */
export interface HoldPolicy {
  readonly ttlMs: number
  readonly maxHoldsPerUser: number | null
  /** No order may leave a seat alone. Left out: it may. */
  readonly isStrict?: boolean
}

export interface EventPlan extends HoldPolicy {
  /** Each from a moment of the database's clock on, in their order. */
  readonly laterPolicies?: readonly (HoldPolicy & { readonly since: number })[]
  readonly maxSeatsPerBooking: number | null
  /** A payment may take so long; 15 minutes unless nodes run with shorter times. */
  readonly paymentMs?: number
  readonly zones: readonly { readonly capacity: number; readonly seats: number }[]
  /** Left out: no seat has to do with another. */
  readonly seatRules?: SeatPlan
}

/** These seats go together, by ordinal. */
export interface SeatPlan {
  /** Each from one end to the other, without an aisle. */
  readonly rows: readonly (readonly number[])[]
  /** Each is kept for the buyer of its wheelchair place, until so much of its zone is taken. */
  readonly companions: readonly { readonly seat: number; readonly place: number; readonly zone: number }[]
  /** Groups that are sold as a whole. */
  readonly wholes: readonly (readonly number[])[]
  readonly releasedAtPercent: number
}

/** The policies that were valid at some moment between two. */
export function policiesDuring(plan: EventPlan, from: number, to: number): readonly HoldPolicy[] {
  const { laterPolicies = [] } = plan
  if (laterPolicies.length === 0) return [plan]
  const all = [{ since: Number.NEGATIVE_INFINITY, ...plan }, ...laterPolicies]
  // Times of entries are whole milliseconds.
  return all.filter(({ since }, index) => {
    const next = all[index + 1]
    return Math.floor(since) <= to && (!next || Math.floor(next.since) >= from)
  })
}

export interface Entry {
  readonly seq: number
  readonly kind: string
  readonly command: string
  /** null: the system itself. */
  readonly actor: string | null
  readonly at: number
  /** When its commit took effect, where that is known. The policy may be read until then. */
  readonly committedAt?: number
  readonly body: EntryBody
}

export interface EntryBody {
  readonly holdId?: string
  readonly ordinal?: number | null
  readonly version?: number | null
  readonly zoneIndex?: number
  readonly quantity?: number
  readonly freed?: number
  readonly userId?: string
  readonly cartToken?: string | null
  readonly heldUntil?: number
  readonly capUntil?: number
  readonly checkoutId?: string
  readonly ticketIds?: readonly string[]
  readonly ticketId?: string
  readonly reason?: string
  readonly status?: string
  /** These companion seats were released. */
  readonly ordinals?: readonly number[]
}

export interface Tables {
  readonly seq: number
  /** 1 unless it is said. */
  readonly epoch?: number
  readonly nextExpiry: number | null
  readonly holds: readonly HoldRow[]
  readonly seats: readonly SeatRow[]
  readonly zones: readonly Omit<Counts, 'available'>[]
  readonly tickets: readonly TicketRow[]
}

export interface HoldRow {
  readonly id: string
  readonly user: string
  readonly ordinal: number | null
  readonly zone: number
  readonly quantity: number
  readonly status: string
  readonly heldUntil: number
  readonly capUntil: number
  readonly checkout: string | null
  readonly endedAt: number | null
  readonly endReason: string | null
}

export interface SeatRow {
  readonly ordinal: number
  readonly status: string
  readonly hold: string | null
  readonly ticket: string | null
  readonly version: number
}

export interface TicketRow {
  readonly id: string
  readonly hold: string
  readonly user: string
  readonly ordinal: number | null
  readonly zone: number
  readonly checkout: string
}

/** The judge asks here for the organization of a user; staff are users too. */
export type Users = ReadonlyMap<string, { readonly organizationId: string }>

/** Something that must never be. */
export interface Violation {
  /** The number in the list of invariants. */
  readonly invariant: number
  readonly rule: string
  readonly event: string
  /** The least that shows it: entries, operations, messages. */
  readonly evidence: readonly unknown[]
}
