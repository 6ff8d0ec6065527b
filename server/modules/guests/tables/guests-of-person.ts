import type { TenantTx } from '@voelgoed/kit/postgres/database'
import type { PersonToFind } from '../../people/tables/personal-data.ts'

export interface ListedOn {
  readonly event_id: string
  readonly note: string | null
  readonly added_at: Date
}

/** The whitelists that have the address. They are lists of addresses: without a proven one there are none. */
export function listWhitelistsOf(
  tx: TenantTx,
  { provenEmail }: PersonToFind,
  limit: number,
): Promise<ListedOn[]> {
  return tx.query<ListedOn & Record<string, unknown>>(
    `select event_id, note, added_at from whitelist_entries
     where organization_id = $1 and email_key = $2 order by added_at desc limit $3`,
    [provenEmail, limit],
  )
}

export interface GuestPlaceRow {
  readonly event_id: string
  readonly email_key: string
  readonly by_me: boolean
  readonly named_at: Date
}

const OF_PERSON = 'organization_id = $1 and (email_key = $2 or user_id = $3 or named_by = $3)'

/** Places that were named for the person, and guests whom they named. */
export function listGuestPlacesOf(
  tx: TenantTx,
  { userId, provenEmail }: PersonToFind,
  limit: number,
): Promise<GuestPlaceRow[]> {
  return tx.query<GuestPlaceRow & Record<string, unknown>>(
    `select event_id, email_key, named_by = $3 as by_me, named_at from place_guests
     where ${OF_PERSON} order by named_at desc limit $4`,
    [provenEmail, userId, limit],
  )
}

/** From then on the places are their buyers' own, and no list has the address. Returns how many rows went. */
export async function eraseGuestsOf(
  tx: TenantTx,
  { userId, provenEmail }: PersonToFind,
): Promise<{ guests: number; whitelists: number }> {
  const guests = await tx.query(`delete from place_guests where ${OF_PERSON} returning 1`, [
    provenEmail,
    userId,
  ])
  const whitelists = await tx.query(
    'delete from whitelist_entries where organization_id = $1 and email_key = $2 returning 1',
    [provenEmail],
  )
  return { guests: guests.length, whitelists: whitelists.length }
}
