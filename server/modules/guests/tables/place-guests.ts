import type { GuestPerson } from '@voelgoed/core/guests/guest-rule'
import type { EventId, HoldId, TicketId, UserId } from '@voelgoed/core/ids'
import { eventOf, seatOfEvent } from '@voelgoed/engine/tables/by-key'
import type { PlatformTx, TenantTx } from '@voelgoed/kit/postgres/database'

/** A hold or a ticket whose places may have guests. */
export interface GuestPlaces {
  readonly event_id: EventId
  readonly hold_id: HoldId
  readonly user_id: UserId
  readonly zone_index: number
}

export interface HeldPlaces extends GuestPlaces {
  readonly quantity: number
  readonly status: 'held' | 'sold'
  readonly is_alive: boolean
  readonly checkout_id: string | null
}

/** A hold that lives, has run out a moment ago, or was sold. Null: there is none with this id. */
export async function findHeldPlaces(tx: TenantTx, holdId: string): Promise<HeldPlaces | null> {
  const row = await tx.one<HeldPlaces & Record<string, unknown>>(
    `select h.event_id, h.hold_id, h.user_id, z.zone_index, 1 as quantity, h.status::text,
       h.held_until > clock_timestamp() as is_alive, h.checkout_id
     from event_seats h
     cross join ${eventOf('h.event_id', 'layout_id, layout_version')} e
     cross join ${seatOfEvent('h.ordinal', 'zone_id')} s
     join zone_counts z on z.organization_id = $1 and z.event_id = h.event_id and z.zone_id = s.zone_id
     where h.organization_id = $1 and h.hold_id = $2
     union all
     select event_id, hold_id, user_id, zone_index, quantity, status::text, held_until > clock_timestamp(), checkout_id
     from place_holds where organization_id = $1 and hold_id = $2`,
    [holdId],
  )
  return row ?? null
}

export interface TicketPlace extends GuestPlaces {
  readonly place: number
  readonly is_void: boolean
}

/** The tickets of a hold, in the order of their ids, are its places. */
const PLACES = `select id, event_id, hold_id, user_id, zone_index, voided_at is not null as is_void,
    (row_number() over (partition by hold_id order by id))::int - 1 as place
  from tickets where organization_id = $1`

export async function findTicketPlace(tx: TenantTx, ticketId: string): Promise<TicketPlace | null> {
  const row = await tx.one<TicketPlace & Record<string, unknown>>(
    `select event_id, hold_id, user_id, zone_index, is_void, place from (
       ${PLACES} and hold_id = (select t.hold_id from tickets t where t.organization_id = $1 and t.id = $2)) t
     where id = $2`,
    [ticketId],
  )
  return row ?? null
}

/** Valid tickets of a buyer in these zones of an event for which no guest is named, besides `except`. */
export async function countOwnTickets(
  tx: TenantTx,
  {
    eventId,
    userId,
    zoneIndexes,
    except,
  }: { eventId: string; userId: string; zoneIndexes: readonly number[]; except: string | null },
): Promise<number> {
  const row = await tx.one<{ count: number }>(
    `select count(*)::int as count from (
       ${PLACES} and event_id = $2 and user_id = $3 and zone_index = any ($4::int[])) t
     where not is_void and ($5::uuid is null or id <> $5) and not exists (select from place_guests g
       where g.organization_id = $1 and g.hold_id = t.hold_id and g.place = t.place)`,
    [eventId, userId, zoneIndexes, except],
  )
  return row!.count
}

export interface NamedGuest extends GuestPerson {
  readonly holdId: HoldId
  readonly place: number
  readonly email: string
  /** The buyer gave it instead of the address. */
  readonly userId: string | null
}

interface PersonRow {
  email_key: string
  membership_tier: GuestPerson['membershipTier']
  membership_status: GuestPerson['membershipStatus']
  is_on_whitelist: boolean
}

