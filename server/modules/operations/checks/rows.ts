export const ENDS = `('seat_hold_expired', 'seat_released', 'seat_converted')`

/** Entries of the journal that are about a hold. */
export const HOLD_ENTRIES = `(
  select organization_id, event_id, seq, previous, kind, at, source, body, (body->>'holdId')::uuid as hold_id,
    to_timestamp((body->>'heldUntil')::float8 / 1000.0) as held_until,
    to_timestamp((body->>'capUntil')::float8 / 1000.0) as cap_until
  from journal_entries where body->'holdId' is not null)`

/** Entries of the journal that are about a seat. */
export const SEAT_ENTRIES = `(
  select organization_id, event_id, seq, kind, (body->>'ordinal')::int as ordinal, (body->>'version')::int as version
  from journal_entries where body->>'ordinal' is not null)`

/** Holds that have not ended or were sold, each in the row of its seat or in that of its places. */
export const CLAIMS = `(
  select organization_id, event_id, hold_id as id, status::text, user_id, ordinal, null::int as zone_index, 1 as quantity,
    created_at, held_until, cap_until, checkout_id, cart_token, source, ip, last_seq, taken_by
  from event_seats where status in ('held', 'sold')
  union all
  select organization_id, event_id, hold_id, status::text, user_id, null, zone_index, quantity,
    created_at, held_until, cap_until, checkout_id, cart_token, source, ip, last_seq, taken_by
  from place_holds)`

/** Holds that have not ended. */
export const LIVING = `(select * from ${CLAIMS} claims where status = 'held')`

/** The journal tells this of each hold. */
export const TOLD = `(
  select organization_id, event_id, hold_id as id,
    case max(kind) filter (where kind in ${ENDS}) when 'seat_converted' then 'converted'
      when 'seat_hold_expired' then 'expired' when 'seat_released' then 'cancelled' else 'active' end as status,
    case max(kind) filter (where kind in ${ENDS}) when 'seat_converted' then 'converted'
      when 'seat_hold_expired' then 'ttl_expired' when 'seat_released' then max(body->>'reason') end as reason,
    min(at) as created_at, max(held_until) as held_until,
    (array_agg(cap_until order by seq desc) filter (where cap_until is not null))[1] as cap_until,
    max(at) filter (where kind in ${ENDS}) as ended_at,
    (array_agg(case kind when 'payment_started' then body->>'checkoutId' end order by seq desc)
      filter (where kind in ('payment_started', 'payment_ended')))[1] as checkout_id,
    (array_agg(body->>'userId' order by seq desc) filter (where body->>'userId' is not null))[1] as user_id,
    max(body->>'ordinal') as ordinal, max(body->>'zoneIndex') as zone_index,
    min((body->>'quantity')::int)::text as quantity, max(body->>'ip') as ip, max(body->>'cartToken') as cart_token,
    (array_agg(source order by seq))[1] as source, max(seq) as last_seq, max(body->'ticketIds'->>0) as ticket_id,
    (array_agg(body->>'userId' order by seq) filter (where body->>'userId' is not null))[1] as taken_by
  from ${HOLD_ENTRIES} e group by 1, 2, 3)`

/** Tickets of seats that became void, by the journal: their holds are in the history alone. */
export const VOIDED_SEATS = `(
  select organization_id, event_id, body->>'ticketId' as ticket_id from journal_entries
  where kind = 'ticket_voided' and body->>'ordinal' is not null)`

/** The history of an event reaches so far. */
export const CURSORS = `(
  select l.organization_id, l.event_id, l.seq, coalesce(c.seq, 0) as cursor
  from event_ledgers l left join history_cursors c using (organization_id, event_id))`

/** Zones by the number that holds, tickets and counters call them by. */
export const EVENT_ZONES = `(
  select e.organization_id, e.id as event_id, z.zone_id, z.first_ordinal, z.seat_count,
    (row_number() over (partition by e.organization_id, e.id order by z.position) - 1)::int as zone_index
  from events e join zones z on z.organization_id = e.organization_id and z.layout_id = e.layout_id
    and z.version = e.layout_version)`
