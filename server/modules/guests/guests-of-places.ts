import type { Person } from '@voelgoed/core/access'
import type { EventState } from '@voelgoed/core/event/state'
import { type EntryFacts, type EntryRefusal, entryRefused } from '@voelgoed/core/guests/entry-rule'
import {
  type GuestPerson,
  hasGuests,
  missingForGuest,
  type NamedGuests,
} from '@voelgoed/core/guests/guest-rule'
import type { EventId, HoldId } from '@voelgoed/core/ids'
import type { ZoneAccess } from '@voelgoed/core/layout/model'
import type { Refusal } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import type { TenantTx } from '@voelgoed/kit/postgres/database'
import { findUser } from '../people/tables/users.ts'
import {
  countOwnTickets,
  emailsOfUsers,
  findGuestPersons,
  type GuestPlaces,
  listGuests,
  type NewGuest,
  replaceGuests,
  type TicketPlace,
} from './tables/place-guests.ts'
import { findOnWhitelists } from './tables/whitelist.ts'

/** A guest as a buyer names them; the address is normalised. */
export type GivenGuest = { readonly email: string } | { readonly userId: string }

/**
 * Names the guest of each of these places of a hold: null makes it the buyer's own. Refuses, and the
 * transaction must be undone, when one of them may not have their place or has another.
 */
export async function nameGuests(
  tx: TenantTx,
  places: GuestPlaces,
  zone: ZoneAccess,
  wanted: ReadonlyMap<number, GivenGuest | null>,
): Promise<Result<null, Refusal>> {
  if (!hasGuests(zone)) return refuse({ kind: 'guests_not_asked_for' })
  const { hold_id: holdId, event_id: eventId, user_id: buyer } = places
  const given = [...wanted].flatMap(([place, guest]) => (guest ? [{ place, guest }] : []))
  const ids = given.flatMap(({ guest }) => ('userId' in guest ? [guest.userId] : []))
  const emails = await emailsOfUsers(tx, [buyer, ...ids])
  const named: NewGuest[] = []
  for (const { place, guest } of given) {
    const userId = 'userId' in guest ? guest.userId : null
    const email = 'userId' in guest ? emails.get(guest.userId) : guest.email
    if (email === undefined) return refuse({ kind: 'user_not_found' })
    // The buyer needs no naming.
    if (email === emails.get(buyer)) continue
    if (named.some(other => other.email === email)) return refuse({ kind: 'guest_already_named', place })
    named.push({ place, email, userId })
  }
  const persons = await findGuestPersons(
    tx,
    eventId,
    named.map(guest => guest.email),
  )
  for (const { place, email } of named) {
    const required = missingForGuest(zone, persons.get(email) ?? STRANGER)
    if (required !== null) return refuse({ kind: 'guest_not_allowed', holdId, place, required })
  }
  const taken = await replaceGuests(tx, places, [...wanted.keys()], named, buyer)
  return taken === null ? ok(null) : refuse({ kind: 'guest_already_named', place: taken })
}

const STRANGER: GuestPerson = { membershipTier: null, membershipStatus: null, isOnWhitelist: false }

/** The zones of an event whose places have guests. */
export function zonesWithGuests({ zones }: EventState): number[] {
  return zones.flatMap(({ settings }, index) => (hasGuests(settings.access) ? [index] : []))
}

/**
 * Reads what a checkout must know of its buyer and of their guests before it gives `start_payment` or
 * `sell` to the lane. Guests of a hold in payment do not change, so at `sell` this is what is there.
 */
export async function knowForCheckout(
  tx: TenantTx,
  event: { readonly eventId: EventId; readonly state: EventState },
  buyer: Person,
  holdIds: readonly HoldId[],
): Promise<{ buyer: Person; guests: NamedGuests }> {
  const { eventId, state } = event
  const zoneIndexes = zonesWithGuests(state)
  const onWhitelist = await findOnWhitelists(tx, [`${eventId}${buyer.userId}`])
  const known = onWhitelist.size > 0 ? { ...buyer, isOnWhitelist: true } : buyer
  if (zoneIndexes.length === 0) return { buyer: known, guests: { byHold: {}, hasOwnTicket: false } }
  const byHold: Record<string, (GuestPerson | null)[]> = {}
  for (const { holdId, place, ...guest } of await listGuests(tx, eventId, holdIds)) {
    byHold[holdId] ??= []
    byHold[holdId][place] = guest
  }
  const own = await countOwnTickets(tx, { eventId, userId: buyer.userId, zoneIndexes, except: null })
  return { buyer: known, guests: { byHold, hasOwnTicket: own > 0 } }
}

/**
 * Judges a ticket in a members' zone for a gate: may the person whom the place is for come in now?
 * `hasEntered` says whether that person (by their address; the buyer by their id) came in today by
 * another place; the caller keeps the entries, under a lock on the person.
 */
export async function judgeEntry(
  tx: TenantTx,
  ticket: TicketPlace,
  zone: ZoneAccess,
  hasEntered: (person: { readonly email: string } | { readonly userId: string }) => Promise<boolean>,
): Promise<EntryRefusal | null> {
  if (!hasGuests(zone)) return null
  const { event_id: eventId, hold_id: holdId, user_id: userId, place } = ticket
  const guests = await listGuests(tx, eventId, [holdId])
  const guest = guests.find(each => each.place === place) ?? null
  const buyer = await findUser(tx, userId)
  const onWhitelist = await findOnWhitelists(tx, [`${eventId}${userId}`])
  const facts: EntryFacts = {
    zone,
    guest,
    buyer: {
      // A purchase by an account that is disabled now stays valid, but its membership has ended.
      membershipTier: buyer && !buyer.isDisabled ? buyer.membershipTier : null,
      membershipStatus: buyer && !buyer.isDisabled ? buyer.membershipStatus : null,
      isOnWhitelist: onWhitelist.size > 0,
    },
    hasEnteredElsewhere: await hasEntered(guest ? { email: guest.email } : { userId }),
  }
  return entryRefused(facts)
}