/** Joins the account with an address to it, as it is now. A disabled one counts for nothing. */
const PERSON = `left join users u
    on u.organization_id = $1 and u.email_key = g.email_key and u.disabled_at is null`
const ON_WHITELIST = `exists (select from whitelist_entries w
    where w.organization_id = $1 and w.event_id = $2 and w.email_key = g.email_key) as is_on_whitelist`

export async function findGuestPersons(
  tx: TenantTx,
  eventId: string,
  emails: readonly string[],
): Promise<Map<string, GuestPerson>> {
  const rows = await tx.query<PersonRow & Record<string, unknown>>(
    `select g.email_key, u.membership_tier, u.membership_status, ${ON_WHITELIST}
     from unnest($3::text[]) as g (email_key) ${PERSON}`,
    [eventId, emails],
  )
  return new Map(rows.map(row => [row.email_key, toPerson(row)]))
}

/** The guests of these holds, as they are now. */
export async function listGuests(
  tx: TenantTx,
  eventId: string,
  holdIds: readonly string[],
): Promise<NamedGuest[]> {
  const rows = await tx.query<
    PersonRow & { hold_id: HoldId; place: number; user_id: string | null } & Record<string, unknown>
  >(
    `select g.hold_id, g.place, g.email_key, g.user_id, u.membership_tier, u.membership_status, ${ON_WHITELIST}
     from place_guests g ${PERSON}
     where g.organization_id = $1 and g.event_id = $2 and g.hold_id = any ($3::uuid[]) order by g.hold_id, g.place`,
    [eventId, holdIds],
  )
  return rows.map(row => ({
    holdId: row.hold_id,
    place: row.place,
    email: row.email_key,
    userId: row.user_id,
    ...toPerson(row),
  }))
}

/** The addresses of users by their ids. Those without an account have none. */
export async function emailsOfUsers(tx: TenantTx, userIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; email_key: string }>(
    `select id, email_key from users where organization_id = $1 and id = any ($2::uuid[]) and email_key is not null`,
    [userIds],
  )
  return new Map(rows.map(row => [row.id, row.email_key]))
}

export interface NewGuest {
  readonly place: number
  readonly email: string
  readonly userId: string | null
}

/**
 * Names the guests of these places of a hold, and of no other. Names of holds that have ended do
 * not count, and are deleted. Returns the first place whose guest has another place in the event, after which
 * the transaction must be undone; null: all are named. Of two who name one person at once the second waits.
 */
export async function replaceGuests(
  tx: TenantTx,
  { event_id, hold_id }: Pick<GuestPlaces, 'event_id' | 'hold_id'>,
  places: readonly number[],
  guests: readonly NewGuest[],
  namedBy: string,
): Promise<number | null> {
  await tx.query(
    'delete from place_guests where organization_id = $1 and hold_id = $2 and place = any ($3::int[])',
    [hold_id, places],
  )
  const emails = guests.map(guest => guest.email)
  await tx.query(
    `delete from place_guests g where g.organization_id = $1 and g.event_id = $2 and g.email_key = any ($3::text[])
       and not exists (select from event_seats s where s.organization_id = $1 and s.hold_id = g.hold_id
         and (s.status = 'sold' or s.held_until > clock_timestamp()))
       and not exists (select from place_holds p where p.organization_id = $1 and p.hold_id = g.hold_id
         and p.quantity > g.place and (p.status = 'sold' or p.held_until > clock_timestamp()))`,
    [event_id, emails],
  )
  const named = await tx.query<{ place: number }>(
    `insert into place_guests (organization_id, event_id, hold_id, place, email_key, user_id, named_by)
     select $1, $2, $3, g.place, g.email_key, g.user_id, $7
     from unnest($4::int[], $5::text[], $6::uuid[]) as g (place, email_key, user_id)
     on conflict (organization_id, event_id, email_key) do nothing returning place`,
    [event_id, hold_id, guests.map(guest => guest.place), emails, guests.map(guest => guest.userId), namedBy],
  )
  const done = new Set(named.map(row => row.place))
  return guests.find(guest => !done.has(guest.place))?.place ?? null
}

