import { type AccessRequirement, isMember, type Person } from '../access.ts'
import type { HoldId } from '../ids.ts'
import type { ZoneAccess } from '../layout/model.ts'
import type { HoldRefusal } from '../refusal.ts'

/*
 * Members' friends. Each place in a members' zone is for one person: the guest whom its buyer has named, or
 * the buyer, who needs no naming. A guest is a member as the zone asks for, or on the event's whitelist. Not
 * to be taken for a buyer without an account, who is called a guest as well.
 */

/**
 * Describes what the rules know of a guest: their account's membership, if they have an account, and the
 * whitelist.
 */
export interface GuestPerson extends Pick<Person, 'membershipTier' | 'membershipStatus'> {
  readonly isOnWhitelist: boolean
}

/** Describes what was known of the guests of a checkout before the event's lock was asked for. */
export interface NamedGuests {
  /** By the id of the hold: the guest of each place. What is left out, or null, has none. */
  readonly byHold: Readonly<Record<string, readonly (GuestPerson | null)[]>>
  /** The buyer has a ticket without a guest in a members' zone of the event: that place is their own. */
  readonly hasOwnTicket: boolean
}

export const NO_GUESTS: NamedGuests = { byHold: {}, hasOwnTicket: false }

/** Returns whether the places of a zone are for members and their guests. */
export function hasGuests(zone: ZoneAccess): boolean {
  return zone.accessMode === 'membership_tier'
}

/** May this guest have a place in this zone? `null` means yes, otherwise what is missing. */
export function missingForGuest(zone: ZoneAccess, guest: GuestPerson): AccessRequirement | null {
  if (!hasGuests(zone) || guest.isOnWhitelist || isMember(zone, guest)) return null
  return { mode: 'membership_tier', membershipTier: zone.membershipTier ?? '' }
}

export interface PlacesToJudge {
  readonly holdId: HoldId
  readonly quantity: number
  readonly zone: ZoneAccess
}

/**
 * Says why these places can't be paid for: a guest who may not have their place, or more than one place in
 * members' zones that is the buyer's own, counting what they have bought.
 */
export function guestsRefused(
  holds: readonly PlacesToJudge[],
  { byHold, hasOwnTicket }: NamedGuests,
): HoldRefusal | null {
  const unnamed = new Set<HoldId>()
  let own = hasOwnTicket ? 1 : 0
  for (const { holdId, quantity, zone } of holds) {
    if (!hasGuests(zone)) continue
    const guests = byHold[holdId] ?? []
    for (let place = 0; place < quantity; place += 1) {
      const guest = guests[place] ?? null
      if (guest === null) {
        own += 1
        unnamed.add(holdId)
        continue
      }
      const required = missingForGuest(zone, guest)
      if (required !== null) return { kind: 'guest_not_allowed', holdId, place, required }
    }
  }
  return own > 1 && unnamed.size > 0
    ? { kind: 'guests_not_named', holdIds: [...unnamed], missing: own - 1 }
    : null
}
