import type { Person } from '../access.ts'
import type { WantedPrices } from '../allocation/wish.ts'
import type { NamedGuests } from '../guests/guest-rule.ts'
import type { CheckoutId, CommandId, HoldId, TicketId, UserId } from '../ids.ts'
import type { ZoneAccess } from '../layout/model.ts'
import type { PolicyFields } from '../policy.ts'
import type { EventStatus } from './lifecycle.ts'

/**
 * These can be asked of an event. Commands have passed the edge: ids are known and belong to the
 * organization, seats are ordinals, lists have no duplicates, and staff commands come from someone who may
 * give them. New ids come with the command, so that deciding needs no randomness.
 */
export type Command =
  | HoldSeats
  | HoldPlaces
  | HoldBest
  | Extend
  | Reduce
  | Transfer
  | Release
  | StartPayment
  | EndPayment
  | Sell
  | VoidTickets
  | MoveTickets
  | Expire
  | EndHolds
  | Block
  | Unblock
  | ChangeEvent

/** Derived from the credential, never from the request. */
export type Source = 'web' | 'embed' | 'api' | 'scanner' | 'admin' | 'system'

export interface Actor {
  /** null: the system itself. */
  readonly person: Person | null
  /** null: not known, or not to be counted. */
  readonly ip: string | null
  readonly source: Source
  /** Where the command came from, for the journal and the audit. No rule asks for it. */
  readonly from?: { readonly address: string | null; readonly userAgent: string | null }
}

export interface PersonActing extends Actor {
  readonly person: Person
}

interface Given<Who extends Actor = Actor> {
  readonly commandId: CommandId
  readonly actor: Who
}

export interface HoldSeats extends Given<PersonActing> {
  readonly kind: 'hold_seats'
  /** At least one, none twice. */
  readonly ordinals: readonly number[]
  /** One for each ordinal; those of seats that are the person's already stay unused. */
  readonly holdIds: readonly HoldId[]
  readonly cartToken?: string
}

export interface HoldPlaces extends Given<PersonActing> {
  readonly kind: 'hold_places'
  /** A zone without seats. */
  readonly zoneIndex: number
  readonly quantity: number
  readonly holdId: HoldId
  readonly cartToken?: string
}

/** The best seats that are free, chosen while no other command can take them. */
export interface HoldBest extends Given<PersonActing> {
  readonly kind: 'hold_best'
  readonly quantity: number
  /** So many of these are wheelchair places, and so many seats of their companions. */
  readonly wheelchair: number
  readonly companions: number
  /** Zones with seats that the buyer wants; null: any that is open to them. */
  readonly zoneIndexes: readonly number[] | null
  /** Null: any. */
  readonly prices: WantedPrices | null
  /** All side by side, or nothing; null: as the policy says. */
  readonly together: boolean | null
  /** One for each seat. */
  readonly holdIds: readonly HoldId[]
  readonly cartToken?: string
}

export interface Extend extends Given<PersonActing> {
  readonly kind: 'extend'
  readonly holdId: HoldId
}

/** Fewer places of a hold in a zone without seats. */
export interface Reduce extends Given<PersonActing> {
  readonly kind: 'reduce'
  readonly holdId: HoldId
  /** So many are to be left: at least 1. */
  readonly quantity: number
}

/**
 * All living holds of a guest become the actor's.
 * The caller has made sure that the actor may speak for the guest.
 */
export interface Transfer extends Given<PersonActing> {
  readonly kind: 'transfer'
  readonly from: UserId
}

export type Release = ReleaseByUser | ReleaseByPayment | ReleaseByStaff

export interface ReleaseByUser extends Given<PersonActing> {
  readonly kind: 'release'
  readonly reason: 'user_cancelled'
  readonly holdIds: readonly HoldId[]
  /** The buyer cancels this checkout: its holds are released too while they are in payment. */
  readonly checkoutId?: CheckoutId
}

interface ReleaseByPayment extends Given {
  readonly kind: 'release'
  readonly reason: 'payment_failed'
  readonly holdIds: readonly HoldId[]
  readonly checkoutId: CheckoutId
}

interface ReleaseByStaff extends Given {
  readonly kind: 'release'
  readonly reason: 'admin_override'
  readonly holdIds: readonly HoldId[]
  readonly notes?: string
  /** Releases holds in payment too. Without it they are passed over. */
  readonly force?: boolean
}

export interface StartPayment extends Given<PersonActing> {
  readonly kind: 'start_payment'
  readonly holdIds: readonly HoldId[]
  readonly checkoutId: CheckoutId
  /** Left out: none is named, and one place in a members' zone can be paid for. */
  readonly guests?: NamedGuests
  /** Staff let the order leave single seats alone. */
  readonly allowStranding?: boolean
}

