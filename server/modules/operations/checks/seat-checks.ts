import { DEFAULT_POLICY } from '@voelgoed/core/policy'
import type { Check } from '../../check.ts'
import { CLAIMS, ENDS, EVENT_ZONES, HOLD_ENTRIES, LIVING, SEAT_ENTRIES } from './rows.ts'

/**
 * Seats, holds, tickets and counters: what they say of each other, and what the journal says of their lives.
 */
export const seatChecks: readonly Check[] = [
  {
    invariant: 1,
    name: 'a seat has one live hold or one valid ticket, not more',
    over: 'event_seats',
    sql: `select organization_id, event_id, ordinal, array_agg(claim order by claim) as claims
      from (
        select organization_id, event_id, ordinal, 'hold ' || hold_id as claim from event_seats where status = 'held'
        union all
        select organization_id, event_id, ordinal, 'ticket ' || id from tickets where voided_at is null
      ) claims
      where ordinal is not null group by organization_id, event_id, ordinal having count(*) > 1`,
  },
  {
    invariant: 1,
    name: 'a seat has one row, and so one owner',
    over: 'event_seats',
    sql: `select organization_id, event_id, ordinal, array_agg(hold_id) as holds
      from event_seats group by organization_id, event_id, ordinal having count(*) > 1`,
  },
  {
    invariant: 1,
    name: 'no seat is held twice, whatever its ordinal',
    over: 'event_seats',
    sql: `select h.organization_id, h.event_id, s.seat_id, array_agg(h.hold_id) as holds
      from event_seats h join events e on e.organization_id = h.organization_id and e.id = h.event_id
      join seats s on s.organization_id = e.organization_id and s.layout_id = e.layout_id
        and s.version = e.layout_version and s.ordinal = h.ordinal
      where h.status = 'held' group by 1, 2, 3 having count(distinct h.hold_id) > 1`,
  },
  {
    invariant: 1,
    name: 'a hold has one seat, or places of one zone',
    over: 'event_seats',
    sql: `select organization_id, id as hold_id, count(*) as rows from ${CLAIMS} c
      group by organization_id, id having count(*) > 1`,
  },
  {
    invariant: 2,
    name: 'a held or sold seat has its hold, whole, and any other has none',
    over: 'event_seats',
    sql: `select organization_id, event_id, ordinal, status, hold_id, user_id, held_until from event_seats
      where case when status in ('held', 'sold')
        then num_nulls(hold_id, user_id, created_at, held_until, cap_until, source, last_seq) > 0
          or held_until > cap_until or (status = 'sold') <> (ticket_id is not null)
        else num_nonnulls(hold_id, ticket_id, user_id, created_at, held_until, cap_until, checkout_id, cart_token, source,
          ip, last_seq) > 0 end`,
  },
  {
    invariant: 2,
    name: 'a sold seat has its valid ticket',
    over: 'event_seats',
    sql: `select s.organization_id, s.event_id, s.ordinal, s.hold_id, s.ticket_id
      from event_seats s
      left join tickets t on t.organization_id = s.organization_id and t.id = s.ticket_id and t.voided_at is null
      where s.status = 'sold' and (t.event_id, t.ordinal, t.hold_id, t.user_id)
        is distinct from (s.event_id, s.ordinal, s.hold_id, s.user_id)`,
  },
  {
    invariant: 2,
    name: 'the seat of a valid ticket is sold by it',
    over: 'tickets',
    sql: `select t.organization_id, t.event_id, t.ordinal, t.id as ticket_id, s.status as seat_status
      from tickets t left join event_seats s on s.organization_id = t.organization_id
        and s.event_id = t.event_id and s.ordinal = t.ordinal
      where t.voided_at is null and t.ordinal is not null
        and (s.status, s.ticket_id) is distinct from ('sold'::seat_status, t.id)`,
  },
  {
    invariant: 3,
    name: 'a ticket comes from a converted hold of the same event, place and person',
    over: 'tickets',
    // The hold of a sale stays in the row of its seat, or in that of its places. Its zone, where it has a
    // seat, is that of the seat.
    sql: `select t.organization_id, t.event_id, t.id as ticket_id, t.hold_id, h.status as hold_status
      from tickets t left join ${CLAIMS} h on h.organization_id = t.organization_id and h.id = t.hold_id
      -- The seat of a void ticket has forgotten its hold: the history has it.
      where not (t.voided_at is not null and t.ordinal is not null)
        and ((t.event_id, t.user_id, t.ordinal, t.zone_index, t.checkout_id) is distinct from
          (h.event_id, h.user_id, h.ordinal, coalesce(h.zone_index, t.zone_index), coalesce(h.checkout_id, t.checkout_id))
        or h.status is distinct from 'sold')`,
  },
  {
    invariant: 3,
    name: 'a converted hold has a ticket for each of its places, any other none',
    over: 'event_seats',
    sql: `select h.organization_id, h.event_id, h.id as hold_id, h.status, h.quantity, coalesce(t.count, 0) as tickets
      from ${CLAIMS} h left join (select organization_id, hold_id, count(*) from tickets group by 1, 2) t
        on t.organization_id = h.organization_id and t.hold_id = h.id
      where coalesce(t.count, 0) <> case h.status when 'sold' then h.quantity else 0 end`,
  },
  {
    invariant: 3,
    name: 'tickets are those that the journal issued, each once',
    over: 'tickets',
    sql: `with issued as (
        select organization_id, event_id, (body->>'holdId')::uuid as hold_id,
          jsonb_array_elements_text(body->'ticketIds')::uuid as ticket_id
        from journal_entries where kind = 'seat_converted')
      select organization_id, event_id, hold_id, ticket_id, count(i) as in_journal, count(t) as in_tickets
      from issued i full join (select organization_id, event_id, hold_id, id as ticket_id from tickets) t
        using (organization_id, event_id, hold_id, ticket_id)
      group by 1, 2, 3, 4 having count(i) <> 1 or count(t) <> 1`,
  },
  {
    invariant: 3,
    name: 'the tickets that are void are those that the journal says, each once',
    over: 'tickets',
    sql: `with told as (
        select organization_id, event_id, (body->>'ticketId')::uuid as ticket_id, (body->>'ordinal')::int as ordinal,
          (body->>'zoneIndex')::int as zone_index
        from journal_entries where kind = 'ticket_voided')
      select organization_id, event_id, ticket_id, count(v) as in_journal, count(t) as in_tickets
      from told v full join (
        select organization_id, event_id, id as ticket_id, ordinal, zone_index from tickets where voided_at is not null) t
        using (organization_id, event_id, ticket_id)
      group by 1, 2, 3
      having count(v) <> 1 or count(t) <> 1 or bool_or((v.ordinal, v.zone_index) is distinct from (t.ordinal, t.zone_index))`,
  },
  {
    invariant: 4,
    name: 'the version of a seat is the number of its journal entries',
    over: 'event_seats',
    sql: `select organization_id, event_id, ordinal, s.version, j.entries
      from event_seats s full join (
        select organization_id, event_id, ordinal, count(*) as entries from ${SEAT_ENTRIES} e group by 1, 2, 3
      ) j using (organization_id, event_id, ordinal)
      where s.version is distinct from j.entries`,
  },
  {
    invariant: 4,
    name: 'the versions of a seat go up by one',
    over: 'journal',
    sql: `select organization_id, event_id, ordinal, seq, kind, version, before from (
        select e.*, lag(version, 1, 0) over (partition by organization_id, event_id, ordinal order by seq) as before
        from ${SEAT_ENTRIES} e) e
      where version is distinct from before + 1`,
  },
  {
    invariant: 4,
    name: 'a hold begins once, before anything else happens to it',
    over: 'journal',
    sql: `select organization_id, event_id, hold_id, seq, kind from (
        select e.*, row_number() over (partition by organization_id, hold_id order by event_id, seq) as number
        from ${HOLD_ENTRIES} e) e
      where (kind = 'seat_reserved') <> (number = 1)`,
  },
  {
    invariant: 4,
    name: 'what has ended stays ended',
    over: 'journal',
    sql: `select organization_id, event_id, hold_id, seq, kind, ended_with from (
        select e.*, min(seq) filter (where kind in ${ENDS}) over (partition by organization_id, event_id, hold_id)
          as ended_with
        from ${HOLD_ENTRIES} e) e
      where seq > ended_with`,
  },
  {
    invariant: 4,
    name: 'a hold has ended with a reason that fits its status and its time',
    over: 'hold_history',
    sql: `select organization_id, event_id, id as hold_id, status, end_reason, held_until, ended_at from hold_history
      where case status
        when 'active' then true
        when 'expired' then (end_reason = 'ttl_expired' and ended_at >= held_until) is not true
        when 'converted' then (end_reason = 'converted' and ended_at < held_until) is not true
        else (end_reason in ('user_cancelled', 'payment_failed', 'admin_override', 'event_cancelled') and ended_at < held_until)
          is not true end`,
  },
  {
    invariant: 6,
    name: 'nothing is granted on a hold that has run out',
    over: 'journal',
    sql: `select organization_id, event_id, hold_id, seq, kind, at, known_until from (
        select e.*, max(held_until) over (partition by organization_id, event_id, hold_id order by seq
          rows between unbounded preceding and 1 preceding) as known_until
        from ${HOLD_ENTRIES} e) e
      where kind in ('seat_hold_extended', 'payment_started', 'payment_ended', 'hold_reduced', 'hold_transferred', 'seat_converted')
        and at >= known_until`,
  },
  {
    invariant: 6,
    name: 'no hold expires before its time',
    over: 'journal',
    sql: `select organization_id, event_id, hold_id, seq, at, known_until from (
        select e.*, max(held_until) over (partition by organization_id, event_id, hold_id order by seq) as known_until
        from ${HOLD_ENTRIES} e) e
      where kind = 'seat_hold_expired' and at < known_until`,
  },
  {
    invariant: 7,
    name: 'held_until never moves back, nor past its cap',
    over: 'journal',
    // The cap is the last that an entry named.
    sql: `select organization_id, event_id, hold_id, seq, kind, held_until, held_before, cap from (
        select e.*, lag(held_until) over hold as held_before,
          (max(array[seq::numeric, extract(epoch from cap_until)]) filter (where cap_until is not null) over hold)[2] as cap
        from ${HOLD_ENTRIES} e where held_until is not null
        window hold as (partition by organization_id, event_id, hold_id order by seq)) e
      where held_until < held_before or (extract(epoch from held_until) > cap) is not false`,
  },
  {
    invariant: 19,
    name: "a buyer's living holds in an event end together",
    over: 'event_seats',
    sql: `select organization_id, event_id, user_id, min(held_until) as first_end, max(held_until) as last_end
      from ${LIVING} h where held_until > now()
      group by 1, 2, 3 having min(held_until) <> max(held_until) or min(cap_until) <> max(cap_until)`,
  },
  {
    invariant: 8,
    name: 'the ledger knows when the next hold runs out',
    over: 'event_ledgers',
    sql: `select l.organization_id, l.event_id, l.next_expiry, h.first_expiry
      from event_ledgers l left join (
        select organization_id, event_id, min(held_until) as first_expiry from ${LIVING} living
        group by 1, 2) h using (organization_id, event_id)
      where l.next_expiry is distinct from h.first_expiry`,
  },
  {
    invariant: 8,
    name: 'no hold that has run out stays untidied',
    over: 'event_seats',
    isTidiness: true,
    sql: `select organization_id, event_id, id as hold_id, held_until, now() - held_until as since from ${LIVING} h
      where held_until < now() - $1::float8 * interval '1 second'
      order by held_until`,
  },
  {
    invariant: 5,
    name: 'the counters of a zone are the sums of the rows',
    over: 'zone_counts',
    sql: `with held as (
        select h.organization_id, h.event_id, coalesce(h.zone_index, z.zone_index) as zone_index, sum(h.quantity) as n
        from ${LIVING} h left join ${EVENT_ZONES} z on z.organization_id = h.organization_id
          and z.event_id = h.event_id and h.ordinal >= z.first_ordinal and h.ordinal < z.first_ordinal + z.seat_count
        group by 1, 2, 3),
      sold as (
        select organization_id, event_id, zone_index, count(*) as n from tickets where voided_at is null
        group by 1, 2, 3),
      blocked as (
        select s.organization_id, s.event_id, z.zone_index, count(*) as n
        from event_seats s left join ${EVENT_ZONES} z on z.organization_id = s.organization_id
          and z.event_id = s.event_id and s.ordinal >= z.first_ordinal and s.ordinal < z.first_ordinal + z.seat_count
        where s.status = 'blocked' group by 1, 2, 3)
      select organization_id, event_id, zone_index, c.held, coalesce(h.n, 0) as holds, c.sold,
        coalesce(s.n, 0) as tickets, c.blocked, coalesce(b.n, 0) as blocked_seats
      from zone_counts c full join held h using (organization_id, event_id, zone_index)
        full join sold s using (organization_id, event_id, zone_index)
        full join blocked b using (organization_id, event_id, zone_index)
      where (c.held, c.sold, c.blocked) is distinct from (coalesce(h.n, 0), coalesce(s.n, 0), coalesce(b.n, 0))`,
  },
  {
    invariant: 5,
    name: 'no zone has less than nothing in it, or more than its capacity',
    over: 'zone_counts',
    sql: `select organization_id, event_id, zone_index, held, sold, blocked, capacity from zone_counts
      where held < 0 or sold < 0 or blocked < 0 or held + sold + blocked > capacity`,
  },
  {
    invariant: 5,
    name: 'every zone of an event on sale has its counter, and no other',
    over: 'zone_counts',
    sql: `select organization_id, event_id, zone_index, z.zone_id, c.zone_id as counter_of
      from (select z.* from ${EVENT_ZONES} z join event_ledgers using (organization_id, event_id)) z
        full join zone_counts c using (organization_id, event_id, zone_index)
      where z.zone_id is distinct from c.zone_id`,
  },
  {
    invariant: 16,
    name: 'no buyer was given more than the limit',
    over: 'event_seats',
    // By the limits as they are now: only holds that were given after they were last changed are judged by
    // them. The seconds are for a batch that had read the policy before. A policy that was never saved has
    // its defaults. Staff are not bound.
    sql: `with limits as (
        select e.organization_id, e.id as event_id,
          greatest(e.updated_at, p.updated_at) + interval '15 s' as since,
          least(${effective('max_seats_per_booking')}, ${effective('max_holds_per_user')}) as most
        from events e left join seating_policies p using (organization_id)),
      newest as (
        select organization_id, event_id, user_id, max(created_at) as at from ${LIVING} living
        group by 1, 2, 3)
      select organization_id, event_id, user_id, sum(h.quantity) as places, l.most as limit
      from newest n join limits l using (organization_id, event_id)
        join ${LIVING} h using (organization_id, event_id, user_id)
      where exists (select from users u
          where u.organization_id = n.organization_id and u.id = n.user_id and u.role = 'customer')
        and h.held_until > n.at and n.at > l.since
      group by organization_id, event_id, user_id, l.most
      having sum(h.quantity) > l.most and bool_and(h.source = 'web')`,
  },
]

/** Reads a field of the policy of an event as a number; null: no limit. */
function effective(field: 'max_seats_per_booking' | 'max_holds_per_user'): string {
  const fallback = DEFAULT_POLICY[field] === null ? 'null' : String(DEFAULT_POLICY[field])
  return `(case when e.seating_overrides ? '${field}' and not coalesce(p.policy->'locked_fields' ? '${field}', false)
      then (e.seating_overrides->>'${field}')::int
      when p.policy ? '${field}' then (p.policy->>'${field}')::int else ${fallback}::int end)`
}
