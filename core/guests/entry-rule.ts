import { isMember, type Person } from '../access.ts'
import type { ZoneAccess } from '../layout/model.ts'
import { type GuestPerson, hasGuests, missingForGuest } from './guest-rule.ts'

/** Describes what a gate knows of a ticket when it is scanned. */
export interface EntryFacts {
  readonly zone: ZoneAccess
  /** Null: none is named, and the place is the buyer's own. */
  readonly guest: GuestPerson | null
  /** The buyer as they are now. */
  readonly buyer: Pick<Person, 'membershipTier' | 'membershipStatus' | 'isOnWhitelist'>
  /** The person whom the place is for came in today by another place of the event's members' zones. */
  readonly hasEnteredElsewhere: boolean
}

/**
 * `membership_not_active`: the person is neither a member now nor on the whitelist. `guest_not_named`: the
 * buyer's own place is another one, so a guest must be named for this one. `already_entered`: the guest is
 * inside, by another ticket.
 */
export type EntryRefusal = 'membership_not_active' | 'guest_not_named' | 'already_entered'

/** Returns why a ticket of a members' zone does not let its holder in. Null: this rule lets them in. */
export function entryRefused({ zone, guest, buyer, hasEnteredElsewhere }: EntryFacts): EntryRefusal | null {
  if (!hasGuests(zone)) return null
  const mayBeHere =
    guest === null ? buyer.isOnWhitelist || isMember(zone, buyer) : missingForGuest(zone, guest) === null
  if (!mayBeHere) return 'membership_not_active'
  if (!hasEnteredElsewhere) return null
  return guest === null ? 'guest_not_named' : 'already_entered'
}
