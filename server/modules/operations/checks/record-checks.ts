import type { Check } from '../../check.ts'
import { CLAIMS, CURSORS, EVENT_ZONES, HOLD_ENTRIES, TOLD, VOIDED_SEATS } from './rows.ts'

/** Stored answers, the journal as a whole, and who owns what. */
export const recordChecks: readonly Check[] = [
  {
    invariant: 10,
    name: 'a stored answer is a success, whole, and belongs to a user',
    over: 'idempotency_keys',
    // A nonce, something, and a seal.
    sql: `select k.organization_id, encode(k.key_hash, 'hex') as key_hash, k.status, octet_length(k.answer) as bytes,
        k.created_at
      from idempotency_keys k left join organizations o on o.id = k.organization_id
      where k.status not between 200 and 299 or octet_length(k.key_hash) <> 32
        or octet_length(k.fingerprint) <> 32 or octet_length(k.answer) <= 12 + 16
        or (o.id is null and k.organization_id <> '00000000-0000-0000-0000-000000000000')
        or k.created_at > now() + interval '1 minute'`,
  },
  {
    invariant: 11,
    name: 'the journal of an event has no gap, and ends where its ledger says',
    over: 'journal',
    sql: `select organization_id, event_id, l.seq as ledger_seq, j.entries, j.first_seq, j.last_seq
      from event_ledgers l full join (
        select organization_id, event_id, count(*) as entries, min(seq) as first_seq, max(seq) as last_seq
        from journal_entries group by 1, 2) j using (organization_id, event_id)
      where l.seq is null or (coalesce(j.entries, 0), coalesce(j.first_seq, 0), coalesce(j.last_seq, 0))
        is distinct from (l.seq, least(l.seq, 1), l.seq)`,
  },
  {
    invariant: 11,
    name: 'rows of the journal neither overlap nor leave a gap, and name their commands',
    over: 'journal',
    sql: `select organization_id, event_id, first_seq, j.last_seq, j.before, e.entries
      from (
        select *, lag(last_seq, 1, 0::bigint) over (partition by organization_id, event_id order by first_seq) as before
        from journal) j
      left join (
        select organization_id, event_id, first_seq, count(*) as entries,
          (array_agg(command_id order by seq))[1] as first_command,
          (array_agg(command_id order by seq desc))[1] as last_command
        from journal_entries group by 1, 2, 3) e using (organization_id, event_id, first_seq)
      where first_seq <> j.before + 1 or e.entries is distinct from j.last_seq - first_seq + 1
        or (j.first_command, j.last_command) is distinct from (e.first_command, e.last_command)`,
  },
  {
    invariant: 11,
    name: "the ledger's tip is the command of the last entry",
    over: 'event_ledgers',
    sql: `select l.organization_id, l.event_id, l.seq, l.tip, j.last_command
      from event_ledgers l left join journal j on j.organization_id = l.organization_id and j.event_id = l.event_id
        and j.last_seq = l.seq
      where l.tip is distinct from j.last_command`,
  },
  {
    invariant: 11,
    name: 'each entry of a hold names the one before',
    over: 'journal',
    sql: `select * from (
        select organization_id, event_id, seq, kind, hold_id, previous,
          lag(seq, 1, 0::bigint) over (partition by organization_id, event_id, hold_id order by seq) as before
        from ${HOLD_ENTRIES} e) told
      where previous is distinct from before`,
  },
  {
    invariant: 11,
    name: 'every entry of the journal is of a kind we know',
    over: 'journal',
    sql: `select organization_id, event_id, seq, kind from journal_entries
      where kind not in ('seat_reserved', 'seat_hold_extended', 'payment_started', 'payment_ended', 'hold_reduced',
        'hold_transferred', 'seat_hold_expired',
        'seat_released', 'seat_converted', 'seat_blocked', 'seat_unblocked',
        'companions_released', 'ticket_voided', 'event_changed')`,
  },
  {
    invariant: 11,
    name: 'every event that was put on sale has a ledger',
    over: 'events',
    sql: `select e.organization_id, e.id as event_id, e.status
      from events e left join event_ledgers l on l.organization_id = e.organization_id and l.event_id = e.id
      where e.status in ('published', 'live', 'completed') and l.seq is null`,
  },
  {
    invariant: 11,
    name: 'nothing of a draft is held or sold, also if it was on sale before',
    over: 'events',
    sql: `select e.organization_id, e.id as event_id, sum(z.held + z.sold) as taken
      from events e join zone_counts z on z.organization_id = e.organization_id and z.event_id = e.id
      where e.status = 'draft' group by e.organization_id, e.id having sum(z.held + z.sold) > 0`,
  },
  {
    invariant: 11,
    name: 'a hold is what the journal says of it',
    over: 'event_seats',
    sql: `select organization_id, event_id, id as hold_id, c.status, t.status as status_told, c.held_until,
        t.held_until as held_until_told, c.last_seq, t.last_seq as last_seq_told
      from ${CLAIMS} c
        full join (select * from ${TOLD} every_hold where status in ('active', 'converted')
          and not exists (select from ${VOIDED_SEATS} v where v.organization_id = every_hold.organization_id
            and v.event_id = every_hold.event_id and v.ticket_id = every_hold.ticket_id)) t
        using (organization_id, event_id, id)
      where (case c.status when 'held' then 'active' when 'sold' then 'converted' end, c.created_at, c.held_until,
          c.cap_until, c.checkout_id::text, c.user_id::text, c.ordinal::text, c.quantity::text, c.ip, c.cart_token,
          c.source, c.last_seq, coalesce(c.taken_by, c.user_id)::text, coalesce(c.zone_index::text, t.zone_index))
        is distinct from (t.status, t.created_at, t.held_until, t.cap_until, t.checkout_id, t.user_id, t.ordinal,
          t.quantity, t.ip, t.cart_token, t.source, t.last_seq, t.taken_by, t.zone_index)`,
  },
  {
    invariant: 11,
    name: 'the history has the holds that ended up to its cursor, once each, as the journal tells',
    over: 'hold_history',
    sql: `select organization_id, event_id, id as hold_id, h.status, t.status as status_told, h.ended_at,
        t.ended_at as ended_at_told, h.last_seq, t.last_seq as last_seq_told
      from hold_history h full join (
        select t.* from ${TOLD} t join ${CURSORS} c using (organization_id, event_id)
        where t.status <> 'active' and t.last_seq <= c.cursor) t
        using (organization_id, event_id, id)
      where (h.status::text, h.end_reason::text, h.created_at, h.held_until, h.cap_until, h.ended_at, h.checkout_id::text,
          h.user_id::text, h.ordinal::text, h.zone_index::text, h.quantity::text, h.ip, h.cart_token, h.source,
          h.last_seq, coalesce(h.taken_by, h.user_id)::text)
        is distinct from (t.status, t.reason, t.created_at, t.held_until, t.cap_until, t.ended_at, t.checkout_id,
          t.user_id, t.ordinal, t.zone_index, t.quantity, t.ip, t.cart_token, t.source, t.last_seq, t.taken_by)
      union all
      select organization_id, null, id, null, null, null, null, count(*), 1 from hold_history
      group by organization_id, id having count(*) > 1`,
  },
  {
    invariant: 11,
    name: 'the history reaches no further than the journal',
    over: 'event_ledgers',
    sql: `select organization_id, event_id, c.seq as cursor, l.seq
      from history_cursors c left join event_ledgers l using (organization_id, event_id)
      where (c.seq <= l.seq) is not true`,
  },
  {
    invariant: 13,
    name: 'every row is of an event of its own organization',
    over: 'events',
    sql: `select * from (
        select distinct 'event_seats' as in_table, organization_id, event_id from event_seats
        union select distinct 'place_holds', organization_id, event_id from place_holds
        union select distinct 'hold_history', organization_id, event_id from hold_history
        union select distinct 'tickets', organization_id, event_id from tickets
        union select distinct 'orders', organization_id, event_id from orders
        union select distinct 'zone_counts', organization_id, event_id from zone_counts
        union select distinct 'journal', organization_id, event_id from journal) used
      where not exists (
        select from events e where e.organization_id = used.organization_id and e.id = used.event_id)`,
  },
  {
    invariant: 13,
    name: 'every person who is named belongs to the organization',
    over: 'users',
    sql: `select * from (
        select distinct 'event_seats' as in_table, organization_id, user_id from event_seats
        union select distinct 'place_holds', organization_id, user_id from place_holds
        union select distinct 'hold_history', organization_id, user_id from hold_history
        union select distinct 'tickets', organization_id, user_id from tickets
        union select distinct 'orders', organization_id, user_id from orders
        union select distinct 'orders', organization_id, sold_by from orders
        union select distinct 'payments', organization_id, recorded_by from payments
        union select distinct 'journal', organization_id, actor_id from journal_entries
        union select distinct 'audit_log', organization_id, user_id from audit_log
          where action not in ('seat_reserve_failed', 'sign_in_refused', 'guest_session_started')) named
      where user_id is not null and not exists (
        select from users u where u.organization_id = named.organization_id and u.id = named.user_id)
      union
      -- A guest who never held anything is deleted sooner than their refused attempts.
      select distinct 'audit_log', a.organization_id, a.user_id from audit_log a
      join users u on u.id = a.user_id and u.organization_id <> a.organization_id`,
  },
  {
    invariant: 13,
    name: "seats of holds, tickets and events are seats of the event's layout version",
    over: 'event_seats',
    sql: `with used as (
        select 'hold_history' as in_table, organization_id, event_id, id, ordinal, null::uuid as seat_id, zone_index
        from hold_history
        union all
        select 'place_holds', organization_id, event_id, hold_id, null, null, zone_index from place_holds
        union all
        select 'tickets', organization_id, event_id, id, ordinal, seat_id, zone_index from tickets
        union all
        select 'event_seats', organization_id, event_id, hold_id, ordinal, null, null from event_seats)
      select u.in_table, u.organization_id, u.event_id, u.id, u.ordinal, u.seat_id, u.zone_index
      from used u
      left join events e on e.organization_id = u.organization_id and e.id = u.event_id
      left join seats s on s.organization_id = e.organization_id and s.layout_id = e.layout_id
        and s.version = e.layout_version and s.ordinal = u.ordinal
      left join ${EVENT_ZONES} z on z.organization_id = u.organization_id and z.event_id = u.event_id
        and z.zone_index = u.zone_index
      where u.ordinal is not null and (s.seat_id is null or s.seat_id <> u.seat_id)
        or u.zone_index is not null and (z.zone_id is null or s.zone_id <> z.zone_id)`,
  },
  {
    invariant: 13,
    name: 'the seats of a layout version lie in its zones, as many as it says',
    over: 'seats',
    sql: `with counted as (
        select s.organization_id, s.layout_id, s.version, count(*) as seats, count(z.zone_id) as in_zones
        from seats s left join zones z on z.organization_id = s.organization_id and z.layout_id = s.layout_id
          and z.version = s.version and z.zone_id = s.zone_id
          and s.ordinal >= z.first_ordinal and s.ordinal < z.first_ordinal + z.seat_count
        group by 1, 2, 3)
      select organization_id, layout_id, version, v.seat_count, c.seats, c.in_zones
      from layout_versions v full join counted c using (organization_id, layout_id, version)
      where v.seat_count is null
        or (v.seat_count, v.seat_count) is distinct from (coalesce(c.seats, 0), coalesce(c.in_zones, 0))`,
  },
  {
    invariant: 13,
    name: 'no id belongs to two organizations',
    over: 'users',
    sql: `select in_table, id, array_agg(organization_id order by organization_id) as organizations
      from (
        select 'users' as in_table, id, organization_id from users
        union all select 'venues', id, organization_id from venues
        union all select 'layouts', id, organization_id from layouts
        union all select 'events', id, organization_id from events
        union all select 'event_seats', hold_id, organization_id from event_seats where hold_id is not null
        union all select 'place_holds', hold_id, organization_id from place_holds
        union all select 'hold_history', id, organization_id from hold_history
        union all select 'tickets', id, organization_id from tickets
        union all select 'orders', id, organization_id from orders) owned
      group by in_table, id having count(*) > 1`,
  },
  {
    invariant: 18,
    name: 'the changes of a command stand together, of one event, one moment and one person',
    over: 'journal',
    sql: `select organization_id, command_id, min(event_id::text) as event_id, count(*) as entries,
        min(seq) as first_seq, max(seq) as last_seq
      from journal_entries group by organization_id, command_id
      having count(*) <> max(seq) - min(seq) + 1 or min(event_id::text) <> max(event_id::text)
        or min(at) filter (where body->'holdId' is not null) <> max(at) filter (where body->'holdId' is not null)
        or count(distinct coalesce(actor_id::text, source)) > 1`,
  },
]