/** The guests of a hold that ran out go with its places. */
export async function moveGuests(
  tx: TenantTx,
  moves: readonly { readonly from: HoldId; readonly to: HoldId }[],
): Promise<void> {
  if (moves.length === 0) return
  await tx.query(
    `with gone as (
       delete from place_guests g using unnest($2::uuid[], $3::uuid[]) as m (before, after)
       where g.organization_id = $1 and g.hold_id = m.before
       returning g.event_id, m.after, g.place, g.email_key, g.user_id, g.named_by, g.named_at)
     insert into place_guests (organization_id, event_id, hold_id, place, email_key, user_id, named_by, named_at)
     select $1, event_id, after, place, email_key, user_id, named_by, named_at from gone`,
    [moves.map(move => move.from), moves.map(move => move.to)],
  )
}

/** The guest of a ticket goes with it to the one place of another hold. */
export async function moveGuestsOfTickets(
  tx: TenantTx,
  moves: readonly { readonly ticketId: TicketId; readonly to: HoldId }[],
): Promise<void> {
  if (moves.length === 0) return
  await tx.query(
    `with gone as (
       delete from place_guests g
       using (${PLACES} and hold_id in (
           select hold_id from tickets where organization_id = $1 and id = any ($2::uuid[]))) t,
         unnest($2::uuid[], $3::uuid[]) as m (ticket_id, after)
       where g.organization_id = $1 and g.hold_id = t.hold_id and g.place = t.place and t.id = m.ticket_id
       returning g.event_id, m.after, g.email_key, g.user_id, g.named_by, g.named_at)
     insert into place_guests (organization_id, event_id, hold_id, place, email_key, user_id, named_by, named_at)
     select $1, event_id, after, 0, email_key, user_id, named_by, named_at from gone`,
    [moves.map(move => move.ticketId), moves.map(move => move.to)],
  )
}

/** A guest whose place was taken back can be named for another. */
export async function forgetGuestsOf(tx: TenantTx, ticketIds: readonly TicketId[]): Promise<void> {
  await tx.query(
    `delete from place_guests g using (
       select id, hold_id, (row_number() over (partition by hold_id order by id))::int - 1 as place
       from tickets where organization_id = $1 and hold_id in (
         select hold_id from tickets where organization_id = $1 and id = any ($2::uuid[]))) t
     where g.organization_id = $1 and g.hold_id = t.hold_id and g.place = t.place and t.id = any ($2::uuid[])`,
    [ticketIds],
  )
}

/**
 * Guests of holds that have ended are deleted a day after they were named: no hold lives that long. Those of
 * holds that were sold stay. Returns how many rows are settled.
 */
export async function sweepPlaceGuests(tx: PlatformTx, limit: number): Promise<number> {
  const rows = await tx.query(
    `with due as (
       select organization_id, hold_id, place from place_guests
       where not is_sold and named_at < now() - interval '1 day' order by named_at limit $1),
     found as (
       select d.*, coalesce(s.status, p.status)::text as status from due d
       left join event_seats s on s.organization_id = d.organization_id and s.hold_id = d.hold_id
       left join place_holds p on p.organization_id = d.organization_id and p.hold_id = d.hold_id),
     kept as (
       update place_guests g set is_sold = true from found f
       where f.status = 'sold' and g.organization_id = f.organization_id and g.hold_id = f.hold_id and g.place = f.place
       returning 1),
     gone as (
       delete from place_guests g using found f
       where f.status is null and g.organization_id = f.organization_id and g.hold_id = f.hold_id and g.place = f.place
       returning 1)
     select 1 from kept union all select 1 from gone`,
    [limit],
  )
  return rows.length
}

function toPerson(row: PersonRow): GuestPerson {
  return {
    membershipTier: row.membership_tier,
    membershipStatus: row.membership_status,
    isOnWhitelist: row.is_on_whitelist,
  }
}