/**
 * The buyer wants something else than they began to pay for. The caller has made sure that nothing can be
 * charged for this checkout any more.
 */
export interface EndPayment extends Given<PersonActing> {
  readonly kind: 'end_payment'
  readonly holdIds: readonly HoldId[]
  readonly checkoutId: CheckoutId
}

/**
 * The money is there, in a checkout, with staff or on a platform: holds of one buyer, who need not be the
 * actor, become tickets. A hold that has run out is taken again for its buyer and sold with the others, if
 * its places are free.
 */
export interface Sell extends Given<PersonActing> {
  readonly kind: 'sell'
  readonly buyer: Person
  /** At least one, none twice. */
  readonly holds: readonly SoldHold[]
  readonly checkoutId: CheckoutId
  /** By the ids that the holds have now. */
  readonly guests?: NamedGuests
  /** Staff let the order leave single seats alone. */
  readonly allowStranding?: boolean
  /** One for each place: those of the first hold first. Refused when there are more or fewer places. */
  readonly ticketIds: readonly TicketId[]
}

export interface SoldHold {
  readonly holdId: HoldId
  /** The hold that takes its places again, if it has run out. */
  readonly againAs: HoldId
  readonly cartToken: string | null
  /** Says what a hold was that ended by running out. Null: it has not ended. */
  readonly ended: {
    readonly ordinal: number | null
    readonly zoneIndex: number
    readonly quantity: number
  } | null
}

/** Sales are taken back: the tickets open nothing any more, and their places are free. */
export interface VoidTickets extends Given {
  readonly kind: 'void_tickets'
  /** Valid ones of this event, read under its lock; at least one, none twice. */
  readonly tickets: readonly {
    readonly ticketId: TicketId
    readonly ordinal: number | null
    readonly zoneIndex: number
  }[]
  readonly reason: string
}

/**
 * Staff move sold places to other seats: the old tickets open nothing any more and their places are free, the
 * seats are sold to the same buyer. All of it or none.
 */
export interface MoveTickets extends Given<PersonActing> {
  readonly kind: 'move_tickets'
  readonly buyer: Person
  readonly checkoutId: CheckoutId
  /** At least one; no ticket and no seat twice. */
  readonly moves: readonly TicketMove[]
}

export interface TicketMove {
  /** A valid one of this event and this buyer, read under its lock. */
  readonly ticket: VoidTickets['tickets'][number]
  /** The ordinal of the other seat. */
  readonly to: number
  /** The hold by which the seat is taken, and the ticket that is sold for it. */
  readonly holdId: HoldId
  readonly ticketId: TicketId
  /** This is what the journal says of the old ticket. */
  readonly reason: string
}

export interface Expire extends Given {
  readonly kind: 'expire'
  readonly limit: number
}

export type EndHolds = EndHoldsOfCancelledEvent | EndHoldsByStaff

interface EndHoldsOfCancelledEvent extends Given {
  readonly kind: 'end_holds'
  readonly reason: 'event_cancelled'
  readonly limit: number
}

/** All holds of the event, or those of a zone or of a user. */
export interface EndHoldsByStaff extends Given {
  readonly kind: 'end_holds'
  readonly reason: 'admin_override'
  readonly limit: number
  readonly zoneIndex?: number
  readonly userId?: UserId
  readonly notes?: string
  /** Ends holds in payment too. Without it they are passed over. */
  readonly force?: boolean
}

export interface Block extends Given {
  readonly kind: 'block'
  readonly ordinals: readonly number[]
  readonly reason: string
}

export interface Unblock extends Given {
  readonly kind: 'unblock'
  readonly ordinals: readonly number[]
  readonly reason: string
}

/** The event was opened or closed, or its overlay or policy changed. What is left out stays as it is. */
export interface ChangeEvent extends Given, EventUpdate {
  readonly kind: 'event_changed'
}

export interface EventUpdate {
  readonly status?: EventStatus
  readonly saleStart?: number | null
  readonly saleEnd?: number | null
  /** The whole effective policy. */
  readonly policy?: PolicyFields
  /** Only the zones that change, each with all of its settings. */
  readonly zones?: readonly ZoneUpdate[]
}

export interface ZoneUpdate {
  readonly zoneIndex: number
  /** A zone with seats keeps its capacity: that is their number. */
  readonly capacity: number
  readonly access: ZoneAccess
  readonly disabled: boolean
}
