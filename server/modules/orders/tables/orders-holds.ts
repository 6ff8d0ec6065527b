import type { HoldId, UserId } from '@voelgoed/core/ids'
import type { TenantTx } from '@voelgoed/kit/postgres/database'

/** A hold as a sale finds it. */
export interface HoldToSell {
  readonly id: HoldId
  readonly user_id: UserId
  readonly status: 'held' | 'sold' | 'converted' | 'expired' | 'cancelled'
  readonly ordinal: number | null
  /** Null for a seat that has not ended: the event knows its zone. */
  readonly zone_index: number | null
  readonly quantity: number
  readonly cart_token: string | null
  /** The hold was made by this source of core/event/command.ts. */
  readonly source: string
  /** It has run out. */
  readonly is_late: boolean
}

const LIVING = (condition: string) => `
  select hold_id as id, user_id, status::text, ordinal, null::int as zone_index, 1 as quantity, cart_token, source, held_until,
    false as is_ended
  from event_seats where organization_id = $1 and event_id = $2 and ${condition}
  union all
  select hold_id, user_id, status::text, null, zone_index, quantity, cart_token, source, held_until, false
  from place_holds where organization_id = $1 and event_id = $2 and ${condition}`
const ENDED = (condition: string) => `
  select id, user_id, status::text, ordinal, zone_index, quantity, cart_token, source, held_until, true
  from hold_history where organization_id = $1 and event_id = $2 and ${condition}`

/** In the order of the ids that are given. What has ended may not be in the history yet. */
export async function holdsToSell(
  tx: TenantTx,
  eventId: string,
  holdIds: readonly string[],
): Promise<HoldToSell[]> {
  const rows = await tx.query<HoldToSell & Record<string, unknown>>(
    `select distinct on (id) id, user_id, status, ordinal, zone_index, quantity, cart_token, source,
       held_until <= clock_timestamp() as is_late from (
       ${LIVING('hold_id = any ($3::uuid[])')} union all ${ENDED('id = any ($3::uuid[])')}) holds
     order by id, is_ended`,
    [eventId, holdIds],
  )
  const byId = new Map<string, HoldToSell>(rows.map(row => [row.id, row]))
  return holdIds.flatMap(id => byId.get(id) ?? [])
}

/**
 * The cart with this token that is there, or was there last: its holds end together, and none of them was
 * given back. At most `limit` of them.
 */
export function cartToSell(
  tx: TenantTx,
  eventId: string,
  cartToken: string,
  limit: number,
): Promise<HoldToSell[]> {
  return tx.query<HoldToSell & Record<string, unknown>>(
    `with holds as (
       ${LIVING(`cart_token = $3 and status = 'held'`)}
       union all ${ENDED(`cart_token = $3 and status = 'expired'`)})
     select id, user_id, status, ordinal, zone_index, quantity, cart_token, source,
       held_until <= clock_timestamp() as is_late
     from holds
     where held_until = (select max(held_until) from holds) order by id limit $4`,
    [eventId, cartToken, limit],
  )
}
